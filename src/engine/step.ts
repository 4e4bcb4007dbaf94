import type { Logger } from 'pino';
import { seconds, minutes, type Milliseconds } from '#time';
import type { Nothing, Outcome } from './outcome.ts';
import type { StageMemory } from './stage-memory.ts';

/** One idempotent piece of work. What it needs and gives are facts: small JSON values, or `Secret`s. */
export type Step<Needs = object, Gives = object> = {
  /** As in the founding documents ('EDP_Registration'). Stored with every operation: changing it is a migration. */
  readonly name: string;
  /** A step that others rely on for a fact may not go on without having given it. */
  readonly retry?: Nothing extends Gives
    ? RetryPolicy
    : RetryPolicy & { readonly otherwise?: 'fail' };
  /** What it does, in a line, and in which field: for the people who read the tables of steps. */
  readonly about?: string;
  readonly domain?: string;
  /** The team to ask when it is stuck. */
  readonly owner?: string;
  /** Its place among the steps of its stage, for steps that others add. By default 10, 20, 30 … in order. */
  readonly weight?: number;
  /** Names of facts. `gives` must list whatever it gives; `needs` is asked of steps that extensions add. */
  readonly needs?: readonly (keyof Needs & string)[];
  readonly gives?: readonly (keyof Gives & string)[];
  /** All must hold, or the step is left out. */
  readonly conditions?: readonly Condition<Needs>[];
  readonly run: (context: StepContext<Needs>) => Promise<Outcome<Gives>>;
};

/** All that a step may look at. Rebuilt from the database whenever the operation is taken up again. */
export type StepContext<Known> = {
  readonly operation: { readonly id: string; readonly type: string; readonly subject: string };
  /** The request's input, and what earlier steps gave. */
  readonly facts: Readonly<Known>;
  readonly memory: StageMemory;
  /** Counts from 1. */
  readonly attempt: number;
  /** The time that the step may take is over: whatever it leaves undone now stays undone. */
  readonly timeIsUp: boolean;
  /** Names of earlier steps that were left behind: what they should have done may be there, or not. */
  readonly notCompleted: readonly string[];
  /** Aborted at the time limit, at cancellation, and when the shutdown's grace time is over. */
  readonly signal: AbortSignal;
  readonly log: Logger;
};

export type RetryPolicy = {
  /** Pause after a temporary error, doubled with each further one. */
  readonly every?: Milliseconds;
  /** The longest pause. */
  readonly upTo?: Milliseconds;
  /** Counts from the step's first run until it is done, waiting included; not while no worker was free. */
  readonly within?: Milliseconds;
  /** Temporary errors in a row. */
  readonly attempts?: number;
  /** When that is used up: fail the operation, or go on with the step on record as not completed. */
  readonly otherwise?: 'fail' | 'go on';
};

export const retryDefaults = {
  every: seconds(10),
  upTo: minutes(5),
  otherwise: 'fail',
} as const satisfies RetryPolicy;

/** Gives up after five minutes, goes on, and leaves the step on record as not completed: nothing may block a removal. */
export const bestEffort = {
  every: seconds(10),
  upTo: minutes(1),
  within: minutes(5),
  otherwise: 'go on',
} as const satisfies RetryPolicy;

/** A named question about the facts. Its name is what the timeline shows when a step was left out. */
export type Condition<Known> = {
  readonly name: string;
  readonly holds: (facts: Readonly<Known>) => boolean;
};

export const condition = <Known = object>(
  name: string,
  holds: (facts: Readonly<Known>) => boolean,
): Condition<Known> => ({ name, holds });

/** The step, left out (on record) unless the condition holds. So what it gives may be missing. */
export const when = <Asks, Needs, Gives>(
  asked: Condition<Asks>,
  step: Step<Needs, Gives>,
): Step<Needs & Asks, Partial<Gives>> => ({
  ...step,
  conditions: [asked, ...(step.conditions ?? [])],
});
