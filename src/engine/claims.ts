// The statements of the hot path: take what is due, store what happened, hand back. Each is one statement and so one
// transaction and one round trip. All but `claim` name the epoch under which the replica holds the operation: when
// another one has taken over, they change nothing.
import type { Milliseconds } from '#time';
import { inMs, ms, nowAt, prepared } from './database-time.ts';
import type { Failure } from './failure.ts';
import type { OperationRow, Queryable, Skips, StepProgress } from './operations-table.ts';
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
  | 'skips'
  | 'system'
  | 'epoch'
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

// Of everything that is due, so many for each that is wanted are looked at to let types and accounts take turns.
const horizon = '2 * $3 + 1000';

const claimStatement = (now: string) => `
  with me as (select id from replicas where id = $1 for key share),
  due as materialized (
    select ctid as place, lane, due_at from operations
     where due_at <= ${now} and claimed_by is null and type = any($2) order by due_at limit ${horizon}),
  picked as (
    select place from due order by row_number() over (partition by lane order by due_at), due_at limit $3),
  free as materialized (
    select ctid as place, due_at from operations
     where ctid = any(array(select place from picked)) and claimed_by is null for update skip locked),
  claimed as (
    update operations o
       set claimed_by = me.id, epoch = o.epoch + 1, queued_ms = o.queued_ms + ${inMs(`${now} - o.due_at`)}
      from free, me where o.ctid = free.place
    returning o.id, o.type, o.subject, o.facts, o.finished_stages, o.progress, o.not_completed,
              o.history_length, o.cancel_because, o.skips, o.system, o.epoch,
              ${inMs(`${now} - o.started_at`)} - o.queued_ms as age, ${inMs(`${now} - free.due_at`)} as late)
  select (select count(*)::int from due) as due,
         (select ${inMs(`min(due_at) - ${now}`)} from operations where due_at > ${now}) as next_in,
         claimed.*
    from (select 1) as always left join claimed on true`;

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
    ...prepared('claim', offset, claimStatement),
    values: [replica, types, atMost],
  });
  const operations = rows.filter(({ id }) => id !== null);
  const first = rows[0];
  return {
    operations,
    more: (first?.due ?? 0) > operations.length,
    nextIn: first?.next_in ?? null,
  };
}

/** What is stored of a running operation when a step gave facts, a stage is finished, or the operation rests. */
export type Advance = {
  readonly id: string;
  readonly epoch: number;
  readonly replica: string;
  readonly facts: unknown;
  readonly finished_stages: readonly string[];
  readonly progress: Readonly<Record<string, StepProgress>>;
  readonly not_completed: readonly string[];
  readonly history_length: number;
  readonly history: readonly StepRunReport[];
  /** Where it stands; absent when it stands nowhere any more. */
  readonly stage?: string;
  readonly step?: string;
  readonly attempt?: number;
} & Next;

/** What people want of a running operation. */
export type Asked = { readonly cancelBecause: string | null; readonly skips: Skips };

/** The replica keeps the operation, or nobody holds it for a while, or it has ended. */
export type Next =
  | { readonly kind: 'keep' }
  | {
      readonly kind: 'park';
      readonly pause: Milliseconds;
      readonly because: string | null;
      readonly system: string | null;
      /** Of the try that has failed, if that is why. */
      readonly error: Failure | null;
      /** How long it has been waiting already, and how long it may. */
      readonly waited: Milliseconds | null;
      readonly time_left: Milliseconds | null;
    }
  | {
      readonly kind: 'end';
      readonly state: 'succeeded' | 'failed' | 'canceled';
      readonly description: string;
      readonly error: Failure | null;
    };

