// What people do to single operations: try again here, leave a step out in skips.ts. Each is judged on the row as it was read,
// and stored only if nothing has changed since: `epoch` and `state` are named by the statement.
import { DatabaseError } from 'pg';
import type { Milliseconds } from '#time';
import { inMs, nowAt } from './database-time.ts';
import type { Definitions } from './definitions.ts';
import {
  getOperation,
  notify,
  wakeOperation,
  type OperationRow,
  type Queryable,
} from './operations-table.ts';

/** It cannot be done to this operation, or not now. */
export class NotPossible extends Error {
  override readonly name = 'NotPossible';
  readonly failureClass = 'user';
  readonly reason: 'operation_unknown' | 'not_possible';

  constructor(message: string, reason: NotPossible['reason'] = 'not_possible') {
    super(message);
    this.reason = reason;
  }
}

/** What was done, or would be. */
export type Steered = { readonly operation: OperationRow; readonly effect: string };
export type SteeringOptions = { readonly because?: string; readonly dryRun?: boolean };

// Somebody else changes the operation at the same moment: what is possible now is judged again, but not for ever.
export const triesAtMost = 10;

/** A waiting operation tries now; one that failed or was canceled goes on from the first stage that it has not finished. */
export async function retryOperation(
  db: Queryable,
  offset: Milliseconds,
  definitions: Definitions,
  id: string,
  { because, dryRun = false }: SteeringOptions,
): Promise<Steered> {
  for (let tries = 0; tries < triesAtMost; tries += 1) {
    const operation = await known(db, id);
    const { state, step } = operation;
    if (state === 'pending' || state === 'succeeded' || operation.claimed_by !== null)
      throw new NotPossible(`operation ${id} ${whyNotRetried(operation)}`);
    if (state === 'in progress') {
      if (operation.cancel_because !== null)
        throw new NotPossible(`operation ${id} is being canceled: ${operation.cancel_because}`);
      if (!dryRun) await wakeOperation(db, offset, id);
      return { operation, effect: `${step ?? 'the operation'} is tried now` };
    }
    const stage = firstOpenStage(operation, definitions);
    const rival = await rivalOf(db, operation);
    if (rival) throw new NotPossible(`operation ${id} cannot go on: ${rival}`);
    const effect = `goes on from stage ${stage}, with the whole time that it may take`;
    if (dryRun) return { operation, effect };
    const notCompleted = leftBehindForGood(operation, definitions);
    const restarted = await restart(db, offset, operation, { because, notCompleted }).catch(
      (error: unknown) => {
        // Another operation of the subject has begun at the same moment: it is named in the next round.
        if (error instanceof DatabaseError && error.code === '23505') return undefined;
        throw error;
      },
    );
    if (restarted) return { operation: restarted, effect };
  }
  throw new NotPossible(`operation ${id} is being changed by others: try again`);
}

export async function known(db: Queryable, id: string): Promise<OperationRow> {
  const operation = await getOperation(db, id);
  if (!operation) throw new NotPossible(`there is no operation ${id}`, 'operation_unknown');
  return operation;
}

function whyNotRetried({ state, step, subject }: OperationRow): string {
  if (state === 'pending')
    return `has not begun: it waits for the operation before it on ${subject}`;
  if (state === 'succeeded') return 'has succeeded';
  return `runs at this moment${step === null ? '' : ` (${step})`}`;
}

function firstOpenStage({ type, finished_stages }: OperationRow, definitions: Definitions): string {
  const stage = definitions
    .get(type)
    .stages.find(({ name }) => !finished_stages.includes(name))?.name;
  if (stage === undefined) throw new NotPossible('all its stages are finished');
  return stage;
}

/** Steps of a stage that starts over get another chance. */
function leftBehindForGood(operation: OperationRow, definitions: Definitions): string[] {
  const finished = new Set(operation.finished_stages);
  const stages = definitions.get(operation.type).stages.filter(({ name }) => finished.has(name));
  const steps = new Set(stages.flatMap(({ steps: all }) => all.map(({ name }) => name)));
  return operation.not_completed.filter((step) => steps.has(step));
}

/** What speaks against an old operation: another one is under way, or has been since. */
async function rivalOf(db: Queryable, { subject, number }: OperationRow) {
  const { rows } = await db.query<Pick<OperationRow, 'id' | 'type' | 'state'>>(
    `select id, type, state from operations
      where subject = $1 and (ended_at is null or number > $2 and started_at is not null)
      order by ended_at is null desc, number desc limit 1`,
    [subject, number],
  );
  const rival = rows[0];
  if (!rival) return undefined;
  const isOpen = rival.state === 'pending' || rival.state === 'in progress';
  return `${rival.type} ${rival.id} ${isOpen ? 'is under way' : `has come after it (${rival.state})`} on ${subject}`;
}

async function restart(
  db: Queryable,
  offset: Milliseconds,
  { id, epoch, type, subject }: OperationRow,
  { because, notCompleted }: { because: string | undefined; notCompleted: readonly string[] },
): Promise<OperationRow | undefined> {
  const now = nowAt(offset);
  const { rows } = await db.query<OperationRow>(
    `update operations o set
       state = 'in progress', description = $3, error = null, cancel_because = null, ended_at = null,
       epoch = o.epoch + 1, losses = 0, progress = '{}', not_completed = $4,
       attempt = null, because = null, system = null, waiting_since = null, deadline = null,
       due_at = ${now}, updated_at = ${now}, started_at = coalesce(o.started_at, ${now}),
       -- What was before counts for no limit.
       queued_ms = ${inMs(`${now} - coalesce(o.started_at, ${now})`)}
      where o.id = $1 and o.epoch = $2 and o.state in ('failed', 'canceled')
        and not exists (select from operations other where other.subject = o.subject
                           and (other.ended_at is null or other.number > o.number and other.started_at is not null))
     returning *`,
    [id, epoch, because === undefined ? 'retried' : `retried: ${because}`, notCompleted],
  );
  if (rows[0]) await notify(db, { kind: 'retried', id, type, subject });
  return rows[0];
}
