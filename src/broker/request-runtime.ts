import type { KymaConfigInput, RuntimeOperation } from '#clients';
import type { Instance } from './instance.ts';
import { administratorsOf } from './plans/cluster-access.ts';
import { gardenerConfig } from './plans/gardener-config.ts';
import type { Services } from './services.ts';
import { tenantOf } from './steps/runtime-of.ts';
import { planOf } from './steps/the-instance.ts';

export type RuntimeRequest = {
  readonly operationId: string;
  readonly targetSecret: string;
  /** Besides those that every runtime has. */
  readonly labels?: Readonly<Record<string, string>>;
  /** Kyma 1.x, for the provisioner to install; without it the runtime is a cluster alone. */
  readonly kymaConfig?: KymaConfigInput;
};

/**
 * Asks the provisioner for the instance's runtime in the name of an operation. The same operation gets the same runtime,
 * however often it asks: never a second cluster.
 */
export function requestRuntime(
  services: Services,
  instance: Instance,
  request: RuntimeRequest,
  signal: AbortSignal,
): Promise<RuntimeOperation> {
  const { clients, settings } = services;
  const { operationId, targetSecret, labels, kymaConfig } = request;
  const { context, parameters, platform, shootName, shootDomain, details } = instance;
  const cluster = gardenerConfig(
    planOf(services, instance),
    {
      parameters,
      platform,
      seed: instance.id,
      ...(context.license_type !== undefined && { licenseType: context.license_type }),
      shootName,
      targetSecret,
      ...(settings.dns && { dns: { ...settings.dns, domain: shootDomain } }),
    },
    settings.cluster,
  );
  return clients.provisioner.provisionRuntime(
    { tenant: tenantOf(instance), subaccount: instance.subaccount, operationId },
    {
      runtimeInput: {
        name: details.clusterName ?? parameters.name,
        labels: {
          broker_instance_id: instance.id,
          global_subaccount_id: instance.subaccount,
          operator_grafanaUrl: `https://grafana.${shootDomain}`,
          ...labels,
        },
      },
      clusterConfig: {
        gardenerConfig: cluster,
        administrators: administratorsOf(parameters, context.user_id),
      },
      ...(kymaConfig && { kymaConfig }),
    },
    signal,
  );
}
