// For tests of this module: engines on a fresh database, and ways to wait for what they do without sleeping. Not
// exported by the door of the module.
import { pino, type Logger } from 'pino';
import { createKeyring, type Database, type Keyring } from '#database';
import { MovableClock, type Milliseconds } from '#time';
import { eventually, testDatabase, type TestDatabase } from '../database/testing.ts';
import type { Definitions } from './definitions.ts';
import { Engine, type StoredOperation } from './engine.ts';
import type { OperationEvent } from './events.ts';
import type { OperationDefinition } from './operation.ts';
import { done } from './outcome.ts';
import type { ReplicaSettings } from './replica.ts';
import type { Step } from './step.ts';

export { StageMemory } from './stage-memory.ts';

export const testKeyring = createKeyring({
  current: 'test',
  keys: { test: new Uint8Array(32).fill(7) },
});
export const silent = pino({ level: 'silent' });

export const step = (name: string, run: Step['run'], more: Partial<Step> = {}): Step => ({
  name,
  run,
  ...more,
});

export const noWork = step('No_Work', async () => done());

/** As a client throws it when its system does not answer. */
export class Unreachable extends Error {
  readonly temporary = true;
  readonly system = 'edp';
}

export type TestWorld = {
  readonly database: TestDatabase;
  readonly clock: MovableClock;
  readonly engine: Engine;
  readonly events: OperationEvent[];
  /** Begins to work; called again after `stop`, it is a new replica with nothing in its memory. */
  readonly run: () => void;
  /** As SIGTERM would. */
  readonly stop: () => Promise<void>;
  /** Resolves with the first result that is not undefined; asks again whenever something has happened. */
  readonly until: <Result>(
    look: () => Promise<Result | undefined> | Result | undefined,
  ) => Promise<Result>;
  readonly ended: (id: string) => Promise<StoredOperation>;
  /** Its end was stored, and heard in this process. */
  readonly told: (id: string) => Promise<StoredOperation>;
  readonly waiting: (id: string) => Promise<StoredOperation>;
  readonly [Symbol.asyncDispose]: () => Promise<void>;
};

export async function testWorld(
  operations: Definitions | readonly { readonly definition: OperationDefinition }[],
  settings: Partial<ReplicaSettings> = {},
  {
    log = silent,
    database: given,
    keyring = testKeyring,
  }: { log?: Logger; database?: TestDatabase; keyring?: Keyring } = {},
): Promise<TestWorld> {
  const database = given ?? (await testDatabase({ migrations: ['engine'] }));
  const clock = new MovableClock();
  const events: OperationEvent[] = [];
  const lookers = new Set<() => void>();
  const build = () => {
    const engine = new Engine({ database, operations, keyring, log, clock, settings });
    engine.listen((event) => {
      events.push(event);
      for (const look of lookers) look();
    });
    return engine;
  };
  let engine = build();
  let running: { stop: AbortController; done: Promise<void> } | undefined;

  const until: TestWorld['until'] = (look) =>
    new Promise((resolve, reject) => {
      let again = false;
      let looking = false;
      const attempt = async () => {
        again = true;
        if (looking) return;
        looking = true;
        while (again) {
          again = false;
          const found = await look();
          if (found !== undefined) {
            lookers.delete(trigger);
            resolve(found);
          }
        }
        looking = false;
      };
      const trigger = () => void attempt().catch(reject);
      lookers.add(trigger);
      trigger();
    });

  const world: TestWorld = {
    database,
    clock,
    events,
    get engine() {
      return engine;
    },
    run() {
      if (running) engine = build();
      const stop = new AbortController();
      running = { stop, done: engine.run(stop.signal) };
      running.done.catch((error: unknown) => {
        process.nextTick(() => {
          throw error;
        });
      });
    },
    async stop() {
      running?.stop.abort();
      await running?.done;
    },
    until,
    ended: (id) =>
      until(async () => {
        const found = await engine.get(id);
        return found && ['succeeded', 'failed', 'canceled'].includes(found.state)
          ? found
          : undefined;
      }),
    async told(id) {
      await until(() => events.find((event) => event.operation === id && event.kind === 'ended'));
      return world.ended(id);
    },
    waiting: (id) =>
      until(async () => {
        const found = await engine.get(id);
        return found && engine.explain(found).activity === 'waiting' ? found : undefined;
      }),
    async [Symbol.asyncDispose]() {
      await world.stop();
      if (!given) await database[Symbol.asyncDispose]();
    },
  };
  return world;
}

/** What the engine tells, and a way to let time pass for one of its operations. */
export function follow(engine: Engine, advance: (by: Milliseconds) => void) {
  const events: OperationEvent[] = [];
  const lookers = new Set<() => void>();
  engine.listen((event) => {
    events.push(event);
    for (const look of lookers) look();
  });

  /** So many events have been looked at for an operation: no pause is waited out twice. */
  const waitedOut = new Map<string, number>();

  /** Lets time pass for the operation, pause by pause, until it has ended or `isEnough` says so. */
  const pass = (
    id: string,
    isEnough?: (operation: StoredOperation) => boolean,
  ): Promise<StoredOperation> => {
    const { promise, resolve, reject } = Promise.withResolvers<StoredOperation>();
    // Hours pass in hundreds of pauses: without a question of the caller, the row is read at the beginning and the end.
    let mayHaveEnded = true;
    let isOver = false;
    let looking = Promise.resolve();
    const look = async () => {
      if (isOver) return;
      const heard = events.length;
      const news = events
        .slice(waitedOut.get(id), heard)
        .filter(({ operation }) => operation === id);
      if (mayHaveEnded || isEnough || news.some(({ kind }) => kind === 'ended')) {
        const found = await engine.get(id);
        mayHaveEnded = false;
        if (found && (found.ended_at !== null || isEnough?.(found))) {
          isOver = true;
          resolve(found);
          return;
        }
      }
      waitedOut.set(id, heard);
      for (const event of news) if (event.kind === 'waiting') advance(event.for);
    };
    const next = () => {
      looking = looking.then(look).catch(reject);
    };
    lookers.add(next);
    next();
    return promise.finally(() => lookers.delete(next));
  };

  return { events, pass };
}

/** Not to be asked within a transaction: there PostgreSQL answers as it did the first time. */
export const somebodyBlocked = ({ pool }: Database): Promise<boolean> =>
  eventually(async () => {
    const { rowCount } = await pool.query(
      `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
    );
    return (rowCount ?? 0) > 0;
  });
