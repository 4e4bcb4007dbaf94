// The statements of the hot path: take what is due, store what happened, hand back. Each is one statement and so one
// transaction and one round trip. All but `claim` name the epoch under which the replica holds the operation: when
// another one has taken over, they change nothing.
import type { Milliseconds } from '#time';
import type { Failure } from './failure.ts';
import {
  now,
  type OperationRow,
  type OperationState,
  type Queryable,
  type StepProgress,
} from './operations-table.ts';
import type { StepRunReport } from './step-runs-table.ts';

export type ClaimedOperation = Pick<
  OperationRow,
  | 'id'
  | 'type'
  | 'subject'
  | 'facts'
  | 'finished_stages'
  | 'progress'
  | 'not_completed'
  | 'history_length'
  | 'cancel_because'
  | 'epoch'
  | 'description'
> & {
  /** Time since its first run, without the time in which no worker was free. */
  age: Milliseconds;
  /** How late this claim was. */
  late: Milliseconds;
};

export type Claim = {
  readonly operations: ClaimedOperation[];
  /** More is due than was taken. */
  readonly more: boolean;
  /** Until the next one falls due. */
  readonly nextIn: Milliseconds | null;
};

// Of everything that is due, so many are looked at to let types and accounts take turns.
const horizon = 1_000;
const inMs = (interval: string) => `(extract(epoch from ${interval}) * 1000)::float8`;

/**
 * Takes operations that are due, in turns between types and accounts, each in order of its due time. Two replicas never
 * get the same one, and a replica that was declared dead gets none: its row is locked against that until the commit.
 */
export async function claim(
  db: Queryable,
  offset: Milliseconds,
  replica: number,
  types: readonly string[],
  atMost: number,
): Promise<Claim> {
  const { rows } = await db.query<{ due: number; next_in: number | null } & ClaimedOperation>({
    name: 'claim',
    text: `
      with me as (select id from replicas where id = $2 for key share),
      due as materialized (
        select ctid as place, lane, due_at from operations
         where due_at <= ${now} and claimed_by is null and type = any($3) order by due_at limit ${horizon}),
      picked as (
        select place from due order by row_number() over (partition by lane order by due_at), due_at limit $4),
      free as materialized (
        select ctid as place, due_at from operations
         where ctid = any(array(select place from picked)) and claimed_by is null for update skip locked),
      claimed as (
        update operations o
           set claimed_by = me.id, epoch = o.epoch + 1,
               queued_ms = o.queued_ms + ${inMs(`${now} - o.due_at`)}
          from free, me where o.ctid = free.place
        returning o.id, o.type, o.subject, o.facts, o.finished_stages, o.progress, o.not_completed,
                  o.history_length, o.cancel_because, o.epoch, o.description,
                  ${inMs(`${now} - o.started_at`)} - o.queued_ms as age,
                  ${inMs(`${now} - free.due_at`)} as late)
      select (select count(*)::int from due) as due,
             (select ${inMs(`min(due_at) - ${now}`)} from operations where due_at > ${now}) as next_in,
             claimed.*
        from (select 1) as always left join claimed on true`,
    values: [offset, replica, types, atMost],
  });
  const operations = rows.filter(({ id }) => id !== null);
  const first = rows[0];
  return {
    operations,
    more: (first?.due ?? 0) > operations.length,
    nextIn: first?.next_in ?? null,
  };
}

/** What one transaction stores of a running operation. */
export type Advance = {
  readonly id: string;
  readonly epoch: number;
  readonly replica: string;
  readonly facts: string;
  readonly finishedStage: string | null;
  readonly progress: Record<string, StepProgress>;
  readonly notCompleted: readonly string[];
  readonly historyLength: number;
  readonly history: readonly StepRunReport[];
  readonly state: OperationState;
  readonly description: string;
  readonly error: Failure | null;
  readonly position: Position | null;
  /** null: the replica keeps it. A number: nobody holds it until then. */
  readonly pause: Milliseconds | null;
};

/** Where the operation stands, and what it waits for. */
export type Position = {
  readonly stage: string;
  readonly step: string;
  readonly attempt: number;
  readonly because: string | null;
  readonly system: string | null;
  readonly waitingFor: Milliseconds | null;
  readonly timeLeft: Milliseconds | null;
};

