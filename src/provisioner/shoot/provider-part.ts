import type { GardenerConfig } from '../config/gardener-config.ts';
import { awsPart } from './aws.ts';
import { azurePart } from './azure.ts';
import { gcpPart } from './gcp.ts';
import { openStackPart } from './openstack.ts';

/** What a Shoot says in the words of its provider. */
export type ProviderPart = {
  readonly cloudProfileName: string;
  /** The range of all nodes. */
  readonly nodes: string;
  /** Of the machines. */
  readonly zones: readonly string[] | undefined;
  readonly infrastructureConfig: InfrastructureConfig;
  readonly controlPlaneConfig: object;
  /** Of the machines, too. */
  readonly workerConfig?: object;
};
export type InfrastructureConfig = {
  readonly networks: { readonly zones?: readonly NetworkZone[]; readonly [other: string]: unknown };
};
export type NetworkZone = {
  readonly name: string | number;
  readonly natGateway?: object | undefined;
};

export function providerPart(config: GardenerConfig): ProviderPart {
  switch (config.provider) {
    case 'aws':
      return awsPart(config);
    case 'azure':
      return azurePart(config);
    case 'gcp':
      return gcpPart(config);
    case 'openstack':
      return openStackPart(config);
  }
}
