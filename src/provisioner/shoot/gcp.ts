import type { ConfigOf } from '../config/gardener-config.ts';
import { providerConfig } from './provider-config.ts';
import type { ProviderPart } from './provider-part.ts';

export function gcpPart({ workerCidr, providerSpecificConfig }: ConfigOf<'gcp'>): ProviderPart {
  const { zones } = providerSpecificConfig;
  return {
    cloudProfileName: 'gcp',
    nodes: workerCidr,
    zones,
    infrastructureConfig: providerConfig('gcp', 'InfrastructureConfig', {
      networks: { worker: workerCidr, workers: workerCidr },
    }),
    controlPlaneConfig: providerConfig('gcp', 'ControlPlaneConfig', { zone: zones[0] }),
  };
}
