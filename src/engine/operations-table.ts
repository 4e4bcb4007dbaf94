import type { ClientBase, Pool } from 'pg';
import type { Milliseconds } from '#time';
import { nowAt } from './database-time.ts';
import type { Failure } from './failure.ts';
import type { Facts } from './operation.ts';

/** A pool, or a client that is in the middle of the caller's transaction. */
export type Queryable = Pool | ClientBase;

export type OperationState = 'pending' | 'in progress' | 'succeeded' | 'failed' | 'canceled';

export type OperationRow = {
  id: string;
  number: string;
  type: string;
  subject: string;
  account: string;
  state: OperationState;
  description: string;
  facts: Facts;
  finished_stages: string[];
  progress: Record<string, StepProgress>;
  not_completed: string[];
  history_length: number;
  /** Why it failed; while it is open, why its last try did. */
  error: Failure | null;
  fingerprint: string | null;
  /** Steps to be left out, and why. */
  skips: Skips;
  stage: string | null;
  step: string | null;
  attempt: number | null;
  because: string | null;
  system: string | null;
  waiting_since: Date | null;
  deadline: Date | null;
  cancel_because: string | null;
  claimed_by: number | null;
  epoch: number;
  losses: number;
  due_at: Date | null;
  created_at: Date;
  started_at: Date | null;
  updated_at: Date;
  ended_at: Date | null;
};

export type Skips = Readonly<Record<string, string>>;

/** What is known of a step of the unfinished stage. Ages are the operation's: queueing does not count. */
export type StepProgress = {
  readonly attempts: number;
  /** Temporary errors in a row. */
  readonly failures: number;
  /** The operation's age at the first run; null once the step is done. */
  readonly since: Milliseconds | null;
  /** Its last record, which the next run of the same outcome and reason continues. */
  readonly record: {
    number: number;
    outcome: string;
    because: string | null;
    runs: number;
    spent: Milliseconds;
  } | null;
};

export type NewOperation = {
  readonly id: string;
  readonly type: string;
  readonly subject: string;
  readonly account: string;
  readonly facts: string;
  readonly mayQueue: boolean;
};

/** The subject has an operation in progress, and another one was not to wait for its end. */
export class SubjectBusy extends Error {
  override readonly name = 'SubjectBusy';
  readonly failureClass = 'user';
  readonly reason = 'subject_busy';
  readonly subject: string;

  constructor(subject: string) {
    super(`${subject} has an operation in progress`);
    this.subject = subject;
  }
}

/**
 * Stores the operation: in progress, or (if it may) pending behind the one that is. An id that is there already is left
 * as it is. The running operation is locked while the new one is put behind it, so that its end cannot miss it.
 */
export async function insertOperation(
  db: Queryable,
  offset: Milliseconds,
  operation: NewOperation,
): Promise<{ readonly row: OperationRow; readonly isNew: boolean }> {
  const { id, type, subject, account, facts, mayQueue } = operation;
  const now = nowAt(offset);
  const values = [id, type, subject, account, facts];
  for (;;) {
    const begun = await db.query<OperationRow>(
      `insert into operations (id, type, subject, account, facts, state, created_at, updated_at, started_at, due_at)
       values ($1, $2, $3, $4, $5, 'in progress', ${now}, ${now}, ${now}, ${now})
       on conflict do nothing returning *`,
      values,
    );
    if (!begun.rows[0] && !mayQueue) {
      const existing = await getOperation(db, id);
      if (existing) return { row: existing, isNew: false };
      throw new SubjectBusy(subject);
    }
    const queued = begun.rows[0]
      ? begun
      : await db.query<OperationRow>(
          `with running as (select id from operations where subject = $3 and state = 'in progress' for update)
           insert into operations (id, type, subject, account, facts, state, created_at, updated_at)
           select $1, $2, $3, $4, $5, 'pending', ${now}, ${now} from running
           on conflict do nothing returning *`,
          values,
        );
    if (queued.rows[0]) return { row: queued.rows[0], isNew: true };
    const existing = await getOperation(db, id);
    if (existing) return { row: existing, isNew: false };
    // The one that ran has ended in between: try again to be the next.
  }
}

/** News that make replicas look at once. */
export type Wake = {
  readonly id: string;
  readonly type?: string;
  readonly subject?: string;
} & (
  | { readonly kind: 'created' | 'retried' | 'due' }
  | { readonly kind: 'canceling'; readonly because: string }
  | { readonly kind: 'skipping'; readonly step: string; readonly because: string }
  | { readonly kind: 'unskipping'; readonly step: string }
  | {
      readonly kind: 'ended';
      readonly state: 'canceled';
      readonly description: string;
      readonly error: null;
      readonly duration: Milliseconds;
    }
);

