import type { ConfigOf } from '../config/gardener-config.ts';
import { providerConfig } from './provider-config.ts';
import type { ProviderPart } from './provider-part.ts';

export function openStackPart(config: ConfigOf<'openstack'>): ProviderPart {
  const { workerCidr, providerSpecificConfig } = config;
  const { zones, floatingPoolName, cloudProfileName, loadBalancerProvider } =
    providerSpecificConfig;
  return {
    cloudProfileName,
    nodes: workerCidr,
    zones,
    infrastructureConfig: providerConfig('openstack', 'InfrastructureConfig', {
      floatingPoolName,
      networks: { worker: '', workers: workerCidr },
    }),
    controlPlaneConfig: providerConfig('openstack', 'ControlPlaneConfig', { loadBalancerProvider }),
  };
}
