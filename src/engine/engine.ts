import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import type { PoolClient } from 'pg';
import type { Logger } from 'pino';
import {
  afterCommit,
  inTransaction,
  openSecrets,
  sealSecrets,
  type Database,
  type Keyring,
} from '#database';
import { minutes, seconds, systemClock, type Clock } from '#time';
import { Definitions } from './definitions.ts';
import { Events, watchEvents, type Listener } from './events.ts';
import { explain, type Explanation } from './explanation.ts';
import type { Facts, OperationDefinition } from './operation.ts';
import {
  listOperations,
  type OperationFilter,
  type OperationList,
  type OperationPage,
} from './operation-lists.ts';
import {
  cancelOperation,
  cancelOperationsOfSubject,
  countOpenOperations,
  getOperation,
  insertOperation,
  lastOperationsOf,
  operationsOfSubject,
  wakeOperation,
  type OpenOperations,
  type OperationRow,
  type Queryable,
} from './operations-table.ts';
import { Replica, type ReplicaSettings } from './replica.ts';
import { Statistics } from './statistics.ts';
import { skipStep, unskipStep } from './skips.ts';
import { retryOperation, type Steered, type SteeringOptions } from './steering.ts';
import { timelineOf, type StepRunRow, type TimelinePart } from './step-runs-table.ts';
import { WakeCalls } from './wake-calls.ts';

export const defaultSettings = {
  workers: 200,
  lease: seconds(4),
  poll: seconds(5),
  grace: seconds(20),
  runLimit: minutes(5),
  pace: 1,
} as const satisfies Omit<ReplicaSettings, 'name'>;

export type EngineOptions = {
  readonly database: Database;
  readonly operations: Definitions | readonly { readonly definition: OperationDefinition }[];
  readonly keyring: Keyring;
  readonly log: Logger;
  readonly clock?: Clock;
  readonly settings?: Partial<ReplicaSettings>;
};

export type StartOptions = {
  /** The same id again starts nothing, and returns what is there. */
  readonly id?: string;
  /** Operations of different accounts take turns. */
  readonly account?: string;
  /** Cancels every other open operation of the subject, for this reason; this one begins as soon as they have ended. */
  readonly preempt?: string;
  /** Throws SubjectBusy, and stores nothing, while another operation of the subject is in progress. */
  readonly onlyIfFree?: boolean;
  /** The caller's transaction: the operation exists if that commits, together with what else it stores. */
  readonly db?: PoolClient;
};

/** An operation as it is stored, its facts with their secrets closed. */
export type StoredOperation = OperationRow;

/** Durable operations on one database. Any number of engines share it; each is an equal replica once `run` is called. */
export class Engine {
  readonly definitions: Definitions;
  readonly #database: Database;
  readonly #keyring: Keyring;
  readonly #clock: Clock;
  readonly #log: Logger;
  readonly #events: Events;
  readonly #wakeCalls: WakeCalls;
  readonly #replica: Replica;

  constructor({
    database,
    operations,
    keyring,
    log,
    clock = systemClock,
    settings,
  }: EngineOptions) {
    this.definitions = operations instanceof Definitions ? operations : new Definitions(operations);
    this.#database = database;
    this.#keyring = keyring;
    this.#clock = clock;
    this.#log = log;
    this.#events = new Events(database, log);
    this.#wakeCalls = new WakeCalls(database, log);
    const name = `${hostname()}-${process.pid}-${randomUUID().slice(0, 4)}`;
    this.#replica = new Replica(
      { ...defaultSettings, name, ...settings },
      { database, definitions: this.definitions, keyring, clock, events: this.#events, log },
    );
  }

