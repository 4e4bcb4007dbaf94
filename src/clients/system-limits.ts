import {
  BrokenCircuitError,
  bulkhead,
  circuitBreaker,
  CircuitState,
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
  /** Hears of every call, after its end. */
  readonly onCall?: (call: Call) => void;
};

/** What came of a call. `refused`: the system works, and would not do it. */
export type Call = {
  readonly system: string;
  readonly outcome: 'succeeded' | 'refused' | 'failed' | 'left alone' | 'canceled';
  readonly duration: Milliseconds;
  /** Whether the system is now left alone. */
  readonly breaker: 'closed' | 'half open' | 'open';
};

/** Those of a client's settings, for what else it has to ask. */
export const limitsIn = (settings: SystemLimits): SystemLimits =>
  Object.fromEntries(
    (['caller', 'timeout', 'concurrency', 'breakAfter', 'breakFor', 'onCall'] as const).flatMap(
      (name) => (settings[name] === undefined ? [] : [[name, settings[name]]]),
    ),
  );

export const anonymous = 'kyma-control-plane';

/** Runs calls to one system within its limits: bounded in number, and not at all for a while when it keeps failing. */
export function withinLimits(
  system: string,
  {
    timeout = seconds(30),
    concurrency = 20,
    breakAfter = 10,
    breakFor = seconds(10),
    onCall,
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
      const startedAt = performance.now();
      const tell = (outcome: Call['outcome']) =>
        onCall?.({
          system,
          outcome,
          duration: performance.now() - startedAt,
          breaker: breakerStates[breaker.state],
        });
      try {
        const answer = await policy.execute(call, signal);
        tell('succeeded');
        return answer;
      } catch (cause) {
        tell(outcomeOf(cause, signal, isOutage));
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

const breakerStates: Readonly<Record<CircuitState, Call['breaker']>> = {
  [CircuitState.Closed]: 'closed',
  [CircuitState.HalfOpen]: 'half open',
  [CircuitState.Open]: 'open',
  [CircuitState.Isolated]: 'open',
};

function outcomeOf(
  error: unknown,
  signal: AbortSignal,
  isOutage: (error: unknown) => boolean,
): Call['outcome'] {
  if (signal.aborted) return 'canceled';
  if (error instanceof BrokenCircuitError) return 'left alone';
  return isOutage(error) ? 'failed' : 'refused';
}
