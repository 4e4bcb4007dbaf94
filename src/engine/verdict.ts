import { inWords, type Milliseconds } from '#time';
import {
  AttemptLimitReached,
  describeFailure,
  isTemporary,
  retryAfter,
  storable,
  TimeLimitReached,
  type Failure,
} from './failure.ts';
import type { Facts, RegisteredStep } from './operation.ts';
import type { Outcome } from './outcome.ts';
import { retryDefaults } from './step.ts';
import type { StepOutcome } from './step-runs-table.ts';

/** What came of one run of a step. */
export type Answer = Outcome<Facts> | { readonly kind: 'threw'; readonly error: unknown };

/** Infinity where there is no limit. */
export type TimeLeft = { readonly step: Milliseconds; readonly operation: Milliseconds };

/** What it means: one line for the timeline, and what happens next. */
export type Verdict = {
  readonly record: {
    readonly outcome: StepOutcome;
    readonly because: string | null;
    readonly system: string | null;
    readonly errorClass: string | null;
  };
  readonly next:
    | { readonly kind: 'go on'; readonly facts: Facts; readonly notCompleted?: Failure }
    | Pause
    | { readonly kind: 'finish'; readonly because: string }
    | { readonly kind: 'fail'; readonly failure: Failure };
};

/** `error`: of the try that has failed, if that is why. */
export type Pause = {
  readonly kind: 'pause';
  readonly for: Milliseconds;
  readonly error?: Failure;
};

const nothing: Facts = {};

/** `failures`: temporary errors in a row before this run. */
export function judge(
  step: RegisteredStep,
  answer: Answer,
  failures: number,
  left: TimeLeft,
): Verdict {
  switch (answer.kind) {
    case 'done': {
      const undeclared = Object.keys(answer.facts).find((fact) => !step.gives?.includes(fact));
      if (undeclared !== undefined) {
        const message = `${step.name} has given the fact '${undeclared}', which its 'gives' does not list`;
        return failed(step, new Error(message), left);
      }
      return { record: line('done'), next: { kind: 'go on', facts: answer.facts } };
    }
    case 'skip':
      return { record: line('skip', answer.because), next: { kind: 'go on', facts: nothing } };
    case 'finish': {
      const because = storable(answer.because);
      return { record: line('done', because), next: { kind: 'finish', because } };
    }
    case 'wait':
      if (left.step <= 0) return failed(step, outOfTime(step, answer.because, answer.system), left);
      return {
        record: line('wait', answer.because, answer.system),
        next: { kind: 'pause', for: bounded(answer.for, left) },
      };
    case 'threw': {
      const { error } = answer;
      if (!isTemporary(error)) return failed(step, error, left);
      const { every, upTo, attempts = Infinity } = { ...retryDefaults, ...step.retry };
      if (left.step <= 0) return failed(step, outOfTime(step, error), left);
      if (failures + 1 >= attempts) return failed(step, outOfAttempts(step, attempts, error), left);
      const backOff = Math.min(every * 2 ** Math.min(failures, 30), Math.max(every, upTo));
      const failure = describeFailure(error, step.name);
      const pause = bounded(Math.max(backOff, retryAfter(error)), left);
      return {
        record: line('retry', failure.message, failure.system, failure.class),
        next: { kind: 'pause', for: pause, error: failure },
      };
    }
    case 'fail':
      return failed(step, answer.error, left);
    default:
      return answer satisfies never;
  }
}

/** A best-effort step that cannot succeed is left behind, on record; any other ends the operation. */
function failed(step: RegisteredStep, error: unknown, left: TimeLeft): Verdict {
  const failure = describeFailure(error, step.name);
  const goOn = step.retry?.otherwise === 'go on' && left.operation > 0;
  return {
    record: line(goOn ? 'not completed' : 'fail', failure.message, failure.system, failure.class),
    next: goOn
      ? { kind: 'go on', facts: nothing, notCompleted: failure }
      : { kind: 'fail', failure },
  };
}

function outOfTime({ name, retry }: RegisteredStep, last: unknown, system?: string): Error {
  const message = `${name} did not succeed within ${inWords(retry?.within ?? 0)}: ${reasonOf(last)}`;
  const error = new TimeLimitReached(message, { cause: last });
  return system === undefined ? error : Object.assign(error, { system });
}

const outOfAttempts = ({ name }: RegisteredStep, attempts: number, last: unknown) =>
  new AttemptLimitReached(`${name} did not succeed in ${attempts} attempts: ${reasonOf(last)}`, {
    cause: last,
  });

const reasonOf = (last: unknown) => (last instanceof Error ? last.message : String(last));

/** The last look is taken when a limit is reached, not some time after it. */
const bounded = (pause: Milliseconds, left: TimeLeft) =>
  Math.max(0, Math.min(pause, left.step, left.operation));

const line = (outcome: StepOutcome, because?: string, system?: string, errorClass?: string) => ({
  outcome,
  because: because === undefined ? null : storable(because),
  system: system ?? null,
  errorClass: errorClass ?? null,
});
