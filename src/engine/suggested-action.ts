import type { Failure } from './failure.ts';

/** What is wrong, whose turn it is, and what they should do. */
export type Suggestion = {
  /** Whose turn it is: the caller's, an outside system's, or ours. Absent while everything goes as it should. */
  readonly class?: Failure['class'];
  readonly action: string;
};

/** What people should do about a failure: after the operation has ended, or while it is tried again by itself. */
export function suggestedAction(failure: Failure, isOpen: boolean): string {
  if (failure.action !== undefined) return failure.action;
  const { system, status, reason } = failure;
  const remedy = remedyFor(failure);
  if (failure.class === 'user') return remedy;
  if (!isOpen) return `${remedy}; then retry the operation`;
  if (status === 429)
    return `nothing: ${system} wants fewer calls, and it is tried again by itself`;
  if (reason === 'left_alone')
    return `nothing for now: ${system} is left alone for a while; if it lasts, ${remedy}`;
  return `nothing for now, it is tried again by itself; if it lasts, ${remedy}`;
}

function remedyFor({ class: whose, system, status = 0, reason }: Failure): string {
  if (whose === 'user') return 'change what the message names, and ask again';
  if (system === undefined)
    return 'report it to the developers of this service, with the id of the operation';
  if (status === 401 || status === 403)
    return `renew the credentials or rights with which we call ${system}`;
  if (status === 429) return `ask the owners of ${system} for a higher limit`;
  if (status >= 500) return `ask the owners of ${system} why it fails`;
  if (whose === 'us')
    return `report to the developers of this service that ${system} refuses what we send`;
  switch (reason) {
    case 'unreachable':
    case 'left_alone':
      return `see whether ${system} can be reached from here`;
    case 'wrong_answer':
      return `ask the owners of ${system} what answers in its place`;
    case 'time_limit':
    case 'run_time_limit':
      return `ask the owners of ${system} why it takes so long`;
    case undefined:
    default:
      return `ask the owners of ${system} about it`;
  }
}

/** What people should do about a wait. */
export function actionForWait(system: string | undefined, isLate: boolean): Suggestion {
  const who = system ?? 'it';
  if (!isLate)
    return {
      ...(system !== undefined && { class: 'system' }),
      action: `nothing: ${who} is at work`,
    };
  return system === undefined
    ? { class: 'us', action: 'ask the owners of the step why it takes so long' }
    : { class: 'system', action: `ask the owners of ${system} why it takes so long` };
}
