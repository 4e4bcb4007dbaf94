import {
  BrokenCircuitError,
  bulkhead,
  circuitBreaker,
  ConsecutiveBreaker,
  handleWhen,
  wrap,
} from 'cockatiel';
import { seconds, type Milliseconds } from '#time';
import { SystemError } from './system-error.ts';

/** How to behave towards a system. */
export type SystemLimits = {
  /** How we call ourselves there, as User-Agent: `broker`. */
  readonly caller?: string;
  /** One call, its answer included, may take so long. */
  readonly timeout?: Milliseconds;
  /** Calls at the same time; further ones wait for their turn. */
  readonly concurrency?: number;
  /** After so many outages in a row the system is left alone … */
  readonly breakAfter?: number;
  /** … for so long. */
  readonly breakFor?: Milliseconds;
};

export const anonymous = 'kyma-control-plane';

/** Runs calls to one system within its limits: bounded in number, and not at all for a while when it keeps failing. */
export function withinLimits(
  system: string,
  {
    timeout = seconds(30),
    concurrency = 20,
    breakAfter = 10,
    breakFor = seconds(10),
  }: SystemLimits,
  isOutage: (error: unknown) => boolean,
) {
  const breaker = circuitBreaker(handleWhen(isOutage), {
    halfOpenAfter: breakFor,
    breaker: new ConsecutiveBreaker(breakAfter),
  });
  const policy = wrap(bulkhead(concurrency, Infinity), breaker);
  return {
    /** The caller's signal, and the end of the time for one call. */
    signalFor: (signal: AbortSignal) => AbortSignal.any([signal, AbortSignal.timeout(timeout)]),
    async run<Answer>(signal: AbortSignal, call: () => Promise<Answer>): Promise<Answer> {
      try {
        return await policy.execute(call, signal);
      } catch (cause) {
        signal.throwIfAborted();
        if (!(cause instanceof BrokenCircuitError)) throw cause;
        throw new SystemError(
          system,
          `${system}: left alone for a while, because it keeps failing`,
          {
            temporary: true,
            reason: 'left_alone',
            retryAfter: breakFor,
            cause,
          },
        );
      }
    },
  };
}
