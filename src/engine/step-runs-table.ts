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

export async function timelineOf(db: Queryable, operationId: string): Promise<StepRunRow[]> {
  const { rows } = await db.query<StepRunRow>(
    'select * from step_runs where operation_id = $1 order by number',
    [operationId],
  );
  return rows;
}
