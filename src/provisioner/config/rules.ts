// Every rule on what a caller may send. The first one that is broken is the one that the caller hears of.
import { openStackDefaults, type GardenerConfig } from './gardener-config.ts';
import type { GardenerConfigInput, GardenerUpgradeInput } from './gardener-input.ts';
import type { KymaConfigInput } from './kyma-input.ts';
import { isNetwork, liesWithin, overlap } from './networks.ts';
import {
  azureZonesTwice,
  halfOfVolume,
  natTimeout,
  networks,
  nodeRange,
  openStackExposure,
  openStackVolume,
  primaryDnsProviders,
  regionalZones,
  subnets,
  zoneLists,
} from './places.ts';
import {
  blocks,
  blocksIn,
  isProvider,
  providers,
  type ProviderSpecificInput,
} from './provider-input.ts';
import { field, rule, type Rule } from './rule.ts';
import { isLower, isVersion, skipsMinor } from './versions.ts';

const oneOf = (names: readonly string[]) => `one of ${names.join(', ')}`;
const purposes = ['evaluation', 'development', 'testing', 'production'];
const failureTolerances = ['node', 'zone'];
const agent = 'compass-runtime-agent';
const smallestUpgradedVolume = 35;
/** Gardener makes names of its own from project and Shoot, and clouds take no longer ones. */
const longestName = 21;

const network = 'an IPv4 network such as 10.250.0.0/22, without bits beyond its prefix';
const dnsLabel = /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/;
const dnsName = /^(?=.{1,253}$)[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)+$/;

const blocksOf = (input: ProviderSpecificInput) => [
  ['providerSpecificConfig', blocksIn(input)] as const,
];

/** The choice of the provider: these must hold before anything else can be looked at. */
export const blockRules: readonly Rule<ProviderSpecificInput>[] = [
  rule(blocksOf, { exactly: 'provider config not specified' }, (given) => given.length > 0),
  rule(blocksOf, 'exactly one provider config', (given) => given.length === 1),
];
export const providerRules: readonly Rule<GardenerConfigInput>[] = [
  rule(field('provider'), oneOf(providers), (name) => isProvider(name.toLowerCase())),
  rule(
    field('provider'),
    ({ providerSpecificConfig }) => `that of ${blocksIn(providerSpecificConfig).join()}`,
    (name, { providerSpecificConfig }) =>
      Object.entries(blocks).some(
        ([provider, block]) => provider === name.toLowerCase() && providerSpecificConfig[block],
      ),
  ),
];

/** Of a new cluster, and of one that an upgrade would make. */
export const clusterRules: readonly Rule<GardenerConfig>[] = [
  rule(
    field('machineImageVersion'),
    { says: 'Machine Image Version passed while Machine Image is empty' },
    (_version, { machineImage }) => machineImage !== undefined,
  ),
  rule(
    openStackVolume,
    { says: 'OpenStack mutation does not accept diskType or volumeSizeGb parameters' },
    () => false,
  ),
  rule(
    openStackExposure,
    openStackDefaults.exposureClassName,
    (name) => name === openStackDefaults.exposureClassName,
  ),
  rule(field('kubernetesVersion'), 'a version such as 1.26.5', isVersion),

  rule(networks, network, isNetwork),
  rule(
    field('podsCidr'),
    (config) => `apart from the nodes' range, ${nodeRange(config)[1]}`,
    (pods, config) => !overlap(pods, nodeRange(config)[1]),
  ),
  rule(
    field('servicesCidr'),
    (config) => `apart from the nodes' range, ${nodeRange(config)[1]}`,
    (services, config) => !overlap(services, nodeRange(config)[1]),
  ),
  rule(
    field('servicesCidr'),
    ({ podsCidr }) => `apart from podsCidr, ${podsCidr}`,
    (services, { podsCidr }) => podsCidr === undefined || !overlap(services, podsCidr),
  ),
  rule(
    subnets,
    (config) => `within ${nodeRange(config).join(', ')}`,
    (subnet, config) => liesWithin(subnet, nodeRange(config)[1]),
  ),
  rule(
    subnets,
    'apart from the networks of all zones',
    (subnet, config) => subnets(config).filter(([, other]) => overlap(subnet, other)).length <= 1, // itself
  ),

  rule(zoneLists, 'at least one zone', (names) => names.length > 0),
  rule(zoneLists, 'a list of different zones', (names) => new Set(names).size === names.length),
  rule(
    regionalZones,
    ({ region }) => `a zone of region ${region}`,
    (zone, { region }) => zone.startsWith(region),
  ),
  rule(azureZonesTwice, 'the same zones as azureZones, or left out', (_names, config) => {
    const all = new Set(zoneLists(config).flatMap(([, list]) => list));
    return zoneLists(config).every(([, list]) => list.length === all.size);
  }),
  rule(natTimeout, 'from 4 to 120 minutes', (minutes) => minutes >= 4 && minutes <= 120),

  rule(field('autoScalerMin'), 'at least 1', (min) => min >= 1),
  rule(
    field('autoScalerMin'),
    ({ autoScalerMax }) => `at most autoScalerMax, ${autoScalerMax}`,
    (min, { autoScalerMax }) => min <= autoScalerMax,
  ),
  rule(field('maxSurge'), 'at least 0', (surge) => surge >= 0),
  rule(field('maxUnavailable'), 'at least 0', (unavailable) => unavailable >= 0),
  rule(
    field('maxUnavailable'),
    'at least 1 where maxSurge is 0',
    (unavailable, { maxSurge }) => unavailable > 0 || maxSurge > 0,
  ),
  rule(field('volumeSizeGB'), 'at least 1', (size) => size >= 1),
  rule(halfOfVolume, { says: 'diskType and volumeSizeGB are given together' }, () => false),
  rule(field('purpose'), oneOf(purposes), (purpose) => purposes.includes(purpose)),
];

