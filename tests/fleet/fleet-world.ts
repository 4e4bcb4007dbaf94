// A broker with runtimes by the dozen, for stories about orchestrations.
import assert from 'node:assert/strict';
import { setTimeout as pause } from 'node:timers/promises';
import type { StoredOperation } from '#engine';
import { days, hours, type Milliseconds } from '#time';
import { startApi, type ApiWorldOptions } from '../../src/broker/api/testing.ts';
import { plantRuntimes } from './plant-runtimes.ts';
import { seedInstances, type Seed } from './seed-instances.ts';

export type FleetWorld = Awaited<ReturnType<typeof startFleet>>;

export type Status = {
  readonly orchestrationID: string;
  readonly operationID: string;
  readonly state: string;
  readonly description: string;
  readonly pausedBecause?: string;
  readonly parameters: { readonly strategy: Record<string, unknown> };
  readonly progress: Readonly<Record<string, number>>;
  readonly operationStats: Readonly<Record<string, number>>;
  readonly explanation: { readonly summary: string; readonly because?: string };
  readonly report: {
    readonly touched: number;
    readonly untouched: number;
    readonly failures: readonly {
      readonly count: number;
      readonly step: string;
      readonly message: string;
      readonly runtimes: readonly string[];
    }[];
  };
};

export type Item = {
  readonly operationID: string;
  readonly instanceID: string;
  readonly state: string;
  readonly description: string;
  readonly wave: number;
  readonly attempt: number;
  readonly notificationState: string;
  readonly maintenanceWindowBegin?: string;
  readonly maintenanceWindowEnd?: string;
  readonly because?: string;
};

export type { Seed };

export const { signal } = new AbortController();

/** Upgrades run as customers get them; what they do not need is switched off. */
export async function startFleet(options: ApiWorldOptions = {}) {
  const world = await startApi({ withRealSteps: true, off: ['edp', 'ias', 'avs'], ...options });

  const orchestrate = async (what: 'kyma' | 'cluster', body: object): Promise<string> => {
    const { status, body: answer, text } = await world.call('POST', `/upgrade/${what}`, { body });
    assert.equal(status, 202, text);
    return String(answer['orchestrationID']);
  };
  const status = async (id: string): Promise<Status> => {
    const { body, status: code, text } = await world.call('GET', `/orchestrations/${id}`);
    assert.equal(code, 200, text);
    return body as unknown as Status; // as the API answers
  };
  const operations = async (id: string, query = ''): Promise<Item[]> => {
    const { body } = await world.call('GET', `/orchestrations/${id}/operations${query}`);
    return body['data'] as Item[]; // likewise
  };
  const put = (id: string, what: string) => world.call('PUT', `/orchestrations/${id}/${what}`);
  const retry = (id: string, fields: readonly (readonly [string, string])[] = []) =>
    world.call('POST', `/orchestrations/${id}/retry`, {
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams(fields.map(([name, value]) => [name, value])).toString(),
    });

  /** Lets time pass until it has ended, or rests and `isEnough` says so. */
  const pass = async (
    id: string,
    isEnough: (operation: StoredOperation) => boolean = () => false,
  ): Promise<StoredOperation> => {
    const start = world.clock.offset;
    for (;;) {
      // In this order: while everybody rests, what is read next is what they rest with.
      const rest = await restOf(world);
      const found = (await world.engine.get(id)) ?? assert.fail(`there is no operation ${id}`);
      if (world.clock.offset - start > days(2)) assert.fail(`in vain: ${found.because}`);
      if (found.ended_at !== null) return found;
      const { activity } = world.engine.explain(found);
      if (activity === 'waiting' && isEnough(found)) return found;
      await sitOut(world, rest);
    }
  };
  /** Lets time pass until it waits for something like that. */
  const until = async (id: string, because: RegExp): Promise<Status> => {
    const { operationID } = await status(id);
    await pass(operationID, (each) => because.test(each.because ?? ''));
    const found = await status(id);
    assert.match(found.explanation.because ?? '', because, JSON.stringify(found));
    return found;
  };
  /** Lets time pass until it has ended. */
  const ended = async (id: string): Promise<Status> => {
    await pass((await status(id)).operationID);
    return status(id);
  };
  /** The clock shows that time, and the orchestration looks. */
  const jump = async (id: string, to: Date): Promise<void> => {
    const now = await world.services.fleet.orchestrations.now(world.database.pool);
    world.advance(to.getTime() - now.getTime());
    await world.engine.wake((await status(id)).operationID);
  };

  return { ...world, pass, orchestrate, status, operations, put, retry, until, ended, jump };
}

