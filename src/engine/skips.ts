import type { Milliseconds } from '#time';
import { nowAt } from './database-time.ts';
import type { Definitions } from './definitions.ts';
import type { OperationDefinition, RegisteredStep, Stage } from './operation.ts';
import { notify, type OperationRow, type Queryable } from './operations-table.ts';
import { known, NotPossible, triesAtMost, type Steered } from './steering.ts';

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
    const effect = effectOfSkip(operation, definitions, step);
    if (dryRun) return { operation, effect };
    const skipping = await storeSkip(db, offset, operation, step, because);
    if (skipping) return { operation: skipping, effect };
  }
  throw new NotPossible(`operation ${id} is being changed by others: try again`);
}

/** It is done when its turn comes, as if nobody had wanted it left out; unless it has been left out by then. */
export async function unskipStep(
  db: Queryable,
  offset: Milliseconds,
  definitions: Definitions,
  id: string,
  { step, dryRun = false }: { step: string; dryRun?: boolean },
): Promise<Steered> {
  for (let tries = 0; tries < triesAtMost; tries += 1) {
    const operation = await known(db, id);
    const why = whyNotUnskipped(operation, definitions, step);
    if (why !== undefined) throw new NotPossible(`${step} of operation ${id} ${why}`);
    const effect = hasStopped(operation)
      ? `${step} is done once the operation is retried`
      : `${step} is done when its turn comes`;
    if (dryRun) return { operation, effect };
    const unskipping = await storeUnskip(db, offset, operation, step);
    if (unskipping) return { operation: unskipping, effect };
  }
  throw new NotPossible(`operation ${id} is being changed by others: try again`);
}

function whyNotSkipped(
  operation: OperationRow,
  definitions: Definitions,
  step: string,
): string | undefined {
  const definition = definitions.get(operation.type);
  const stage = stageOf(definition, step);
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

function effectOfSkip(operation: OperationRow, definitions: Definitions, step: string): string {
  const { step: current, claimed_by, type } = operation;
  const warning = warningOfSkip(definitions.get(type), step);
  if (hasStopped(operation)) return `${step} is left out once the operation is retried${warning}`;
  if (current !== step) return `${step} is left out when its turn comes${warning}`;
  return claimed_by === null
    ? `${step} is left out, and the operation goes on now${warning}`
    : `${step} is stopped and left out${warning}`;
}

/** Nobody declares what steps leave in memory; but that is what they share a stage for. */
function warningOfSkip(definition: OperationDefinition, step: string): string {
  const { name: stage, steps = [] } = stageOf(definition, step) ?? {};
  const later = steps.slice(steps.findIndex(({ name }) => name === step) + 1);
  if (later.length === 0) return '';
  const names = later.map(({ name }) => name).join(', ');
  return `; steps after it in stage ${stage} (${names}) may need what it leaves in memory, and then the operation fails`;
}

const hasStopped = ({ state }: OperationRow) => state === 'failed' || state === 'canceled';

const stageOf = ({ stages }: OperationDefinition, step: string): Stage | undefined =>
  stages.find(({ steps }) => steps.some(({ name }) => name === step));

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

function whyNotUnskipped(
  operation: OperationRow,
  definitions: Definitions,
  step: string,
): string | undefined {
  const { skips, finished_stages, progress, state } = operation;
  if (skips[step] === undefined) {
    const others = Object.keys(skips).join(', ') || 'none is';
    return `is not to be left out; of its steps these are: ${others}`;
  }
  if (state === 'succeeded') return 'cannot be done any more: the operation has succeeded';
  const stage = stageOf(definitions.get(operation.type), step);
  if (!stage) return 'is not known any more';
  // A retry starts the stage over, and with it every step of it.
  const isLeftOut = !hasStopped(operation) && progress[step]?.record?.outcome === 'skip';
  return isLeftOut || finished_stages.includes(stage.name)
    ? 'cannot be done any more: it has been left out already'
    : undefined;
}

/** A replica that leaves it out stores that at once: this statement comes before or after, and both hear of the other. */
async function storeUnskip(
  db: Queryable,
  offset: Milliseconds,
  { id, type, subject, epoch, state, finished_stages }: OperationRow,
  step: string,
): Promise<OperationRow | undefined> {
  const { rows } = await db.query<OperationRow>(
    `update operations set skips = skips - $4::text, updated_at = ${nowAt(offset)}
      where id = $1 and epoch = $2 and state = $3 and finished_stages = $5 and skips ? $4
        and (state <> 'in progress' or progress #>> array[$4, 'record', 'outcome'] is distinct from 'skip')
     returning *`,
    [id, epoch, state, step, finished_stages],
  );
  if (rows[0]) await notify(db, { kind: 'unskipping', id, type, subject, step });
  return rows[0];
}
