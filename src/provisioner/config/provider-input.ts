import { z } from 'zod';

const name = z.string().min(1);

export const GCPProviderConfigInput = z.strictObject({ zones: z.array(name) });

export const AzureZoneInput = z.strictObject({ name: z.int(), cidr: z.string() });
export const AzureProviderConfigInput = z.strictObject({
  vnetCidr: z.string(),
  /** One subnet for all zones. */
  zones: z.array(name).optional(),
  /** One subnet, and one NAT gateway, for each. */
  azureZones: z.array(AzureZoneInput).optional(),
  enableNatGateway: z.boolean().optional(),
  idleConnectionTimeoutMinutes: z.int().optional(),
});

export const AWSZoneInput = z.strictObject({
  name,
  publicCidr: z.string(),
  internalCidr: z.string(),
  workerCidr: z.string(),
});
export const AWSProviderConfigInput = z.strictObject({
  vpcCidr: z.string(),
  awsZones: z.array(AWSZoneInput),
  enableIMDSv2: z.boolean().optional(),
});

export const OpenStackProviderConfigInput = z.strictObject({
  zones: z.array(name),
  floatingPoolName: z.string().optional(),
  cloudProfileName: z.string().optional(),
  loadBalancerProvider: name,
});

export const ProviderSpecificInput = z.strictObject({
  gcpConfig: GCPProviderConfigInput.optional(),
  azureConfig: AzureProviderConfigInput.optional(),
  awsConfig: AWSProviderConfigInput.optional(),
  openStackConfig: OpenStackProviderConfigInput.optional(),
});

export type GCPProviderConfigInput = z.infer<typeof GCPProviderConfigInput>;
export type AzureZoneInput = z.infer<typeof AzureZoneInput>;
export type AzureProviderConfigInput = z.infer<typeof AzureProviderConfigInput>;
export type AWSZoneInput = z.infer<typeof AWSZoneInput>;
export type AWSProviderConfigInput = z.infer<typeof AWSProviderConfigInput>;
export type OpenStackProviderConfigInput = z.infer<typeof OpenStackProviderConfigInput>;
export type ProviderSpecificInput = z.infer<typeof ProviderSpecificInput>;

/** Which block belongs to which provider. */
export const blocks = {
  aws: 'awsConfig',
  azure: 'azureConfig',
  gcp: 'gcpConfig',
  openstack: 'openStackConfig',
} as const satisfies Record<string, keyof ProviderSpecificInput>;
export type Provider = keyof typeof blocks;
export const providers = Object.keys(blocks) as Provider[]; // the table has these keys and no other

export const isProvider = (name: string): name is Provider => Object.hasOwn(blocks, name);

/** The blocks that were given, by their names. */
export const blocksIn = (input: ProviderSpecificInput): string[] =>
  Object.entries(input).flatMap(([block, given]) => (given ? [block] : []));
