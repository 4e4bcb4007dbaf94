import { inTransaction } from '#database';
import { Refusal } from '../errors.ts';
import type { Services } from '../services.ts';
import { carried, carry, lockOrchestration } from './change-orchestration.ts';
import { hasEnded, tellsCustomers } from './orchestration.ts';

export type RetryReport = {
  readonly orchestrationID: string;
  readonly retryShoots: readonly string[] | null;
  readonly oldOperations: readonly string[] | null;
  readonly invalidOperations: readonly string[] | null;
  readonly msg: string;
};

type Wanted = {
  /** All that have failed, if none is named. */
  readonly operationIds: readonly string[];
  /** Now; else in the windows that come, if it keeps to windows. */
  readonly immediate: boolean;
};

/** New attempts for runtimes whose upgrade has failed. Those that failed stay on record. */
export async function retryOrchestration(
  services: Pick<Services, 'database' | 'fleet'>,
  id: string,
  { operationIds, immediate }: Wanted,
): Promise<RetryReport> {
  const { database, fleet } = services;
  const { report, carrier } = await inTransaction(database, async (db) => {
    const { state, description, parameters } = await lockOrchestration(services, id, db);
    if (state === 'canceling' || state === 'canceled')
      throw new Refusal('NOT_POSSIBLE_NOW', `the orchestration ${id} is ${state}`);
    await fleet.upgrades.settle(db, id);
    const failed = await fleet.upgrades.failed(db, id, operationIds);
    const known = new Set(failed.map(({ operationId }) => operationId));
    // While it goes on, an upgrade that came later is one of its own.
    const old = hasEnded(state) ? failed.filter(({ isOld }) => isOld) : [];
    const valid = failed.filter((each) => !old.includes(each));
    const ids = valid.map(({ operationId }) => operationId);
    const found = {
      orchestrationID: id,
      retryShoots: listed(valid.map(({ shootName }) => shootName)),
      oldOperations: listed(old.map(({ operationId }) => operationId)),
      invalidOperations: listed(operationIds.filter((each) => !known.has(each))),
    };
    if (ids.length === 0) {
      const msg = `No valid operations to retry for orchestration ${id}`;
      return { report: { ...found, msg }, carrier: undefined };
    }
    const notification = tellsCustomers(parameters);
    await fleet.upgrades.retry(db, ids, { immediate, notification });
    await fleet.orchestrations.change(db, id, {
      state: hasEnded(state) ? 'retrying' : state,
      description: hasEnded(state)
        ? `${description}, retrying`
        : `${description}, retried ${ids.length} operations`,
      parameters: { ...parameters, retryoperation: { retryoperations: ids, immediate } },
    });
    // What has ended may still be about to say so: another one comes behind it.
    const carrier = await (hasEnded(state) ? carry : carried)(services, id, db);
    return { report: { ...found, msg: 'retry operations are queued for processing' }, carrier };
  });
  if (carrier !== undefined) await fleet.engine.wake(carrier);
  return report;
}

const listed = (all: readonly string[]) => (all.length > 0 ? all : null);
