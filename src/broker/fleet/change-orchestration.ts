import type { PoolClient } from 'pg';
import { inTransaction } from '#database';
import { Refusal } from '../errors.ts';
import type { Services } from '../services.ts';
import { hasEnded, subjectOf, type Orchestration } from './orchestration.ts';
import type { NewOrchestration } from './orchestrations-table.ts';
import { standingOf } from './progress.ts';

type Starting = Pick<Services, 'database' | 'fleet'>;

/** From now on it is carried out, whatever dies. */
export const startOrchestration = (
  { database, fleet }: Starting,
  orchestration: NewOrchestration,
): Promise<void> =>
  inTransaction(database, async (db) => {
    await fleet.orchestrations.insert(db, orchestration);
    await carry({ fleet }, orchestration.id, db);
  });

/** Nothing more begins; what has begun may end. */
export const cancelOrchestration = (services: Starting, id: string): Promise<void> =>
  changed(services, id, async ({ state }, db) => {
    if (hasEnded(state) || state === 'canceling') return;
    const description = 'Orchestration was canceled';
    await services.fleet.orchestrations.change(db, id, { state: 'canceling', description });
  });

export const pauseOrchestration = (
  services: Starting,
  id: string,
  pausedBecause: string,
): Promise<void> =>
  changed(services, id, async ({ state }, db) => {
    if (state === 'paused') return;
    if (hasEnded(state) || state === 'canceling') throw notNow(`the orchestration is ${state}`);
    await services.fleet.orchestrations.change(db, id, { state: 'paused', pausedBecause });
  });

/** Whoever lets it go on knows of the failures so far: they do not halt it again. */
export const resumeOrchestration = (services: Starting, id: string): Promise<void> =>
  changed(services, id, async ({ state, begunAt }, db) => {
    if (hasEnded(state) || state === 'canceling') throw notNow(`the orchestration is ${state}`);
    if (state !== 'paused') return;
    const { orchestrations, upgrades } = services.fleet;
    await upgrades.settle(db, id);
    const { failed: forgiven } = standingOf(await upgrades.counts(db, id));
    await orchestrations.change(db, id, { state: begunAt ? 'in progress' : 'pending', forgiven });
  });

/** Somebody carries it, and looks at it at once. */
async function changed(
  services: Starting,
  id: string,
  change: (orchestration: Orchestration, db: PoolClient) => Promise<void>,
): Promise<void> {
  const { database, fleet } = services;
  const operationId = await inTransaction(database, async (db) => {
    const orchestration = await lockOrchestration(services, id, db);
    await change(orchestration, db);
    const current = await fleet.orchestrations.get(db, id);
    return current && !hasEnded(current.state) ? carried(services, id, db) : undefined;
  });
  if (operationId !== undefined) await fleet.engine.wake(operationId);
}

export async function lockOrchestration(
  { fleet }: Pick<Services, 'fleet'>,
  id: string,
  db: PoolClient,
): Promise<Orchestration> {
  const found = isId(id) ? await fleet.orchestrations.lock(db, id) : undefined;
  if (!found) throw unknown(id);
  return found;
}

/** The operation that carries it: the one that does, or a new one if that has come to an end of its own. */
export async function carried(
  services: Pick<Services, 'fleet'>,
  id: string,
  db: PoolClient,
): Promise<string> {
  const [last] = await services.fleet.engine.ofSubject(subjectOf(id), 1, db);
  return last && last.ended_at === null ? last.id : carry(services, id, db);
}

export async function carry(
  { fleet }: Pick<Services, 'fleet'>,
  orchestrationId: string,
  db: PoolClient,
): Promise<string> {
  const input = { orchestrationId };
  const { id } = await fleet.engine.start('orchestration', subjectOf(orchestrationId), input, {
    db,
  });
  return id;
}

export const isId = (text: string): boolean =>
  /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text);

export const unknown = (id: string) =>
  new Refusal('ORCHESTRATION_UNKNOWN', `there is no orchestration ${id}`);

const notNow = (message: string) => new Refusal('NOT_POSSIBLE_NOW', message);
