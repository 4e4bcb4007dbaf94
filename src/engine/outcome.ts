import type { Milliseconds } from '#time';

/**
 * How a run of a step ended. A throw is none of these: a temporary error is retried by the step's policy, any other
 * fails the operation. Only a step that owes nobody a fact may be left out.
 */
export type Outcome<Gives> =
  Done<Gives> | Wait | Fail | Finish | (Nothing extends Gives ? Skip : never);

export type Nothing = Record<never, never>;
export type Done<Gives> = { readonly kind: 'done'; readonly facts: Gives };
export type Wait = {
  readonly kind: 'wait';
  readonly for: Milliseconds;
  readonly because: string;
  readonly system: string | undefined;
};
export type Skip = { readonly kind: 'skip'; readonly because: string };
export type Fail = { readonly kind: 'fail'; readonly error: Error };
export type Finish = { readonly kind: 'finish'; readonly because: string };

const nothing = Object.freeze({});

/** Go on. The facts are stored together with the progress, in one transaction. */
export function done(): Done<object>;
export function done<const Gives extends object>(facts: Gives): Done<Gives>;
export function done(facts: object = nothing): Done<object> {
  return { kind: 'done', facts };
}

/** Not an error: look again later. Says why, and which outside system is being waited for. */
export const wait = (duration: Milliseconds, because: string, system?: string): Wait => ({
  kind: 'wait',
  for: duration,
  because,
  system,
});

/** No retry can mend it: the operation ends here. */
export const fail = (error: Error): Fail => ({ kind: 'fail', error });

/** Left out, on record. */
export const skip = (because: string): Skip => ({ kind: 'skip', because });

/** There is nothing more to do, now or in later steps: the operation ends here as succeeded, and says why. */
export const finish = (because: string): Finish => ({ kind: 'finish', because });
