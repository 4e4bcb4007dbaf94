// What people do to single operations: try again, leave a step out. Each is judged on the row as it was read, and stored
// only if nothing has changed since: `epoch` and `state` are named by the statement.
import { DatabaseError } from 'pg';
import type { Milliseconds } from '#time';
import { inMs, nowAt } from './database-time.ts';
import type { Definitions } from './definitions.ts';
import type { OperationDefinition, RegisteredStep } from './operation.ts';
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
const triesAtMost = 10;

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

/** The step is left out when its turn comes, on record, for this reason. */
export async function skipStep(
  db: Queryable,
  offset: Milliseconds,
  definitions: Definitions,
  id: string,
  { step, because, dryRun = false }: { step: string; because: string; dryRun?: boolean },
): Promise<Steered> {
  for (let tries = 0; tries < triesAtMost; tries += 1) {
    const operation = await known(db, id);
    const why = whyNotSkipped(operation, definitions, step);
    if (why !== undefined) throw new NotPossible(`${step} of operation ${id} ${why}`);
    const effect = effectOfSkip(operation, step);
    if (dryRun) return { operation, effect };
    const skipping = await storeSkip(db, offset, operation, step, because);
    if (skipping) return { operation: skipping, effect };
  }
  throw new NotPossible(`operation ${id} is being changed by others: try again`);
}

async function known(db: Queryable, id: string): Promise<OperationRow> {
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

function whyNotSkipped(
  operation: OperationRow,
  definitions: Definitions,
  step: string,
): string | undefined {
  const definition = definitions.get(operation.type);
  const stage = definition.stages.find(({ steps }) => steps.some(({ name }) => name === step));
  const found = stage?.steps.find(({ name }) => name === step);
  if (!stage || !found) return `is not known; its steps are ${stepsAhead(operation, definition)}`;
  if (operation.state === 'succeeded') return 'cannot be left out: the operation has succeeded';
  const isOver = operation.finished_stages.includes(stage.name);
  const { since, record } = operation.progress[step] ?? {};
  const hasEnded = since === null && record !== null && record !== undefined;
  if (isOver || (hasEnded && operation.step !== step)) return 'has run to its end';
  const owed = owedFact(definition, found, operation);
  if (owed !== undefined)
    return `cannot be left out: steps after it need the fact '${owed}', which it gives`;
  return undefined;
}

function stepsAhead({ finished_stages }: OperationRow, { stages }: OperationDefinition): string {
  const open = stages.filter(({ name }) => !finished_stages.includes(name));
  return open.flatMap(({ steps }) => steps.map(({ name }) => name)).join(', ') || 'all done';
}

/** Steps need not say what they need; then they need whatever is not optional. */
function owedFact(
  { stages }: OperationDefinition,
  step: RegisteredStep,
  { facts }: OperationRow,
): string | undefined {
  const all = stages.flatMap(({ steps }) => steps);
  const later = all.slice(all.indexOf(step) + 1);
  const mayBeMissing = (step.conditions?.length ?? 0) > 0 || step.retry?.otherwise === 'go on';
  return step.gives?.find(
    (fact) => !(fact in facts) && later.some(({ needs }) => needs?.includes(fact) ?? !mayBeMissing),
  );
}

function effectOfSkip({ state, step: current, claimed_by }: OperationRow, step: string): string {
  if (state === 'failed' || state === 'canceled')
    return `${step} is left out once the operation is retried`;
  if (current !== step) return `${step} is left out when its turn comes`;
  return claimed_by === null
    ? `${step} is left out, and the operation goes on now`
    : `${step} is stopped and left out`;
}

async function storeSkip(
  db: Queryable,
  offset: Milliseconds,
  { id, type, subject, epoch, state, finished_stages }: OperationRow,
  step: string,
  because: string,
): Promise<OperationRow | undefined> {
  const now = nowAt(offset);
  const { rows } = await db.query<OperationRow>(
    `update operations set
       skips = skips || jsonb_build_object($4::text, $5::text), updated_at = ${now},
       due_at = case when due_at > ${now} and claimed_by is null and step = $4 then ${now} else due_at end
      where id = $1 and epoch = $2 and state = $3 and finished_stages = $6
     returning *`,
    [id, epoch, state, step, because, finished_stages],
  );
  const told = { id, type, subject, step, because: because.slice(0, 500) };
  if (rows[0]) await notify(db, { kind: 'skipping', ...told });
  return rows[0];
}
