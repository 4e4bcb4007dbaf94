import { Refusal } from '../errors.ts';
import type { Api, Handler } from './api.ts';
import { bindingBody } from './binding-body.ts';
import { findBinding } from './binding-state.ts';
import { queryValue } from './read-request.ts';

/** `GET /v2/service_instances/:instance_id/service_bindings/:binding_id`. */
export const fetchBinding =
  (api: Api): Handler =>
  async ({ instanceId, bindingId, query }) => {
    for (const hint of ['service_id', 'plan_id']) queryValue(query, hint);
    const found = await findBinding(api, { bindingId, instanceId });
    if (found?.state === 'ready') {
      const { binding } = found;
      return { status: 200, body: { ...bindingBody(binding), parameters: binding.parameters } };
    }
    const why = found ? whyNot[found.state] : 'does not exist';
    throw new Refusal('BINDING_UNKNOWN', `the binding ${bindingId} of ${instanceId} ${why}`);
  };

const whyNot = {
  creating: 'is being created',
  removing: 'is being removed',
  expired: 'has expired',
  broken: 'has failed',
} as const;
