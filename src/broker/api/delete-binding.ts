import { inTransaction } from '#database';
import type { BindingFacts } from '../binding.ts';
import { Refusal } from '../errors.ts';
import { startUnbinding, stopUnbinding } from '../start-unbinding.ts';
import type { Api, Handler } from './api.ts';
import { bindingOperations } from './binding-state.ts';
import { endedSoon } from './ended-soon.ts';
import { acceptsIncomplete, asyncRequired, mandatoryQueryValue } from './read-request.ts';

/**
 * `DELETE /v2/service_instances/:instance_id/service_bindings/:binding_id`. Comes at any time, also for what is half made:
 * that is how platforms clean up. So the ids of service and plan are not compared with the binding's.
 */
export const deleteBinding =
  (api: Api): Handler =>
  async ({ instanceId, bindingId, query }) => {
    for (const name of ['service_id', 'plan_id']) mandatoryQueryValue(query, name);
    const isPatient = acceptsIncomplete(query);
    const facts: BindingFacts = { bindingId, instanceId };
    const started = await inTransaction(api.database, (db) => startUnbinding(api, facts, db));
    const operation = started ?? (await justEnding(api, facts));
    if (!operation)
      throw new Refusal('BINDING_GONE', `instance ${instanceId} has no binding ${bindingId}`);
    if (isPatient) return { status: 202, body: { operation: operation.id } };

    const ended = await endedSoon(api.engine, operation.id, api.api.bindings.waitAtMost);
    if (ended?.state === 'succeeded') return { status: 200, body: {} };
    if (!ended) {
      await stopUnbinding(api, operation);
      throw asyncRequired('the runtime cannot be entered at once');
    }
    throw new Refusal(
      'RUNTIME_FAILED',
      `binding ${bindingId} is still there: ${ended.description}`,
    );
  };

/** The row goes in the last step, a moment before the operation has ended. */
async function justEnding(api: Api, facts: BindingFacts) {
  const [last] = await bindingOperations(api, facts);
  return last?.type === 'unbind' && last.ended_at === null ? last : undefined;
}
