import type { ClientBase } from 'pg';
import type { Clock } from '#time';
import type { Queryable } from '../tables/instances-table.ts';

/** Every query on when jobs are due. */
export class JobSchedulesTable {
  readonly #clock: Clock;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** The database's time: replicas' own clocks may disagree. */
  async now(db: Queryable): Promise<Date> {
    const { rows } = await db.query<{ now: Date }>('select now() as now');
    const { now = new Date() } = rows[0] ?? {};
    return new Date(now.getTime() + this.#clock.offset);
  }

  async all(db: Queryable): Promise<{ job: string; schedule: string; next_due_at: Date }[]> {
    const { rows } = await db.query<{ job: string; schedule: string; next_due_at: Date }>(
      'select job, schedule, next_due_at from job_schedules',
    );
    return rows;
  }

  /** A job that is new, or whose schedule was changed: what it was due for before does not count. */
  async set(db: Queryable, job: string, schedule: string, next: Date): Promise<void> {
    await db.query(
      `insert into job_schedules (job, schedule, next_due_at) values ($1, $2, $3)
       on conflict (job) do update set schedule = excluded.schedule, next_due_at = excluded.next_due_at
        where job_schedules.schedule <> excluded.schedule`,
      [job, schedule, next],
    );
  }

  /** Takes the due time: of many who try, one gets it, and only if its transaction commits. */
  async take(db: ClientBase, job: string, dueAt: Date, next: Date): Promise<boolean> {
    const { rowCount } = await db.query(
      'update job_schedules set next_due_at = $3 where job = $1 and next_due_at = $2',
      [job, dueAt, next],
    );
    return rowCount === 1;
  }

  /** Switched off: when it is switched on again, it does not make up for anything. */
  async keepOnly(db: Queryable, jobs: readonly string[]): Promise<void> {
    await db.query('delete from job_schedules where job <> all($1)', [jobs]);
  }
}
