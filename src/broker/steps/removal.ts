import type { RetryPolicy } from '#engine';
import { minutes, seconds, type Milliseconds } from '#time';
import type { Order } from './conditions.ts';

/** What a deprovisioning knows from its start. */
export type Removal = Order & {
  /** A suspension: the instance stays, and may get another runtime. */
  readonly temporary?: boolean;
  /** Who asked for it. */
  readonly userAgent?: string;
};

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