// 'keep' leaves due_at as it is, so that no index has to follow: such an update stays on its page. What was canceled while
// its step decided to wait does not wait: it falls due at once, to be ended; and so does a step that is to be left out.
const advanceStatement = (now: string) => `
  with given as materialized (
    select * from json_to_recordset($1) as g(
      id uuid, epoch int, replica text, facts jsonb, finished_stages text[], progress jsonb, not_completed text[],
      history_length int, history json, stage text, step text, attempt int, kind text, pause float8, because text,
      system text, waited float8, time_left float8, state text, description text, error jsonb)
  ), advanced as (
    update operations o set
      facts = o.facts || g.facts, finished_stages = g.finished_stages, progress = g.progress,
      not_completed = g.not_completed, history_length = g.history_length, losses = 0,
      stage = g.stage, step = g.step, attempt = g.attempt, because = g.because, system = g.system,
      waiting_since = ${now} - g.waited * ${ms}, deadline = ${now} + g.time_left * ${ms},
      state = coalesce(g.state, o.state), description = coalesce(g.description, o.description), error = g.error,
      claimed_by = case g.kind when 'keep' then o.claimed_by end,
      epoch = case g.kind when 'keep' then o.epoch else o.epoch + 1 end,
      due_at = case g.kind when 'keep' then o.due_at
                           when 'park' then case when o.cancel_because is null and not o.skips ? coalesce(g.step, '')
                                              then ${now} + g.pause * ${ms} else ${now} end
               end,
      ended_at = case g.kind when 'end' then ${now} end, updated_at = ${now}
     from given g where o.id = g.id and o.epoch = g.epoch
    returning o.id, o.cancel_because, o.skips
  ), history as (
    insert into step_runs (operation_id, number, stage, step, outcome, because, system, error_class, attempt, runs,
                           replica, started_at, ended_at, duration_ms)
    select g.id, r.number, r.stage, r.step, r.outcome, r.because, r.system, r.error_class, r.attempt, r.runs,
           g.replica, ${now} - r.started_ago * ${ms}, ${now} - r.ended_ago * ${ms}, r.duration_ms
      from advanced join given g using (id), json_to_recordset(g.history) as r(
           number int, stage text, step text, outcome text, because text, system text, error_class text,
           attempt int, runs int, started_ago float8, ended_ago float8, duration_ms float8)
    on conflict (operation_id, number) do update set
      attempt = excluded.attempt, runs = excluded.runs, replica = excluded.replica, system = excluded.system,
      ended_at = excluded.ended_at, duration_ms = excluded.duration_ms
  )
  select id, cancel_because, skips from advanced`;

/**
 * Stores the advances (as JSON) of any number of operations in one transaction. An operation that is missing from the
 * result belongs to somebody else by now, and nothing of it was stored. To store the same again changes nothing more.
 */
export async function advance(
  db: Queryable,
  offset: Milliseconds,
  advances: readonly string[],
): Promise<Map<string, Asked>> {
  const { rows } = await db.query<{ id: string; cancel_because: string | null; skips: Skips }>({
    ...prepared('advance', offset, advanceStatement),
    values: [`[${advances.join(',')}]`],
  });
  return new Map(
    rows.map(({ id, cancel_because, skips }) => [id, { cancelBecause: cancel_because, skips }]),
  );
}

export type Announcement = {
  readonly id: string;
  readonly epoch: number;
  readonly stage: string;
  readonly step: string;
  readonly attempt: number;
  readonly progress: StepProgress;
};

/**
 * Says which steps have been running for a while, so that people see it and their time limits survive a crash. What is
 * being stored at this moment needs no announcement, and waiting for it in another order could be a deadlock.
 */
export async function announceSteps(
  db: Queryable,
  replica: number,
  steps: readonly Announcement[],
): Promise<void> {
  await db.query({
    name: 'announce',
    text: `
      with free as (
        select id from operations where id in (select id from json_to_recordset($2) as s(id uuid))
           for no key update skip locked)
      update operations o set stage = s.stage, step = s.step, attempt = s.attempt, because = null, system = null,
             waiting_since = null, progress = o.progress || jsonb_build_object(s.step, s.progress)
        from free join json_to_recordset($2) as s(id uuid, epoch int, stage text, step text, attempt int, progress jsonb)
             using (id)
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
    `update operations set claimed_by = null, epoch = epoch + 1, due_at = ${nowAt(offset)} where claimed_by = $1`,
    [replica],
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
    `update operations set claimed_by = null, epoch = epoch + 1, due_at = ${nowAt(offset)} + $3::float8 * ${ms}
      where id = $1 and epoch = $2`,
    [id, epoch, pause],
  );
}
