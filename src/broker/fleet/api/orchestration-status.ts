import { inSnapshot } from '#database';
import type { StoredOperation } from '#engine';
import type { Api } from '../../api/api.ts';
import { isId, unknown } from '../change-orchestration.ts';
import { hasEnded, subjectOf, type Orchestration } from '../orchestration.ts';
import type { Queryable } from '../orchestrations-table.ts';
import { standingOf, type Progress } from '../progress.ts';
import { countUpgrades, groupFailures } from '../upgrade-views.ts';

type Counts = NonNullable<ReturnType<Awaited<ReturnType<typeof countUpgrades>>['get']>>;

/** Orchestrations as people see them; read in the snapshot in which they were found. */
export async function statusesOf(
  api: Api,
  all: readonly Orchestration[],
  db: Queryable,
): Promise<object[]> {
  const counts = await countUpgrades(
    db,
    all.map(({ id }) => id),
  );
  const carriers = await api.engine.lastOf(
    all.map(({ id }) => subjectOf(id)),
    ['orchestration'],
    db,
  );
  const bySubject = new Map(carriers.map((each) => [each.subject, each]));
  return all.map((each) =>
    statusOf(api, each, counts.get(each.id) ?? [], bySubject.get(subjectOf(each.id))),
  );
}

/** One of them, with all that there is to say. */
export const fullStatus = (api: Api, id: string): Promise<object> =>
  inSnapshot(api.database, async (db) => {
    const found = await theOrchestration(api, id, db);
    const counts = (await countUpgrades(db, [id])).get(id) ?? [];
    const [carrier] = await api.engine.lastOf([subjectOf(id)], ['orchestration'], db);
    const status = statusOf(api, found, counts, carrier);
    return { ...status, operationStats: statsOf(counts), report: await reportOf(id, counts, db) };
  });

export async function theOrchestration(
  { fleet, database }: Pick<Api, 'fleet' | 'database'>,
  id: string,
  db: Queryable = database.pool,
): Promise<Orchestration> {
  const found = isId(id) ? await fleet.orchestrations.get(db, id) : undefined;
  if (!found) throw unknown(id);
  return found;
}

function statusOf(
  { engine }: Api,
  orchestration: Orchestration,
  counts: Counts,
  carrier: StoredOperation | undefined,
) {
  const { id, type, createdAt, updatedAt, parameters, pausedBecause } = orchestration;
  return {
    orchestrationID: id,
    type,
    ...stateOf(orchestration, carrier),
    createdAt,
    updatedAt,
    parameters,
    progress: progressOf(counts),
    ...(pausedBecause !== undefined && { pausedBecause }),
    ...(carrier && { explanation: engine.explain(carrier), operationID: carrier.id }),
  };
}

/** One that nobody carries any more, because an operator or a bug has ended that, has failed. */
function stateOf(
  { state, description }: Orchestration,
  carrier: StoredOperation | undefined,
): { readonly state: string; readonly description: string } {
  if (hasEnded(state) || !carrier || carrier.ended_at === null) return { state, description };
  return { state: 'failed', description: `its processing has ended: ${carrier.description}` };
}

function progressOf(counts: Counts): Progress {
  const { total, pending, inProgress, succeeded, failed, canceled, wave, waves } =
    standingOf(counts);
  return { total, pending, inProgress, succeeded, failed, canceled, wave, waves };
}

/** How many there are in each state; of failed ones those that no other attempt has followed. */
function statsOf(counts: Counts): Record<string, number> {
  const stats: Record<string, number> = {
    pending: 0,
    'in progress': 0,
    retrying: 0,
    succeeded: 0,
    failed: 0,
    canceled: 0,
  };
  for (const { state, isRetry, superseded, count } of counts) {
    const shown = state === 'pending' && isRetry ? 'retrying' : state;
    if (!superseded) stats[shown] = (stats[shown] ?? 0) + count;
  }
  return stats;
}

async function reportOf(id: string, counts: Counts, db: Queryable) {
  const waves = [...new Set(counts.map(({ wave }) => wave))].toSorted((a, b) => a - b);
  const { total } = standingOf(counts);
  const untouched = counts
    .filter(({ state, isRetry }) => !isRetry && (state === 'pending' || state === 'canceled'))
    .reduce((sum, { count }) => sum + count, 0);
  return {
    touched: total - untouched,
    untouched,
    failures: await groupFailures(db, id),
    waves: waves.map((wave) => {
      const {
        total: runtimes,
        pending,
        inProgress,
        succeeded,
        failed,
        canceled,
      } = standingOf(counts.filter((each) => each.wave === wave));
      return { wave, total: runtimes, pending, inProgress, succeeded, failed, canceled };
    }),
  };
}
