import { inTransaction } from '#database';
import type { StoredOperation } from '#engine';
import { Refusal } from '../errors.ts';
import { startDeprovisioning } from '../start-deprovisioning.ts';
import type { Api, Handler } from './api.ts';
import { lastOperation } from './instance-state.ts';
import { mandatoryQueryValue, requireAsync } from './read-request.ts';

/**
 * `DELETE /v2/service_instances/:instance_id`. Comes at any time, also for what is half made or has failed: that is how
 * platforms clean up. So nothing stands in its way, and the ids of service and plan are not compared with the instance's.
 */
export const deprovisionInstance =
  (api: Api): Handler =>
  async ({ instanceId, query, userAgent }) => {
    for (const name of ['service_id', 'plan_id']) mandatoryQueryValue(query, name);
    requireAsync(query);
    const started = await inTransaction(api.database, (db) =>
      startDeprovisioning(api, { instanceId, userAgent }, db),
    );
    const operation = started ?? (await justEnding(api, instanceId));
    if (operation) return { status: 202, body: { operation: operation.id } };
    throw new Refusal('INSTANCE_GONE', `there is no instance ${instanceId}`);
  };

/** The row goes in the last step, a moment before the operation has ended. */
async function justEnding(api: Api, id: string): Promise<StoredOperation | undefined> {
  const last = await lastOperation(api, id);
  return last?.type === 'deprovision' && last.ended_at === null ? last : undefined;
}
