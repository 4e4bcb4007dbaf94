import type { Queryable } from './operations-table.ts';

export type StepOutcome =
  'done' | 'wait' | 'skip' | 'retry' | 'fail' | 'not completed' | 'canceled';

/** One line of the timeline. Runs that repeat with the same outcome and reason are one row that grows. */
export type StepRunRow = {
  operation_id: string;
  number: number;
  stage: string;
  step: string;
  outcome: StepOutcome;
  because: string | null;
  system: string | null;
  error_class: string | null;
  attempt: number;
  runs: number;
  replica: string;
  started_at: Date;
  ended_at: Date;
  duration_ms: number;
};

/** A run as the replica reports it; the database turns `ago` into times of its own. */
export type StepRunReport = Omit<
  StepRunRow,
  'operation_id' | 'started_at' | 'ended_at' | 'replica'
> & {
  readonly started_ago: number;
  readonly ended_ago: number;
};

export type TimelinePart = { readonly after?: number; readonly limit?: number };

export async function timelineOf(
  db: Queryable,
  operationId: string,
  { after = 0, limit }: TimelinePart = {},
): Promise<StepRunRow[]> {
  const { rows } = await db.query<StepRunRow>(
    'select * from step_runs where operation_id = $1 and number > $2 order by number limit $3',
    [operationId, after, limit ?? null],
  );
  return rows;
}

/** Lines of several operations, oldest first: those that began after the moment, at most so many of each. */
export async function timelinesOf(
  db: Queryable,
  operationIds: readonly string[],
  { since, limit }: { readonly since: Date; readonly limit: number },
): Promise<StepRunRow[]> {
  const { rows } = await db.query<StepRunRow>(
    `select * from step_runs where operation_id = any($1::uuid[]) and ended_at > $2
      order by ended_at, operation_id, number limit $3`,
    [operationIds, since, limit],
  );
  return rows;
}
