import { condition, type RetryPolicy, type StoredOperation } from '#engine';
import { minutes, seconds, type Milliseconds } from '#time';
import type { Order } from './conditions.ts';

/** What a deprovisioning knows from its start. */
export type Removal = Order & {
  /** A suspension: the instance stays, and may get another runtime. */
  readonly temporary?: boolean;
  /** Who asked for it. */
  readonly userAgent?: string;
  /** Only what the removal before has left behind: the names of these steps. */
  readonly only?: readonly string[];
};

/** Of a step that may be left behind. */
export const isStillToDo = (step: string) =>
  condition<Pick<Removal, 'only'>>(
    'no removal before has done it',
    ({ only }) => only === undefined || only.includes(step),
  );

/** What was asked for and not seen to its end has to be asked for again. */
const begunBy: Readonly<Record<string, string>> = {
  Check_Kyma_Resource_Deleted: 'Delete_Kyma_Resource',
  Check_Cluster_Deregistration: 'Deregister_Cluster',
  Check_Runtime_Removal: 'Remove_Runtime',
};

/** What another removal has to know in order to do what this one left behind, and nothing else. */
export function leftOver({ not_completed, facts }: StoredOperation) {
  const { userAgent, runtimeIsGone } = facts as { userAgent?: string; runtimeIsGone?: boolean }; // as steps give them
  const begins = not_completed.flatMap((step) => begunBy[step] ?? []);
  return {
    ...(userAgent !== undefined && { userAgent }),
    ...(not_completed.length > 0 && {
      only: [...new Set([...begins, ...not_completed])],
      ...(runtimeIsGone === true && { runtimeIsGone }),
    }),
  };
}

/**
 * For steps that wait until something has gone. That may take long, but an outage on the way is borne no longer than in
 * other steps of a removal: so many errors in a row take five minutes.
 */
export const waitAtMost = (within: Milliseconds) =>
  ({
    every: seconds(10),
    upTo: minutes(1),
    attempts: 8,
    within,
    otherwise: 'go on',
  }) as const satisfies RetryPolicy;

/** What an earlier step should have begun was never begun: it cannot be waited for. The record shows both steps. */
export class NotBegun extends Error {
  override readonly name = 'NotBegun';
  readonly temporary = false;
  readonly reason = 'removal_not_begun';
}
