import type { ClientBase } from 'pg';
import { systemClock, type Clock } from '#time';
import type { Queryable } from '../tables/instances-table.ts';
import type { Entry } from './job.ts';

export type JobRun = {
  readonly id: string;
  readonly job: string;
  readonly trigger: 'schedule' | 'by hand';
  readonly started_by: string | null;
  readonly dry_run: boolean;
  readonly state: 'in progress' | 'succeeded' | 'failed' | 'canceled';
  readonly started_at: Date;
  readonly ended_at: Date | null;
  readonly cursor: string | null;
  readonly counts: Readonly<Record<string, number>>;
  readonly entries: readonly Omit<Entry, 'count'>[];
  readonly summary: string;
};

export type NewRun = Pick<JobRun, 'id' | 'job' | 'trigger' | 'dry_run'> & {
  readonly dueAt?: Date;
  readonly by?: string | undefined;
};

const entriesKept = 100;

/** Every query on the runs of jobs. Times are the database's, moved as the clock is. */
export class JobRunsTable {
  readonly #clock: Clock;

  constructor(clock: Clock = systemClock) {
    this.#clock = clock;
  }

  async insert(db: Queryable, { id, job, trigger, dueAt, by, dry_run }: NewRun): Promise<void> {
    await db.query(
      `insert into job_runs (id, job, trigger, due_at, started_by, dry_run, started_at)
       values ($1, $2, $3, $4, $5, $6, ${this.#now})`,
      [id, job, trigger, dueAt ?? null, by ?? null, dry_run],
    );
  }

  async get(db: Queryable, id: string): Promise<JobRun | undefined> {
    const { rows } = await db.query<JobRun>('select * from job_runs where id = $1', [id]);
    return rows[0];
  }

  /** Until the transaction is over nobody else goes on with the run. False if somebody has: it stands elsewhere by now. */
  async lockAt(db: ClientBase, id: string, cursor: string | undefined): Promise<boolean> {
    const { rowCount } = await db.query(
      'select from job_runs where id = $1 and cursor is not distinct from $2 for update',
      [id, cursor ?? null],
    );
    return rowCount === 1;
  }

  /** What came of a subject, and that the run goes on behind it. */
  async advance(db: ClientBase, id: string, cursor: string, entry?: Entry): Promise<void> {
    if (!entry)
      return void (await db.query('update job_runs set cursor = $2 where id = $1', [id, cursor]));
    const { count = 1, ...kept } = entry;
    await db.query(
      `update job_runs set cursor = $2,
              counts = counts || jsonb_build_object($3::text, coalesce((counts ->> $3)::bigint, 0) + $4::bigint),
              entries = case when jsonb_array_length(entries) < ${entriesKept} then entries || $5::jsonb else entries end
        where id = $1`,
      [id, cursor, entry.outcome, count, JSON.stringify([kept])],
    );
  }

  /** Takes over how their operations have ended. Until then a run counts as in progress, and so it is. */
  async settle(db: Queryable): Promise<void> {
    await db.query(
      `update job_runs r set state = o.state, ended_at = o.ended_at, summary = o.description
         from operations o where o.id = r.id and r.ended_at is null and o.ended_at is not null`,
    );
  }

  /** The newest first, and how many there are. */
  async list(
    db: Queryable,
    job: string,
    { page, size }: { readonly page: number; readonly size: number },
  ): Promise<{ runs: JobRun[]; total: number }> {
    const { rows } = await db.query<JobRun>(
      'select * from job_runs where job = $1 order by started_at desc, id limit $2 offset $3',
      [job, size, (page - 1) * size],
    );
    const counted = await db.query<{ total: number }>(
      'select count(*)::int as total from job_runs where job = $1',
      [job],
    );
    return { runs: rows, total: counted.rows[0]?.total ?? 0 };
  }

  /** Of each job the newest run. */
  async newest(db: Queryable): Promise<JobRun[]> {
    const { rows } = await db.query<JobRun>(
      'select distinct on (job) * from job_runs order by job, started_at desc, id',
    );
    return rows;
  }

  /** For metrics: of each job and state how many are on record, and the newest of them. */
  async statistics(db: Queryable) {
    const { rows } = await db.query<{
      job: string;
      state: JobRun['state'];
      runs: number;
      last_ended: number | null;
      last_seconds: number | null;
    }>(
      `select job, state, count(*)::int as runs, extract(epoch from max(ended_at))::float8 as last_ended,
              (array_agg(extract(epoch from ended_at - started_at)::float8 order by started_at desc))[1] as last_seconds
         from job_runs group by job, state`,
    );
    return rows;
  }

  /** Runs that ended before this time, but for the newest of each job. */
  async forget(db: Queryable, before: Date): Promise<number> {
    const { rowCount } = await db.query(
      `delete from job_runs r where ended_at < $1
          and exists (select from job_runs newer where newer.job = r.job and newer.started_at > r.started_at)`,
      [before],
    );
    return rowCount ?? 0;
  }

  /** The clock's offset is a number of ours: no caller's text gets in here. */
  get #now(): string {
    return `(now() + ${Math.round(this.#clock.offset)} * interval '1 millisecond')`;
  }
}