/** 'fenced' means: somebody else holds this operation now, and nothing was stored. */
export async function advance(
  db: Queryable,
  offset: Milliseconds,
  a: Advance,
): Promise<'fenced' | { readonly cancelBecause: string | null }> {
  const { rows } = await db.query<{ cancel_because: string | null }>({
    name: 'advance',
    text: `
      with advanced as (
        update operations set
          facts = case when $4 = '{}' then facts else facts || $4::jsonb end,
          finished_stages = case when $5::text is null or $5 = any(finished_stages) then finished_stages
                                 else finished_stages || $5 end,
          progress = $6, not_completed = $7, history_length = $8,
          state = $9, description = $10, error = $11,
          stage = $12, step = $13, attempt = $14, because = $15, system = $16,
          waiting_since = ${now} - $17::float8 * interval '1 millisecond',
          deadline = ${now} + $18::float8 * interval '1 millisecond',
          due_at = case when $9 <> 'in progress' then null when $19::float8 is null then due_at
                        else ${now} + $19 * interval '1 millisecond' end,
          claimed_by = case when $9 = 'in progress' and $19::float8 is null then claimed_by end,
          losses = 0, updated_at = ${now},
          ended_at = case when $9 <> 'in progress' then ${now} end
        where id = $2 and epoch = $3 and claimed_by is not null
        returning id, cancel_because
      ), history as (
        insert into step_runs (operation_id, number, stage, step, outcome, because, system, error_class, attempt, runs,
                               replica, started_at, ended_at, duration_ms)
        select advanced.id, r.number, r.stage, r.step, r.outcome, r.because, r.system, r.error_class, r.attempt, r.runs,
               $21, ${now} - r.started_ago * interval '1 millisecond', ${now} - r.ended_ago * interval '1 millisecond',
               r.duration_ms
          from advanced, json_to_recordset($20) as r(
               number int, stage text, step text, outcome text, because text, system text, error_class text,
               attempt int, runs int, started_ago float8, ended_ago float8, duration_ms float8)
        on conflict (operation_id, number) do update set
          attempt = excluded.attempt, runs = excluded.runs, replica = excluded.replica, system = excluded.system,
          ended_at = excluded.ended_at, duration_ms = excluded.duration_ms
      )
      select cancel_because from advanced`,
    values: [
      offset,
      a.id,
      a.epoch,
      a.facts,
      a.finishedStage,
      JSON.stringify(a.progress),
      a.notCompleted,
      a.historyLength,
      a.state,
      a.description,
      a.error && JSON.stringify(a.error),
      a.position?.stage,
      a.position?.step,
      a.position?.attempt,
      a.position?.because,
      a.position?.system,
      a.position?.waitingFor,
      a.position?.timeLeft,
      a.pause,
      JSON.stringify(a.history),
      a.replica,
    ],
  });
  return rows[0] ? { cancelBecause: rows[0].cancel_because } : 'fenced';
}

export type Announcement = {
  readonly id: string;
  readonly epoch: number;
  readonly stage: string;
  readonly step: string;
  readonly attempt: number;
  readonly progress: StepProgress;
};

/** Says which steps have been running for a while, so that people see it and their time limits survive a crash. */
export async function announceSteps(
  db: Queryable,
  replica: number,
  steps: readonly Announcement[],
): Promise<void> {
  await db.query({
    name: 'announce',
    text: `
      update operations o set stage = s.stage, step = s.step, attempt = s.attempt, because = null, system = null,
             waiting_since = null, progress = o.progress || jsonb_build_object(s.step, s.progress)
        from json_to_recordset($2) as s(id uuid, epoch int, stage text, step text, attempt int, progress jsonb)
       where o.id = s.id and o.epoch = s.epoch and o.claimed_by = $1`,
    values: [replica, JSON.stringify(steps)],
  });
}

/** Hands back everything this replica still holds. What it had under way there can no longer be stored. */
export async function handBack(
  db: Queryable,
  offset: Milliseconds,
  replica: number,
): Promise<number> {
  const { rowCount } = await db.query(
    `update operations set claimed_by = null, epoch = epoch + 1, due_at = ${now} where claimed_by = $2`,
    [offset, replica],
  );
  return rowCount ?? 0;
}

/** Leaves one operation alone for a while. */
export async function putOff(
  db: Queryable,
  offset: Milliseconds,
  id: string,
  epoch: number,
  pause: Milliseconds,
) {
  await db.query(
    `update operations set claimed_by = null, epoch = epoch + 1, due_at = ${now} + $4::float8 * interval '1 millisecond'
      where id = $2 and epoch = $3 and claimed_by is not null`,
    [offset, id, epoch, pause],
  );
}
