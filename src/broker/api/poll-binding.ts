import type { BindingFacts } from '../binding.ts';
import { Refusal } from '../errors.ts';
import { shortened } from '../plans/invalid-parameters.ts';
import type { Api, Handler } from './api.ts';
import { bindingOperations, isBindingOperation } from './binding-state.ts';
import { progressAnswer } from './poll-last-operation.ts';
import { queryValue } from './read-request.ts';

/**
 * `GET /v2/service_instances/:instance_id/service_bindings/:binding_id/last_operation`. Operations outlive their binding:
 * its end can be asked for however late.
 */
export const pollBinding =
  (api: Api): Handler =>
  async ({ instanceId, bindingId, query }) => {
    for (const hint of ['service_id', 'plan_id']) queryValue(query, hint);
    const asked = queryValue(query, 'operation');
    const facts: BindingFacts = { bindingId, instanceId };
    const all = await bindingOperations(api, facts);
    const [last] = all;
    if (!last)
      throw new Refusal('BINDING_UNKNOWN', `instance ${instanceId} has no binding ${bindingId}`);
    const operation = asked === undefined ? last : all.find(isNamed(asked));
    if (operation) return progressAnswer(api, operation);
    throw new Refusal(
      'OPERATION_UNKNOWN',
      `operation is ${shortened(asked)}: expected one that this broker has returned for binding ${bindingId}`,
    );
  };

/** Some platforms send the kind of operation instead of what they were given. */
const isNamed =
  (asked: string) =>
  ({ id, type }: { readonly id: string; readonly type: string }): boolean =>
    isBindingOperation(asked) ? type === asked : id === asked.toLowerCase();
