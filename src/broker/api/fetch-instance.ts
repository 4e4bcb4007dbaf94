import { Refusal } from '../errors.ts';
import type { Instance } from '../instance.ts';
import type { Answer, Api, Handler } from './api.ts';
import { findInstance } from './instance-state.ts';
import { detailedMetadataOf } from './labels.ts';
import { queryValue } from './read-request.ts';

/** `GET /v2/service_instances/:instance_id`. */
export const fetchInstance =
  (api: Api): Handler =>
  async ({ instanceId: id, query }) => {
    for (const hint of ['service_id', 'plan_id']) queryValue(query, hint);
    const found = await findInstance(api, id);
    if (!found || found.state === 'remains') throw unknown(`there is no instance ${id}`);
    switch (found.state) {
      case 'provisioning':
        throw unknown(`provisioning of instanceID ${id} in progress`);
      case 'provision failed':
        throw unknown(`provisioning of instanceID ${id} failed`);
      case 'updating':
        throw new Refusal('OPERATION_IN_PROGRESS', `the instance ${id} is being updated`);
      case 'deprovisioning':
        throw new Refusal('OPERATION_IN_PROGRESS', `the instance ${id} is being deprovisioned`);
      case 'suspending':
        throw new Refusal('OPERATION_IN_PROGRESS', `the instance ${id} is being suspended`);
      case 'unsuspending':
        throw new Refusal('OPERATION_IN_PROGRESS', `the instance ${id} is being unsuspended`);
      case 'suspended':
      case 'ready':
      case 'deprovision failed':
        return shown(api, found.instance, { isSuspended: found.state === 'suspended' });
    }
  };

const unknown = (message: string) => new Refusal('INSTANCE_UNKNOWN', message);

/** The order as the original shows it, without what is secret in it. */
function shown({ api }: Api, instance: Instance, how: { readonly isSuspended: boolean }): Answer {
  const { serviceId: service_id, planId: plan_id, platform } = instance;
  const { sm_operator_credentials: _, ...ers_context } = instance.context;
  const { kubeconfig: __, ...parameters } = instance.parameters;
  return {
    status: 200,
    body: {
      service_id,
      plan_id,
      dashboard_url: instance.dashboardUrl,
      ...(instance.maintenanceVersion !== undefined && {
        maintenance_info: { version: instance.maintenanceVersion },
      }),
      parameters: {
        plan_id,
        service_id,
        ers_context,
        parameters,
        platform_region: platform.region,
        platform_provider: platform.provider,
      },
      metadata: detailedMetadataOf(api, instance, new Date(), how),
    },
  };
}
