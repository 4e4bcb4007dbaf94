import { hours, type Milliseconds } from '#time';
import type { Outcome } from './outcome.ts';
import type { Condition, RetryPolicy, Step, StepContext } from './step.ts';

/**
 * An operation is a table of contents: stages in order, steps in order. `stage()` accepts a step only where earlier
 * steps (or the input) give what it needs, so that a wrong order does not compile.
 */
export const operation = <Input extends object = object>(
  type: string,
  options: OperationOptions<Input> = {},
): Operation<Input> =>
  new Operation<Input>({ type, timeLimit: hours(24), input: [], ...options, stages: [] });

export type OperationOptions<Input = object> = {
  /** Counts from its first run; not while no worker was free. */
  readonly timeLimit?: Milliseconds;
  /** Names of facts that the input gives, for steps that extensions add. */
  readonly input?: readonly (keyof Input & string)[];
};

/** What the engine runs: the same table, without the types of the facts. */
export type OperationDefinition = {
  readonly type: string;
  readonly timeLimit: Milliseconds;
  readonly input: readonly string[];
  readonly stages: readonly Stage[];
};
export type Stage = { readonly name: string; readonly steps: readonly RegisteredStep[] };
export type RegisteredStep = {
  readonly name: string;
  readonly retry?: RetryPolicy;
  readonly about?: string;
  readonly domain?: string;
  readonly owner?: string;
  readonly weight: number;
  /** The extension that it comes from; none, if the operation itself has it. */
  readonly addedBy?: string;
  readonly needs?: readonly string[];
  readonly gives?: readonly string[];
  readonly conditions?: readonly Condition<Facts>[];
  readonly run: (context: StepContext<Facts>) => Promise<Outcome<Facts>>;
};
export type Facts = Readonly<Record<string, unknown>>;

export class Operation<Known> {
  readonly definition: OperationDefinition;

  constructor(definition: OperationDefinition) {
    this.definition = definition;
  }

  stage<const Steps extends readonly AnyStep[]>(
    name: string,
    ...steps: Steps & InOrder<Known, Steps>
  ): Operation<Known & GivenBy<Steps>> {
    const given: readonly AnyStep[] = steps;
    return new Operation({
      ...this.definition,
      stages: [
        ...this.definition.stages,
        {
          name,
          steps: given.map((step, index) => registered(step, step.weight ?? (index + 1) * 10)),
        },
      ],
    });
  }
}

/** InOrder has made sure that the facts a step needs are there when it runs; from here on they have no types. */
export const registered = (step: AnyStep, weight: number): RegisteredStep =>
  ({ ...step, weight }) as unknown as RegisteredStep;

/** Any step at all: one that needs everything, and may give anything. */
export type AnyStep = Omit<Step<never>, 'gives' | 'needs'> & {
  readonly needs?: readonly string[];
  readonly gives?: readonly string[];
};

type NeedsOf<S> = S extends { run: (context: StepContext<infer Needs>) => unknown } ? Needs : never;
type GivesOf<S> = S extends Step<never, infer Gives> ? Gives : object;

type GivenBy<Steps> = Steps extends readonly [infer First, ...infer Rest]
  ? GivesOf<First> & GivenBy<Rest>
  : unknown;

type InOrder<Known, Steps> = Steps extends readonly [infer First, ...infer Rest]
  ? readonly [
      Known extends NeedsOf<First>
        ? First
        : NeedsFactsThatNoEarlierStepGives<Missing<Known, NeedsOf<First>>>,
      ...InOrder<Known & GivesOf<First>, Rest>,
    ]
  : readonly [];

type Missing<Known, Needs> = {
  [Fact in keyof Needs]: Fact extends keyof Known
    ? Known[Fact] extends Needs[Fact]
      ? never
      : Fact
    : Fact;
}[keyof Needs];

/** Never a value: its name is the compiler's message. */
type NeedsFactsThatNoEarlierStepGives<Names> = {
  readonly 'needs facts that no earlier step gives': Names;
};