  /** Accepts an operation. Once this returns (and the caller's transaction commits), it will be finished exactly once. */
  async start(
    type: string,
    subject: string,
    input: object,
    options: StartOptions = {},
  ): Promise<StoredOperation> {
    this.definitions.get(type);
    const { id = randomUUID(), account = '', preempt, onlyIfFree = false, db } = options;
    const facts = JSON.stringify(sealSecrets(input, this.#keyring, id));
    const insert = async (at: Queryable) => {
      if (preempt !== undefined && !(await getOperation(at, id))) {
        await cancelOperationsOfSubject(at, this.#clock.offset, subject, preempt);
      }
      const { row, isNew } = await insertOperation(at, this.#clock.offset, {
        id,
        type,
        subject,
        account,
        facts,
        mayQueue: !onlyIfFree,
      });
      if (isNew)
        afterCommit(at, () => this.#wakeCalls.send({ kind: 'created', id, type, subject }));
      return this.#opened(row);
    };
    return db ? insert(db) : inTransaction(this.#database, insert);
  }

  /** Ends the operation: at once if it waits, else at its next step. Undefined if it had ended or does not exist. */
  async cancel(
    id: string,
    because: string,
    db: Queryable = this.#database.pool,
  ): Promise<StoredOperation | undefined> {
    const [canceled] = await cancelOperation(db, this.#clock.offset, id, because);
    return canceled && this.#opened(canceled);
  }

  /** A waiting operation tries now, a failed or canceled one goes on where it stopped. Throws NotPossible. */
  async retry(id: string, options: SteeringOptions = {}): Promise<Steered> {
    const { pool } = this.#database;
    return this.#shown(
      await retryOperation(pool, this.#clock.offset, this.definitions, id, options),
    );
  }

  /** The step is left out, on record, when its turn comes; if it runs or waits now, at once. Throws NotPossible. */
  async skip(
    id: string,
    skipping: { readonly step: string; readonly because: string; readonly dryRun?: boolean },
  ): Promise<Steered> {
    const { pool } = this.#database;
    return this.#shown(await skipStep(pool, this.#clock.offset, this.definitions, id, skipping));
  }

  /** Takes that back, as long as the step has not been left out. Throws NotPossible. */
  async unskip(
    id: string,
    unskipping: { readonly step: string; readonly dryRun?: boolean },
  ): Promise<Steered> {
    const { pool } = this.#database;
    return this.#shown(
      await unskipStep(pool, this.#clock.offset, this.definitions, id, unskipping),
    );
  }

  /** Ends the pause of a waiting operation: it tries again now. False if it was not waiting. */
  wake(id: string): Promise<boolean> {
    return wakeOperation(this.#database.pool, this.#clock.offset, id);
  }

  async get(id: string): Promise<StoredOperation | undefined> {
    const row = await getOperation(this.#database.pool, id);
    return row && this.#opened(row);
  }

  /** The newest first. Whoever is in a transaction asks in it: a second connection may not be free for a long time. */
  async ofSubject(
    subject: string,
    limit = 100,
    db: Queryable = this.#database.pool,
  ): Promise<StoredOperation[]> {
    const rows = await operationsOfSubject(db, subject, limit);
    return rows.map((row) => this.#opened(row));
  }

  /** Of each of the subjects the newest operation of these types; subjects without one are left out. */
  async lastOf(
    subjects: readonly string[],
    types: readonly string[],
    db: Queryable = this.#database.pool,
  ): Promise<StoredOperation[]> {
    const rows = await lastOperationsOf(db, subjects, types);
    return rows.map((row) => this.#opened(row));
  }

  /** How many have not ended, by type and state. */
  openOperations(): Promise<OpenOperations[]> {
    return countOpenOperations(this.#database.pool);
  }

  /** By filters, the newest first if nothing else is asked for; and how many there are in all. */
  async list(filter: OperationFilter, page: OperationPage): Promise<OperationList> {
    const found = await listOperations(this.#database.pool, this.#clock.offset, filter, page);
    return { ...found, operations: found.operations.map((row) => this.#opened(row)) };
  }

  timeline(id: string, part: TimelinePart = {}): Promise<StepRunRow[]> {
    return timelineOf(this.#database.pool, id, part);
  }

  /** What is asked of many operations at once. */
  get statistics(): Statistics {
    return new Statistics(this.#database, this.#clock);
  }

  explain(operation: StoredOperation): Explanation {
    return explain(operation, this.definitions, new Date(Date.now() + this.#clock.offset));
  }

  /** Hears what happens in this process, and what is created and canceled anywhere. Returns what ends it. */
  listen(listener: Listener): () => void {
    return this.#events.listen(listener);
  }

  /** Hears what happens in all replicas, a moment later. */
  watch(listener: Listener, onGap?: () => void): Promise<{ close: () => Promise<void> }> {
    return watchEvents(this.#database, this.#log, listener, onGap);
  }

  /** Operations that this replica runs at this moment; those that wait are in nobody's memory. */
  get running(): number {
    return this.#replica.running;
  }

  /** Works until the signal is aborted; then finishes running steps within the grace time and hands the rest back. */
  run(signal: AbortSignal): Promise<void> {
    return this.#replica.work(signal);
  }

  #shown({ operation, effect }: Steered): Steered {
    return { operation: this.#opened(operation), effect };
  }

  #opened(row: OperationRow): StoredOperation {
    return { ...row, facts: openSecrets(row.facts, this.#keyring, row.id) as Facts }; // as they were sealed
  }
}
