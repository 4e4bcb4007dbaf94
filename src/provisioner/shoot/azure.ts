import { isZoned, type ConfigOf } from '../config/gardener-config.ts';
import { providerConfig } from './provider-config.ts';
import type { ProviderPart } from './provider-part.ts';

export function azurePart({ workerCidr, providerSpecificConfig }: ConfigOf<'azure'>): ProviderPart {
  const { vnetCidr, zones, azureZones } = providerSpecificConfig;
  const { enableNatGateway, idleConnectionTimeoutMinutes } = providerSpecificConfig;
  const gateway = enableNatGateway && {
    natGateway: { enabled: true, idleConnectionTimeoutMinutes },
  };
  const subnets = azureZones
    ? { zones: azureZones.map(({ name, cidr }) => ({ name, cidr, ...gateway })) }
    : { workers: workerCidr, ...gateway };
  return {
    cloudProfileName: 'az',
    nodes: vnetCidr,
    zones: azureZones?.map(({ name }) => String(name)) ?? zones,
    infrastructureConfig: providerConfig('azure', 'InfrastructureConfig', {
      networks: { vnet: { cidr: vnetCidr }, ...subnets },
      zoned: isZoned(providerSpecificConfig),
    }),
    controlPlaneConfig: providerConfig('azure', 'ControlPlaneConfig', {}),
  };
}
