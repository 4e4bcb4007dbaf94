import type { Database } from '#database';
import type { Clock, Milliseconds } from '#time';
import { nowAt } from './database-time.ts';
import type { Failure } from './failure.ts';
import { activityCondition, type Activity } from './operation-lists.ts';
import type { Queryable } from './operations-table.ts';
import { timelinesOf } from './step-runs-table.ts';

/** What is asked of many operations at once. */
export class Statistics {
  readonly #database: Database;
  readonly #clock: Clock;

  constructor(database: Database, clock: Clock) {
    this.#database = database;
    this.#clock = clock;
  }

  errors(asked: { since: Date; until: Date; limit: number; offset: number }) {
    return groupErrors(this.#database.pool, asked);
  }

  states(asked: { since: Date; bucket: 'hour' | 'day' }): Promise<StateCount[]> {
    return countStates(this.#database.pool, asked);
  }

  now() {
    return countActivities(this.#database.pool, this.#clock.offset);
  }

  queues(): Promise<Queue[]> {
    return countQueues(this.#database.pool, this.#clock.offset);
  }

  steps(asked: { since: Date; types: readonly string[] }): Promise<StepStatistics[]> {
    return stepStatistics(this.#database.pool, asked);
  }

  replicas(): Promise<LivingReplica[]> {
    return livingReplicas(this.#database.pool);
  }

  /** Lines of the timelines of these operations, oldest first. */
  timelines(ids: readonly string[], asked: { since: Date; limit: number }) {
    return timelinesOf(this.#database.pool, ids, asked);
  }
}

/** Failures of the same kind, over all subjects. */
export type ErrorGroup = {
  readonly fingerprint: string;
  readonly type: string;
  /** As the last one of them has it. */
  readonly failure: Failure;
  readonly count: number;
  /** Of them, those that are still being tried. */
  readonly open: number;
  readonly subjects: readonly string[];
  readonly subjectCount: number;
  readonly firstAt: Date;
  readonly lastAt: Date;
};

/** The largest groups first. What is open counts at the moment of its last try. */
export async function groupErrors(
  db: Queryable,
  { since, until, limit, offset }: { since: Date; until: Date; limit: number; offset: number },
): Promise<{ readonly groups: ErrorGroup[]; readonly total: number }> {
  const { rows } = await db.query<ErrorGroup & { total: number }>(
    `with failed as materialized (
       select fingerprint, type, subject, number, ended_at, coalesce(ended_at, updated_at) as at
         from operations where fingerprint is not null and coalesce(ended_at, updated_at) between $1 and $2),
     groups as (
       select fingerprint, min(type) as type, count(*)::int as count, (count(*) filter (where ended_at is null))::int as open,
              count(distinct subject)::int as subjects, min(at) as first_at, max(at) as last_at, max(number) as newest,
              (count(*) over ())::int as total
         from failed group by fingerprint order by count(*) desc, max(at) desc limit $3 offset $4)
     select g.fingerprint, g.type, g.count, g.open, g.subjects as "subjectCount", g.first_at as "firstAt",
            g.last_at as "lastAt", g.total,
            (select error from operations where fingerprint = g.fingerprint and number = g.newest) as failure,
            (select array_agg(subject) from (
               select subject from failed f where f.fingerprint = g.fingerprint
                group by subject order by max(at) desc limit 10) as affected) as subjects
       from groups g order by g.count desc, g.last_at desc`,
    [since, until, limit, offset],
  );
  return { groups: rows, total: rows[0]?.total ?? 0 };
}

export type StateCount = {
  readonly at: Date;
  readonly type: string;
  readonly what: 'started' | 'succeeded' | 'failed' | 'canceled';
  readonly count: number;
};

/** How many began and ended, by hour or day (of UTC), oldest first. */
export async function countStates(
  db: Queryable,
  { since, bucket }: { since: Date; bucket: 'hour' | 'day' },
): Promise<StateCount[]> {
  const { rows } = await db.query<StateCount>(
    `select at, type, what, sum(count)::int as count from (
       select date_trunc($2, created_at, 'UTC') as at, type, 'started' as what, count(*) as count
         from operations where created_at >= $1 group by 1, 2
       union all
       select date_trunc($2, ended_at, 'UTC'), type, state, count(*)
         from operations where ended_at >= $1 group by 1, 2, 3) as counted
     group by 1, 2, 3 order by 1, 2, 3`,
    [since, bucket],
  );
  return rows;
}

export type ActivityCounts = Readonly<
  Record<'pending' | 'inProgress' | 'waiting' | 'retrying' | 'stuck' | 'due' | 'running', number>
>;

/** Of what has not ended, at this moment. */
export async function countActivities(
  db: Queryable,
  offset: Milliseconds,
): Promise<ActivityCounts & { readonly oldestDue: Date | null }> {
  const now = nowAt(offset);
  const count = (condition: string) => `(count(*) filter (where ${condition}))::int`;
  const { rows } = await db.query<ActivityCounts & { oldestDue: Date | null }>(
    `select ${count(`state = 'pending'`)} as pending, ${count(`state = 'in progress'`)} as "inProgress",
            ${count(activityCondition('waiting', now))} as waiting, ${count(activityCondition('retrying', now))} as retrying,
            ${count(activityCondition('due', now))} as due, ${count(activityCondition('running', now))} as running,
            ${count(activityCondition('stuck', now))} as stuck,
            min(due_at) filter (where ${activityCondition('due', now)}) as "oldestDue"
       from operations where ended_at is null`,
  );
  const [counts] = rows;
  if (!counts) throw new Error('the database has counted nothing');
  return counts;
}

/** Of a type: those that wait for a worker, and those that have one. */
export type Queue = { readonly type: string; readonly due: number; readonly running: number };

export async function countQueues(db: Queryable, offset: Milliseconds): Promise<Queue[]> {
  const count = (activity: Activity) =>
    `(count(*) filter (where ${activityCondition(activity, nowAt(offset))}))::int`;
  const { rows } = await db.query<Queue>(
    `select type, ${count('due')} as due, ${count('running')} as running
       from operations where ended_at is null group by type`,
  );
  return rows;
}

export type StepStatistics = {
  readonly type: string;
  readonly stage: string;
  readonly step: string;
  readonly runs: number;
  readonly failures: number;
  readonly p50Ms: number;
  readonly p90Ms: number;
  readonly p99Ms: number;
};

// The newest operations say enough, and no table of any size makes the answer late.
const operationsLookedAt = 2_000;

/** How long runs of steps take, of the newest operations of each type. */
export async function stepStatistics(
  db: Queryable,
  { since, types }: { since: Date; types: readonly string[] },
): Promise<StepStatistics[]> {
  const { rows } = await db.query<StepStatistics>(
    `with looked_at as (
       select id, type from operations where created_at >= $1 and (cardinality($2::text[]) = 0 or type = any($2))
        order by created_at desc, number desc limit ${operationsLookedAt}),
     runs as (
       select o.type, r.stage, r.step, r.runs, r.outcome, r.duration_ms / r.runs as ms
         from looked_at o join step_runs r on r.operation_id = o.id)
     select type, stage, step, sum(runs)::int as runs,
            coalesce(sum(runs) filter (where outcome in ('retry', 'fail', 'not completed')), 0)::int as failures,
            percentile_disc(0.5) within group (order by ms) as "p50Ms",
            percentile_disc(0.9) within group (order by ms) as "p90Ms",
            percentile_disc(0.99) within group (order by ms) as "p99Ms"
       from runs group by type, stage, step order by type, stage, step`,
    [since, types],
  );
  return rows;
}

export type LivingReplica = {
  readonly name: string;
  readonly startedAt: Date;
  readonly heartbeatAt: Date;
  readonly running: number;
};

export async function livingReplicas(db: Queryable): Promise<LivingReplica[]> {
  const { rows } = await db.query<LivingReplica>(
    `select name, started_at as "startedAt", heartbeat_at as "heartbeatAt",
            (select count(*)::int from operations where claimed_by = r.id and due_at is not null) as running
       from replicas r order by started_at, id`,
  );
  return rows;
}
