import { randomUUID } from 'node:crypto';
import type { PoolClient } from 'pg';
import type { Logger } from 'pino';
import { inTransaction } from '#database';
import { SubjectBusy, type Engine } from '#engine';
import { seconds, type Clock } from '#time';
import type { Services } from '../services.ts';
import { everyJob } from './every-job.ts';
import type { Job } from './job.ts';
import { JobRunsTable, type NewRun } from './job-runs-table.ts';
import { JobSchedulesTable } from './job-schedules-table.ts';
import { nextDue } from './next-due.ts';
import { runJob, type JobFacts } from './run-job.ts';

/** Each replica looks so often. */
const pause = seconds(10);

/**
 * The jobs of this process. A run is an operation like any other: any replica carries it, and there is one at a time. Who
 * accepts it for a due time moves that on in the same transaction, so timers are hints, and any number of them may go off.
 */
export class Jobs {
  readonly all: readonly Job[];
  readonly runs: JobRunsTable;
  readonly schedules: JobSchedulesTable;
  readonly operation: ReturnType<typeof runJob>;
  readonly #services: Services;
  readonly #clock: Clock;
  #engine: Engine | undefined;

  constructor(services: Services, clock: Clock, all: readonly Job[] = everyJob(services)) {
    this.all = all;
    this.#services = services;
    this.#clock = clock;
    this.runs = new JobRunsTable(clock);
    this.schedules = new JobSchedulesTable(clock);
    this.operation = runJob({
      services: () => ({ ...services, engine: this.#running }),
      runs: this.runs,
      schedules: this.schedules,
      find: (name) => this.find(name),
    });
  }

  /** The engine is made of operations, and one of them is ours: so it comes later. */
  use(engine: Engine): void {
    this.#engine = engine;
  }

  find(name: string): Job | undefined {
    return this.all.find((job) => job.name === name);
  }

  /** Starts a run now. Throws SubjectBusy while another one goes on. */
  start(
    job: Job,
    {
      dryRun = job.settings.dryRun,
      by,
    }: { dryRun?: boolean | undefined; by?: string | undefined } = {},
  ) {
    const run: NewRun = {
      id: randomUUID(),
      job: job.name,
      trigger: 'by hand',
      dry_run: dryRun,
      by,
    };
    return inTransaction(this.#services.database, (db) => this.#accept(run, db));
  }

  /** Starts what is due. Returns the runs that it has started; what others have taken is not among them. */
  async startDue(log: Logger): Promise<string[]> {
    const { pool } = this.#services.database;
    const now = await this.schedules.now(pool);
    const due = new Map((await this.schedules.all(pool)).map((each) => [each.job, each]));
    const started: string[] = [];
    for (const job of this.all.filter(({ settings }) => settings.enabled)) {
      const { schedule } = job.settings;
      const known = due.get(job.name);
      if (known?.schedule !== schedule)
        await this.schedules.set(pool, job.name, schedule, nextDue(schedule, now));
      else if (known.next_due_at <= now) {
        const id = await this.#startFor(job, known.next_due_at, now, log);
        if (id !== undefined) started.push(id);
      }
    }
    await this.runs.settle(pool);
    return started;
  }

  /** Looks for what is due until the signal is aborted. */
  async run(signal: AbortSignal, log: Logger): Promise<void> {
    const { pool } = this.#services.database;
    let isNew = true;
    while (!signal.aborted) {
      try {
        if (isNew) await this.schedules.keepOnly(pool, this.#enabled);
        isNew = false;
        await this.startDue(log);
      } catch (error) {
        log.warn({ err: error }, 'could not look for jobs that are due; will look again');
      }
      await this.#pause(signal);
    }
  }

  get #enabled(): string[] {
    return this.all.filter(({ settings }) => settings.enabled).map(({ name }) => name);
  }

  get #running(): Engine {
    if (!this.#engine) throw new Error('jobs cannot run before they have an engine');
    return this.#engine;
  }

  /** Several due times that nobody was there for are one. A run that still goes on is enough for another one. */
  async #startFor(job: Job, dueAt: Date, now: Date, log: Logger): Promise<string | undefined> {
    const { name, settings, cannotRun } = job;
    return inTransaction(this.#services.database, async (db) => {
      const isOurs = await this.schedules.take(db, name, dueAt, nextDue(settings.schedule, now));
      if (!isOurs) return undefined;
      if (cannotRun !== undefined) {
        log.warn({ job: name, because: cannotRun }, 'a job is due and cannot run');
        return undefined;
      }
      try {
        const run: NewRun = {
          id: randomUUID(),
          job: name,
          trigger: 'schedule',
          dueAt,
          dry_run: settings.dryRun,
        };
        return await this.#accept(run, db);
      } catch (error) {
        if (!(error instanceof SubjectBusy)) throw error;
        log.warn({ job: name, dueAt }, 'a job is due while its last run goes on: it is left out');
        return undefined;
      }
    });
  }

  async #accept(run: NewRun, db: PoolClient): Promise<string> {
    const facts: JobFacts = { job: run.job, dryRun: run.dry_run };
    await this.#running.start('job', jobSubject(run.job), facts, {
      id: run.id,
      onlyIfFree: true,
      db,
    });
    await this.runs.insert(db, run);
    return run.id;
  }

  async #pause(signal: AbortSignal): Promise<void> {
    if (signal.aborted) return; // an abort that has been is not told again
    const { promise, resolve } = Promise.withResolvers<void>();
    const callOff = this.#clock.after(pause, resolve);
    const stop = () => resolve();
    signal.addEventListener('abort', stop, { once: true });
    await promise;
    signal.removeEventListener('abort', stop);
    callOff();
  }
}

/** Instances are subjects, too, and platforms choose their ids. */
export const jobSubject = (name: string): string => `job:${name}`;
