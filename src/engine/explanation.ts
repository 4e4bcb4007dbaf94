import { hours } from '#time';
import type { Definitions } from './definitions.ts';
import type { Failure } from './failure.ts';
import type { OperationRow, OperationState } from './operations-table.ts';
import { actionForWait, suggestedAction } from './suggested-action.ts';

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
  /** Why it failed; while it is open, why its last try did. */
  readonly failure?: Failure;
  /** Which system it is about. */
  readonly system?: string;
  /** Whose turn it is: the caller's, an outside system's, or ours. */
  readonly class?: Failure['class'];
  /** What people should do. */
  readonly action?: string;
};

/** So long a step waits before people should ask why. */
const patience = hours(1);

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
    ...suggestionFor(row, activity, now),
  };
}

function suggestionFor(
  row: OperationRow,
  activity: Explanation['activity'],
  now: Date,
): Pick<Explanation, 'system' | 'class' | 'action'> {
  const { error, state } = row;
  const system = error?.system ?? row.system ?? undefined;
  const about = system === undefined ? {} : { system };
  if (error !== null)
    return {
      ...about,
      class: error.class,
      action: suggestedAction(error, state === 'in progress'),
    };
  switch (activity) {
    case 'ended':
      return state === 'canceled' ? { ...about, action: 'nothing: it was to end' } : about;
    case 'queued behind another operation':
      return { action: 'nothing: it begins by itself' };
    case 'running':
    case 'due':
      return about;
    case 'waiting': {
      const isLate = row.waiting_since !== null && +now - +row.waiting_since > patience;
      return { ...about, ...actionForWait(system, isLate) };
    }
  }
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
