import { refuse } from './refusal.ts';
import type {
  GardenerInput,
  GardenerUpgrade,
  KymaInput,
  ProviderSpecificInput,
  RuntimeInput,
  Zone,
} from './runtime-config.ts';

const no = (message: string) => refuse('bad request', message);

/** What the provisioner holds against a new runtime; everything else it leaves to Gardener. */
export function checkProvisioning({ clusterConfig, kymaConfig }: RuntimeInput): void {
  const wrong = (what: string, why: string) =>
    no(`${what} config validation error while starting Runtime provisioning, error: ${why}`);
  const { gardenerConfig } = clusterConfig;
  const { provider, machineImage, machineImageVersion, diskType, volumeSizeGB } = gardenerConfig;
  if (kymaConfig) {
    const complaint = complaintAbout(kymaConfig);
    if (complaint) throw wrong('Kyma', complaint);
  }
  if (machineImageVersion && !machineImage)
    throw wrong('Cluster', 'Machine Image Version passed while Machine Image is empty');
  if (provider.toLowerCase() === 'openstack' && (diskType || volumeSizeGB))
    throw wrong(
      'Cluster',
      'OpenStack mutation does not accept diskType or volumeSizeGb parameters',
    );
}

/** Checked later than the rest: after the tenant. */
export function checkProvider(config: ProviderSpecificInput): void {
  if (!Object.values(config).some(Boolean)) throw no('provider config not specified');
}

export function checkKymaUpgrade(kymaConfig: KymaInput): void {
  const complaint = complaintAbout(kymaConfig);
  if (complaint) throw no(`validation error while starting Runtime upgrade, error: ${complaint}`);
}

function complaintAbout({ components }: KymaInput): string | undefined {
  if (components.length === 0) return 'Kyma components list is empty';
  if (!components.some((each) => each?.component === 'compass-runtime-agent'))
    return 'Kyma components list does not contain Compass Runtime Agent';
  return undefined;
}

export function checkUpgrade(upgrade: GardenerUpgrade): void {
  for (const [member, name] of [
    ['machineType', 'machine type'],
    ['kubernetesVersion', 'kubernetes version'],
    ['diskType', 'disk type'],
    ['purpose', 'purpose'],
  ] as const) {
    if (upgrade[member] === '') throw no(`empty ${name} provided`);
  }
}

const cannot = (what: string) => no(`Invalid gardener provider config change, ${what}`);
const networks = [
  ['cidr', 'zone CIDR'],
  ['workerCidr', 'zone workers CIDR'],
  ['internalCidr', 'zone internal CIDR'],
  ['publicCidr', 'zone internal CIDR'], // the real one says so, too
] as const;

/** Zones of a cluster stay as they are: a part of them may be given, but no new one, and no other network. */
export function checkZones(current: GardenerInput, { providerSpecificConfig }: GardenerUpgrade) {
  const known = zonesOf(current.providerSpecificConfig);
  for (const zone of zonesOf(providerSpecificConfig ?? {})) {
    const same = known.find(({ name }) => name === zone.name);
    if (!same) throw cannot('extension of shoot network zones is not supported');
    for (const [network, name] of networks) {
      const [from, to] = [same[network], zone[network]];
      if (from !== to) throw cannot(`cannot change shoot network ${name} from ${from} to ${to}`);
    }
  }
}

const zonesOf = ({ azureConfig, awsConfig }: ProviderSpecificInput): readonly Zone[] =>
  [...(azureConfig?.azureZones ?? []), ...(awsConfig?.awsZones ?? [])].filter(
    (zone) => zone !== null,
  );
