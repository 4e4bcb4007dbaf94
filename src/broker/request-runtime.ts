import type { RuntimeOperation } from '#clients';
import type { Instance } from './instance.ts';
import { administratorsOf } from './plans/cluster-access.ts';
import { gardenerConfig } from './plans/gardener-config.ts';
import type { Services } from './services.ts';
import { tenantOf } from './steps/runtime-of.ts';
import { planOf } from './steps/the-instance.ts';

/**
 * Asks the provisioner for the instance's runtime in the name of an operation. The same operation gets the same runtime,
 * however often it asks: never a second cluster.
 */
export function requestRuntime(
  services: Services,
  instance: Instance,
  { operationId, targetSecret }: { readonly operationId: string; readonly targetSecret: string },
  signal: AbortSignal,
): Promise<RuntimeOperation> {
  const { clients, settings } = services;
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
        },
      },
      clusterConfig: {
        gardenerConfig: cluster,
        administrators: administratorsOf(parameters, context.user_id),
      },
    },
    signal,
  );
}