/** Sent by the caller's transaction, so it arrives only if that commits. */
export const notify = (db: Queryable, news: Wake) =>
  db.query(`select pg_notify(current_schema() || '_wake', $1)`, [JSON.stringify(news)]);

export async function getOperation(db: Queryable, id: string): Promise<OperationRow | undefined> {
  const { rows } = await db.query<OperationRow>('select * from operations where id = $1', [id]);
  return rows[0];
}

/** The newest first. */
export async function operationsOfSubject(
  db: Queryable,
  subject: string,
  limit: number,
): Promise<OperationRow[]> {
  const { rows } = await db.query<OperationRow>({
    name: 'operations-of-subject',
    text: 'select * from operations where subject = $1 order by number desc limit $2',
    values: [subject, limit],
  });
  return rows;
}

/** Of each of the subjects the newest operation of these types. */
export async function lastOperationsOf(
  db: Queryable,
  subjects: readonly string[],
  types: readonly string[],
): Promise<OperationRow[]> {
  const { rows } = await db.query<OperationRow>({
    name: 'last-operations-of',
    text: `select last.* from unnest($1::text[]) as asked (subject)
            cross join lateral (select * from operations where subject = asked.subject and type = any($2)
                                 order by number desc limit 1) last`,
    values: [subjects, types],
  });
  return rows;
}

/**
 * Ends at once what nobody runs, and asks the replicas to end the rest at the next step. Returns how each stands now.
 * `where` is a condition of ours on $2, never a caller's text.
 */
async function cancelWhere(
  db: Queryable,
  offset: Milliseconds,
  because: string,
  where: string,
  value: string,
) {
  const { rows } = await db.query<OperationRow>(
    `update operations set
       cancel_because = $1,
       state       = case when claimed_by is null then 'canceled' else state end,
       description = case when claimed_by is null then 'canceled: ' || $1 else description end,
       ended_at    = case when claimed_by is null then ${nowAt(offset)} end,
       due_at      = case when claimed_by is null then null else due_at end,
       updated_at  = ${nowAt(offset)}
     where state in ('pending', 'in progress') and ${where}
     returning *`,
    [because, value],
  );
  for (const row of rows) await notify(db, newsOf(row, because));
  return rows;
}

function newsOf(row: OperationRow, because: string): Wake {
  const { id, type, subject, description, started_at: began, ended_at: ended } = row;
  const of = { id, type, subject };
  if (ended === null) return { ...of, kind: 'canceling', because: because.slice(0, 500) };
  const duration = began === null ? 0 : ended.getTime() - began.getTime();
  const told = description.slice(0, 500); // a payload has at most 8000 bytes
  return { ...of, kind: 'ended', state: 'canceled', description: told, error: null, duration };
}

export const cancelOperation = (db: Queryable, offset: Milliseconds, id: string, because: string) =>
  cancelWhere(db, offset, because, 'id = $2::uuid', id);

/** The one in progress is locked first, as its end does before it looks for the next: else the two could block each other. */
export async function cancelOperationsOfSubject(
  db: Queryable,
  offset: Milliseconds,
  subject: string,
  because: string,
): Promise<OperationRow[]> {
  await db.query(`select from operations where subject = $1 and state = 'in progress' for update`, [
    subject,
  ]);
  return cancelWhere(db, offset, because, 'subject = $2', subject);
}

export type OpenOperations = {
  readonly type: string;
  readonly state: 'pending' | 'in progress';
  readonly count: number;
};

/** How many have not ended, by type and state. */
export async function countOpenOperations(db: Queryable): Promise<OpenOperations[]> {
  const { rows } = await db.query<OpenOperations>(
    `select type, state, count(*)::integer as count from operations where ended_at is null group by type, state`,
  );
  return rows;
}

/** Ends the pause of a waiting operation. False if it was not waiting. */
export async function wakeOperation(
  db: Queryable,
  offset: Milliseconds,
  id: string,
): Promise<boolean> {
  const { rowCount } = await db.query(
    `update operations set due_at = ${nowAt(offset)}
      where id = $1 and due_at > ${nowAt(offset)} and claimed_by is null`,
    [id],
  );
  if (rowCount) await notify(db, { kind: 'due', id });
  return rowCount === 1;
}