/** What cannot be changed later, and so is looked at once. */
export const newClusterRules: readonly Rule<GardenerConfig & { readonly project: string }>[] = [
  rule(
    field('name'),
    'a DNS label of lower-case letters, digits and single hyphens',
    (name) => dnsLabel.test(name) && !name.includes('--'),
  ),
  rule(
    field('name'),
    ({ project }) => `at most ${longestName - project.length} characters in project ${project}`,
    (name, { project }) => project.length + name.length <= longestName,
  ),
  rule(field('controlPlaneFailureTolerance'), oneOf(failureTolerances), (tolerance) =>
    failureTolerances.includes(tolerance),
  ),
  rule(
    ({ dnsConfig }) => (dnsConfig ? [['dnsConfig.domain', dnsConfig.domain]] : []),
    'a domain name',
    (domain) => dnsName.test(domain),
  ),
  rule(primaryDnsProviders, 'a list with at most one primary provider', (count) => count <= 1),
];

type Upgrade = { readonly config: GardenerConfig; readonly given: GardenerUpgradeInput };
const givenField =
  <Key extends keyof GardenerUpgradeInput>(name: Key) =>
  ({ given }: Upgrade) =>
    field(name)<NonNullable<GardenerUpgradeInput[Key]>>(given);
const notEmpty = (
  name: 'machineType' | 'kubernetesVersion' | 'diskType' | 'purpose',
  words: string,
): Rule<GardenerUpgradeInput> =>
  rule(field(name), { exactly: `empty ${words} provided` }, (value) => value !== '');

/** Of what was given, whatever the cluster is like. */
export const givenRules: readonly Rule<GardenerUpgradeInput>[] = [
  notEmpty('machineType', 'machine type'),
  notEmpty('kubernetesVersion', 'kubernetes version'),
  notEmpty('diskType', 'disk type'),
  notEmpty('purpose', 'purpose'),
  rule(field('kubernetesVersion'), 'a version such as 1.26.5', isVersion),
];

/** Of the change alone; what it leads to must keep the rules of clusters too. */
export const upgradeRules: readonly Rule<Upgrade>[] = [
  rule(
    givenField('kubernetesVersion'),
    ({ config }) => `${config.kubernetesVersion} or later: upgrade only`,
    (version, { config }) => !isLower(version, config.kubernetesVersion),
  ),
  rule(
    givenField('kubernetesVersion'),
    ({ config }) => `at most one minor version after ${config.kubernetesVersion}`,
    (version, { config }) => !skipsMinor(version, config.kubernetesVersion),
  ),
  rule(
    givenField('volumeSizeGB'),
    `at least ${smallestUpgradedVolume}`,
    (size, { config }) => size >= smallestUpgradedVolume || config.provider === 'openstack', // none at all
  ),
];

export const administratorRules: readonly Rule<readonly string[]>[] = [
  rule(
    (all) => all.map((id, index) => [`administrators[${index}]`, { id, index }] as const),
    { says: 'the same administrator is named twice' },
    ({ id, index }, all) => all.indexOf(id) === index,
  ),
];

const componentsOf = ({ components }: KymaConfigInput) => [
  ['kymaConfig.components', components.map(({ component }) => component)] as const,
];
export const kymaRules: readonly Rule<KymaConfigInput>[] = [
  rule(componentsOf, { exactly: 'Kyma components list is empty' }, (names) => names.length > 0),
  rule(
    componentsOf,
    { exactly: 'Kyma components list does not contain Compass Runtime Agent' },
    (names) => names.includes(agent),
  ),
];
