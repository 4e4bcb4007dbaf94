import { z } from 'zod';
import { KymaConfigInput } from './kyma-input.ts';
import { ProviderSpecificInput } from './provider-input.ts';

const text = z.string();
const name = z.string().min(1);
const flag = z.boolean();

export const OIDCConfigInput = z.strictObject({
  clientID: text,
  groupsClaim: text,
  issuerURL: text,
  signingAlgs: z.array(text),
  usernameClaim: text,
  usernamePrefix: text,
});
export const DNSProviderInput = z.strictObject({
  domainsInclude: z.array(name),
  primary: flag,
  secretName: name,
  type: name,
});
export const DNSConfigInput = z.strictObject({
  domain: name,
  providers: z.array(DNSProviderInput).optional(),
});

/** What may be changed later: all of it optional then. */
const changeable = {
  kubernetesVersion: text,
  machineType: text,
  diskType: text.optional(),
  volumeSizeGB: z.int().optional(),
  autoScalerMin: z.int(),
  autoScalerMax: z.int(),
  machineImage: text.optional(),
  machineImageVersion: text.optional(),
  maxSurge: z.int(),
  maxUnavailable: z.int(),
  purpose: text.optional(),
  enableKubernetesVersionAutoUpdate: flag.optional(),
  enableMachineImageVersionAutoUpdate: flag.optional(),
  providerSpecificConfig: ProviderSpecificInput,
  oidcConfig: OIDCConfigInput.optional(),
  exposureClassName: text.optional(),
  shootNetworkingFilterDisabled: flag.optional(),
};

/** What stays as long as the cluster lives. */
export const fixed = {
  /** Of the Shoot. */
  name,
  provider: name,
  /** Names a binding in Gardener: it is not the credential itself. */
  targetSecret: name,
  region: name,
  seed: text.optional(),
  workerCidr: name,
  podsCidr: text.optional(),
  servicesCidr: text.optional(),
  licenceType: text.optional(),
  dnsConfig: DNSConfigInput.optional(),
  controlPlaneFailureTolerance: text.optional(),
  euAccess: flag.optional(),
  /** Taken from older callers, without effect. */
  shootAndSeedSameRegion: flag.optional(),
};

export const GardenerConfigInput = z.strictObject({
  ...fixed,
  ...changeable,
  kubernetesVersion: name,
  machineType: name,
});
export const GardenerUpgradeInput = z.strictObject(changeable).partial();

export const RuntimeInput = z.strictObject({
  name,
  description: text.optional(),
  labels: z.record(z.string(), z.unknown()).optional(),
});
export const ClusterConfigInput = z.strictObject({
  gardenerConfig: GardenerConfigInput,
  /** Ids of users who become cluster administrators. */
  administrators: z.array(name).optional(),
});
export const ProvisionRuntimeInput = z.strictObject({
  runtimeInput: RuntimeInput,
  clusterConfig: ClusterConfigInput,
  kymaConfig: KymaConfigInput.optional(),
});
export const UpgradeShootInput = z.strictObject({
  gardenerConfig: GardenerUpgradeInput,
  /** Absent: those of before stay. */
  administrators: z.array(name).optional(),
});

export type OIDCConfigInput = z.infer<typeof OIDCConfigInput>;
export type DNSProviderInput = z.infer<typeof DNSProviderInput>;
export type DNSConfigInput = z.infer<typeof DNSConfigInput>;
export type GardenerConfigInput = z.infer<typeof GardenerConfigInput>;
export type GardenerUpgradeInput = z.infer<typeof GardenerUpgradeInput>;
export type RuntimeInput = z.infer<typeof RuntimeInput>;
export type ClusterConfigInput = z.infer<typeof ClusterConfigInput>;
export type ProvisionRuntimeInput = z.infer<typeof ProvisionRuntimeInput>;
export type UpgradeShootInput = z.infer<typeof UpgradeShootInput>;
