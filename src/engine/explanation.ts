import type { Definitions } from './definitions.ts';
import type { Failure } from './failure.ts';
import type { OperationRow, OperationState } from './operations-table.ts';

/** What an operation does, what it waits for, and why: the same object for every place where people ask. */
export type Explanation = {
  readonly state: OperationState;
  /** One sentence. */
  readonly summary: string;
  readonly activity: 'queued behind another operation' | 'running' | 'waiting' | 'due' | 'ended';
  readonly stage?: string;
  readonly step?: string;
  readonly attempt?: number;
  /** The team to ask about this step. */
  readonly owner?: string;
  readonly waitingFor?: string;
  readonly because?: string;
  readonly since?: Date;
  readonly nextTryAt?: Date;
  readonly deadline?: Date;
  readonly canceling?: string;
  readonly notCompleted?: readonly string[];
  readonly failure?: Failure;
};

export function explain(row: OperationRow, definitions: Definitions, now: Date): Explanation {
  const activity = activityOf(row, now);
  const owner = ownerOf(row, definitions);
  return {
    state: row.state,
    activity,
    summary: summaryOf(row, activity),
    ...(row.stage !== null && { stage: row.stage }),
    ...(row.step !== null && { step: row.step }),
    ...(row.attempt !== null && { attempt: row.attempt }),
    ...(owner !== undefined && { owner }),
    ...(row.system !== null && { waitingFor: row.system }),
    ...(row.because !== null && { because: row.because }),
    ...(row.waiting_since !== null && { since: row.waiting_since }),
    ...(activity === 'waiting' && row.due_at !== null && { nextTryAt: row.due_at }),
    ...(row.deadline !== null && { deadline: row.deadline }),
    ...(row.state === 'in progress' &&
      row.cancel_because !== null && { canceling: row.cancel_because }),
    ...(row.not_completed.length > 0 && { notCompleted: row.not_completed }),
    ...(row.error !== null && { failure: row.error }),
  };
}

function activityOf(
  { state, claimed_by, due_at }: OperationRow,
  now: Date,
): Explanation['activity'] {
  if (state === 'pending') return 'queued behind another operation';
  if (state !== 'in progress') return 'ended';
  if (claimed_by !== null) return 'running';
  return due_at !== null && due_at > now ? 'waiting' : 'due';
}

function summaryOf(row: OperationRow, activity: Explanation['activity']): string {
  const reason = row.because === null ? '' : `: ${row.because}`;
  const isOpen = row.state === 'in progress';
  if (isOpen && row.cancel_because !== null) return `is being canceled: ${row.cancel_because}`;
  switch (activity) {
    case 'queued behind another operation':
      return `waits until the operation before it on ${row.subject} has ended`;
    case 'running':
      return row.step === null ? 'runs' : `runs ${row.step}`;
    case 'waiting':
      if (row.step === null) return 'waits to be tried again';
      return `${row.step} waits${row.system === null ? '' : ` for ${row.system}`}${reason}`;
    case 'due':
      return `will go on${row.step === null ? '' : ` with ${row.step}`} as soon as a worker is free${reason}`;
    case 'ended':
      return row.description;
  }
}

function ownerOf({ type, step }: OperationRow, definitions: Definitions): string | undefined {
  if (step === null || !definitions.types.includes(type)) return undefined;
  return definitions
    .get(type)
    .stages.flatMap(({ steps }) => steps)
    .find(({ name }) => name === step)?.owner;
}