type Passing = Pick<Awaited<ReturnType<typeof startApi>>, 'database' | 'clock' | 'advance'>;

/**
 * How long it is until the next operation falls due; undefined while somebody works, for what takes long here takes no time
 * there. One that is due in years is about to change hands.
 */
async function restOf({ database, clock }: Passing): Promise<Milliseconds | undefined> {
  const now = `now() + ${clock.offset} * interval '1 millisecond'`;
  const { rows } = await database.pool.query<{ busy: boolean; next: number | null }>(
    `select coalesce(bool_or(claimed_by is not null or due_at <= ${now}), false) as busy,
            (extract(epoch from min(due_at) - (${now})) * 1000)::float8 as next
       from operations where due_at < ${now} + interval '1 year'`,
  );
  const { busy, next } = rows[0] ?? assert.fail();
  return busy || next === null ? undefined : Math.max(1, next);
}

async function sitOut({ advance }: Passing, rest: Milliseconds | undefined): Promise<void> {
  if (rest === undefined) await pause(3);
  else advance(rest);
}

/** Until the next operation falls due; but only when nobody works. */
export const timePasses = async (world: Passing): Promise<void> =>
  sitOut(world, await restOf(world));

export const seed = ({ database }: FleetWorld, seeds: readonly Seed[]): Promise<string[]> =>
  seedInstances(database.pool, seeds);

/** The same, with clusters: those of these instances, or so many new ones. */
export async function withRuntimes(
  world: FleetWorld,
  which: readonly string[] | number,
  more: Seed = {},
): Promise<string[]> {
  const ids =
    typeof which === 'number'
      ? await seed(world, alike(which, { ...more, runtimeId: null }))
      : [...which];
  const { pool } = world.database;
  const { rows } = await pool.query<{ id: string; account: string; shoot: string }>(
    'select id, global_account as account, shoot_name as shoot from instances where id = any($1)',
    [ids],
  );
  await pool.query(
    `update instances i set runtime_id = made.runtime_id
       from unnest($1::text[], $2::text[]) as made(id, runtime_id) where i.id = made.id`,
    [rows.map(({ id }) => id), await plantRuntimes(world.landscape, rows)],
  );
  world.advance(hours(1));
  return ids;
}

/** How often each runtime's cluster was upgraded, by instance. */
export async function timesUpgraded(world: FleetWorld): Promise<Map<string, number>> {
  const { rows } = await world.database.pool.query<{ id: string; runtime_id: string }>(
    'select id, runtime_id from instances where runtime_id is not null',
  );
  const instanceOf = new Map(rows.map((row) => [row.runtime_id, row.id]));
  const all = world.landscape.inventory()['provisioner']?.['operations'] ?? [];
  const times = new Map<string, number>();
  for (const { operation, runtimeID } of all as { operation: string; runtimeID: string }[]) {
    const id = instanceOf.get(runtimeID);
    if (operation === 'UpgradeShoot' && id !== undefined) times.set(id, (times.get(id) ?? 0) + 1);
  }
  return times;
}

export const alike = (count: number, seed: Seed): Seed[] =>
  Array.from({ length: count }, () => ({ ...seed }));
export const of = (account: string) => ({ include: [{ globalAccount: `^${account}$` }] });
