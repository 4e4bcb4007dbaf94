import { inWords, type Clock, type Milliseconds } from '#time';
import { RunTookTooLong } from './failure.ts';
import type { Facts, RegisteredStep } from './operation.ts';
import type { StepContext } from './step.ts';
import type { Answer } from './verdict.ts';

/** Why a run of an operation ends before the operation does. */
export class Interruption extends Error {
  override readonly name = 'Interruption';
  readonly why: 'canceled' | 'skipped' | 'handed back' | 'lease lost';
  constructor(why: Interruption['why']) {
    super(why);
    this.why = why;
  }
}

/**
 * Runs a step once, for no longer than the limit. Whatever the step does, this comes back: one that ignores its signal
 * is left behind, and what it answers later counts for nothing.
 */
export async function attempt(
  step: RegisteredStep,
  context: StepContext<Facts>,
  limit: Milliseconds,
  abort: AbortController,
  clock: Clock,
): Promise<Answer | Interruption> {
  const { signal } = abort;
  const aborted = Promise.withResolvers<never>();
  signal.addEventListener('abort', () => aborted.reject(signal.reason), { once: true });
  const callOff = clock.after(limit, () =>
    abort.abort(new RunTookTooLong(`${step.name} has been running for ${inWords(limit)}`)),
  );
  try {
    const unmet = step.conditions?.find(({ holds }) => !holds(context.facts));
    if (unmet) return { kind: 'skip', because: `not applicable: ${unmet.name}` };
    const answer: unknown = await Promise.race([step.run(context), aborted.promise]);
    if (isOutcome(answer)) return answer;
    return { kind: 'threw', error: new Error(`${step.name} has returned no outcome`) };
  } catch (error) {
    const why: unknown = signal.aborted ? signal.reason : error;
    return why instanceof Interruption ? why : { kind: 'threw', error: why };
  } finally {
    callOff();
  }
}

const isOutcome = (value: unknown): value is Answer =>
  typeof value === 'object' &&
  value !== null &&
  'kind' in value &&
  ['done', 'wait', 'skip', 'fail', 'finish'].includes(String(value.kind));
