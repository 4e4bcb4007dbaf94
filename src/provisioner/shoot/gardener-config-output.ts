import type { GardenerConfig } from '../config/gardener-config.ts';
import type { DNSConfigInput, OIDCConfigInput } from '../config/gardener-input.ts';
import type { AWSZoneInput, AzureZoneInput, Provider } from '../config/provider-input.ts';
import { noOidc } from './oidc.ts';

type Shared = Omit<GardenerConfig, 'providerSpecificConfig' | 'oidcConfig' | 'dnsConfig'>;

/** The type GardenerConfig of the schema. Members that are left out are null there. */
export type GardenerConfigOutput = Shared & {
  readonly provider: Provider;
  readonly providerSpecificConfig: ProviderSpecificConfigOutput;
  /** Never null: callers look into it without asking. */
  readonly oidcConfig: OIDCConfigInput;
  readonly dnsConfig?: Required<DNSConfigInput>;
};
export type ProviderSpecificConfigOutput =
  | { readonly __typename: 'GCPProviderConfig'; readonly zones: readonly string[] }
  | {
      readonly __typename: 'AzureProviderConfig';
      readonly vnetCidr: string;
      readonly zones?: readonly string[] | undefined;
      readonly azureZones?: readonly AzureZoneInput[] | undefined;
      readonly enableNatGateway: boolean;
      readonly idleConnectionTimeoutMinutes?: number | undefined;
    }
  | {
      readonly __typename: 'AWSProviderConfig';
      readonly awsZones: readonly AWSZoneInput[];
      readonly vpcCidr: string;
      readonly enableIMDSv2: boolean;
    }
  | {
      readonly __typename: 'OpenStackProviderConfig';
      readonly zones: readonly string[];
      readonly floatingPoolName: string;
      readonly cloudProfileName: string;
      readonly loadBalancerProvider: string;
    };

/** For the newest, give it what `seenConfig` says of the Shoot. */
export function gardenerConfigOutput(config: GardenerConfig): GardenerConfigOutput {
  const { providerSpecificConfig: _block, oidcConfig = noOidc, dnsConfig, ...shared } = config;
  return {
    ...shared,
    providerSpecificConfig: providerOutput(config),
    oidcConfig,
    ...(dnsConfig && {
      dnsConfig: { domain: dnsConfig.domain, providers: dnsConfig.providers ?? [] },
    }),
  };
}

function providerOutput(config: GardenerConfig): ProviderSpecificConfigOutput {
  switch (config.provider) {
    case 'aws':
      return { __typename: 'AWSProviderConfig', ...config.providerSpecificConfig };
    case 'azure':
      return { __typename: 'AzureProviderConfig', ...config.providerSpecificConfig };
    case 'gcp':
      return { __typename: 'GCPProviderConfig', ...config.providerSpecificConfig };
    case 'openstack':
      return { __typename: 'OpenStackProviderConfig', ...config.providerSpecificConfig };
  }
}
