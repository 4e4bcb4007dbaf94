import { z } from 'zod';
import { DNSConfigInput, OIDCConfigInput, type GardenerConfigInput } from './gardener-input.ts';
import { InvalidInput } from './invalid-input.ts';
import {
  AWSProviderConfigInput,
  AzureProviderConfigInput,
  GCPProviderConfigInput,
  OpenStackProviderConfigInput,
  type Provider,
} from './provider-input.ts';

const text = z.string();
const common = {
  name: text,
  kubernetesVersion: text,
  targetSecret: text,
  region: text,
  /** The wanted one, or later the one that Gardener chose. */
  seed: text.optional(),
  machineType: text,
  machineImage: text.optional(),
  machineImageVersion: text.optional(),
  diskType: text.optional(),
  volumeSizeGB: z.int().optional(),
  workerCidr: text,
  podsCidr: text.optional(),
  servicesCidr: text.optional(),
  autoScalerMin: z.int(),
  autoScalerMax: z.int(),
  maxSurge: z.int(),
  maxUnavailable: z.int(),
  purpose: text.optional(),
  licenceType: text.optional(),
  enableKubernetesVersionAutoUpdate: z.boolean(),
  enableMachineImageVersionAutoUpdate: z.boolean(),
  dnsConfig: DNSConfigInput.optional(),
  oidcConfig: OIDCConfigInput.optional(),
  exposureClassName: text.optional(),
  shootNetworkingFilterDisabled: z.boolean(),
  controlPlaneFailureTolerance: text.optional(),
  euAccess: z.boolean(),
};
const ofProvider = <Name extends Provider, Block extends z.ZodType>(name: Name, block: Block) =>
  z.object({ ...common, provider: z.literal(name), providerSpecificConfig: block });

/** What is stored for a runtime: always what was applied, or is being applied, to its Shoot. */
export const GardenerConfig = z.discriminatedUnion('provider', [
  ofProvider('aws', AWSProviderConfigInput.extend({ enableIMDSv2: z.boolean() })),
  ofProvider('azure', AzureProviderConfigInput.extend({ enableNatGateway: z.boolean() })),
  ofProvider('gcp', GCPProviderConfigInput),
  ofProvider(
    'openstack',
    OpenStackProviderConfigInput.extend({ floatingPoolName: text, cloudProfileName: text }),
  ),
]);
export type GardenerConfig = z.infer<typeof GardenerConfig>;
export type ConfigOf<Name extends Provider> = Extract<GardenerConfig, { provider: Name }>;

/** What an installation decides for callers who leave it open. */
export type ConfigDefaults = {
  readonly enableKubernetesVersionAutoUpdate: boolean;
  readonly enableMachineImageVersionAutoUpdate: boolean;
  readonly enableIMDSv2: boolean;
};

export const openStackDefaults = {
  floatingPoolName: 'FloatingIP-external-kyma-01',
  cloudProfileName: 'converged-cloud-kyma',
  exposureClassName: 'converged-cloud-internet',
} as const;
const natTimeoutMinutes = 4;

/** The input with everything that the caller left open. It must have passed the rules on the choice of the provider. */
export function gardenerConfigOf(
  input: GardenerConfigInput,
  defaults: ConfigDefaults,
): GardenerConfig {
  const { provider: named, providerSpecificConfig, ...rest } = input;
  const { shootAndSeedSameRegion: _withoutEffect, oidcConfig, ...given } = rest;
  const { gcpConfig, azureConfig, awsConfig, openStackConfig } = providerSpecificConfig;
  const base = {
    ...withoutEmpty(given),
    ...(oidcConfig && !isEmptyOidc(oidcConfig) && { oidcConfig }),
    enableKubernetesVersionAutoUpdate:
      given.enableKubernetesVersionAutoUpdate ?? defaults.enableKubernetesVersionAutoUpdate,
    enableMachineImageVersionAutoUpdate:
      given.enableMachineImageVersionAutoUpdate ?? defaults.enableMachineImageVersionAutoUpdate,
    shootNetworkingFilterDisabled: given.shootNetworkingFilterDisabled ?? true,
    euAccess: given.euAccess ?? false,
  };
  if (awsConfig) {
    const { enableIMDSv2 = defaults.enableIMDSv2, ...block } = awsConfig;
    return { ...base, provider: 'aws', providerSpecificConfig: { ...block, enableIMDSv2 } };
  }
  if (azureConfig)
    return { ...base, provider: 'azure', providerSpecificConfig: withNatDefaults(azureConfig) };
  if (gcpConfig) return { ...base, provider: 'gcp', providerSpecificConfig: gcpConfig };
  if (openStackConfig) {
    const { floatingPoolName, cloudProfileName, exposureClassName } = openStackDefaults;
    return {
      ...base,
      provider: 'openstack',
      exposureClassName: base.exposureClassName ?? exposureClassName,
      providerSpecificConfig: {
        ...openStackConfig,
        floatingPoolName: openStackConfig.floatingPoolName || floatingPoolName,
        cloudProfileName: openStackConfig.cloudProfileName || cloudProfileName,
      },
    };
  }
  throw new InvalidInput('providerSpecificConfig', `no block for provider ${named}`);
}

type AzureConfig = ConfigOf<'azure'>['providerSpecificConfig'];

export const isZoned = ({ zones = [], azureZones = [] }: AzureProviderConfigInput): boolean =>
  zones.length > 0 || azureZones.length > 0;

/** There is no gateway without a zone: none is made then, and none is on record. */
export function withNatDefaults(block: AzureProviderConfigInput): AzureConfig {
  const enableNatGateway = (block.enableNatGateway ?? false) && isZoned(block);
  if (!enableNatGateway) return { ...block, enableNatGateway };
  const { idleConnectionTimeoutMinutes = natTimeoutMinutes } = block;
  return { ...block, enableNatGateway, idleConnectionTimeoutMinutes };
}

/** This is how a status shows that there is none; it may come back to us. */
export const isEmptyOidc = ({ signingAlgs, ...texts }: OIDCConfigInput): boolean =>
  signingAlgs.length === 0 && Object.values(texts).every((each) => each === '');

/** An empty text is a text left out. */
export const withoutEmpty = <Members extends object>(members: Members): Members =>
  // Only optional members can be empty here: the schema refuses the others, or a rule does.
  Object.fromEntries(Object.entries(members).filter(([, value]) => value !== '')) as Members;
