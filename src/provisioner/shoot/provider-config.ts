import type { Provider } from '../config/provider-input.ts';

/** Each provider's extension of Gardener has kinds of its own. */
export const providerConfig = <Config extends object>(
  provider: Provider,
  kind: 'InfrastructureConfig' | 'ControlPlaneConfig' | 'WorkerConfig',
  config: Config,
) => ({ apiVersion: `${provider}.provider.extensions.gardener.cloud/v1alpha1`, kind, ...config });
