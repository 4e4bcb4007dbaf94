import type { Facts, MemoryKey, OperationDefinition, Outcome, StepContext } from '#engine';
import { StageMemory } from '../../src/engine/testing.ts';

/** What befalls which steps of which operation, each at its time. */
export type Disturbance = {
  readonly operation: string;
  readonly steps: readonly { readonly step: string; readonly mode: Mode }[];
};

/** Takes an operation away from the replica that runs it: what is done with all that a dead replica held. */
export type TakeAway = (operationId: string) => Promise<void>;

type Run = (context: StepContext<Facts>) => Promise<Outcome<Facts>>;

/** As when the process dies: nothing of this run is stored, and the stage starts over elsewhere at once. */
class Died extends Error {
  readonly temporary = true;
}
/** As when the last of the step's calls was answered with an outage: this run is on record, and tried again. */
class Broken extends Error {
  readonly temporary = true;
}

/**
 * From the innermost to the outermost, for a step that all of them befall: it is taken over before anything of it is done, as
 * two at work at the same time must not find what one of them has made before.
 */
const disturbances = {
  /** Every run is two: with the same facts, and the memory as it was at the start. */
  twice: (run) => async (context) => {
    await run({ ...context, memory: new SeparateMemory(context.memory) });
    return run(context);
  },

  /** The work is done, and nobody will ever know what came of it. */
  'crash after': (run, takeAway) =>
    losingOutcomes(run, async ({ operation }) => {
      await takeAway(operation.id);
      throw new Died();
    }),

  'error after': (run) =>
    losingOutcomes(run, () => Promise.reject(new Broken('the answer of the last call was lost'))),

  /**
   * Another replica starts the stage over while this one, believed dead, goes on until it wants to store something: as a
   * process that was frozen for a while.
   */
  'taken over': (run, takeAway) => {
    let runs = 0;
    const another = Promise.withResolvers<void>();
    const goOn = losingOutcomes(run, ({ operation }) => takeAway(operation.id));
    return async (context) => {
      runs += 1;
      if (runs === 1) {
        await takeAway(context.operation.id);
        await another.promise; // so that both are at work at the same time
      } else another.resolve();
      return goOn(context);
    };
  },

  'crash before': (run, takeAway) => {
    let crashes = 1;
    return async (context) => {
      if (crashes-- <= 0) return run(context);
      await takeAway(context.operation.id);
      throw new Died();
    };
  },
} as const satisfies Record<string, (run: Run, takeAway: TakeAway) => Run>;

export type Mode = keyof typeof disturbances;
export const modes = Object.keys(disturbances) as Mode[]; // it has no other keys

/** The operation with some of its steps disturbed. */
export function disturbed(
  definition: OperationDefinition,
  { operation, steps }: Disturbance,
  takeAway: TakeAway,
): OperationDefinition {
  if (definition.type !== operation) return definition;
  const missing = new Set(steps.map(({ step }) => step));
  const stages = definition.stages.map((stage) => ({
    ...stage,
    steps: stage.steps.map((step) => {
      missing.delete(step.name);
      const run = modes
        .filter((mode) => steps.some((each) => each.step === step.name && each.mode === mode))
        .reduce<Run>((inner, mode) => disturbances[mode](inner, takeAway), step.run);
      return { ...step, run };
    }),
  }));
  if (missing.size > 0) throw new Error(`${operation} has no step ${[...missing].join(', ')}`);
  return { ...definition, stages };
}

/** The first outcome of each kind: of a step that polls, the first look and the one that ends it. */
function losingOutcomes(run: Run, lose: (context: StepContext<Facts>) => Promise<void>): Run {
  const lost = new Set<Outcome<Facts>['kind']>();
  return async (context) => {
    const outcome = await run(context);
    if (!lost.has(outcome.kind)) {
      lost.add(outcome.kind);
      await lose(context);
    }
    return outcome;
  };
}

/** What is set in here is not seen by those who share the memory below. */
class SeparateMemory extends StageMemory {
  readonly #below: StageMemory;

  constructor(below: StageMemory) {
    super();
    this.#below = below;
  }

  override has(key: MemoryKey<unknown>): boolean {
    return super.has(key) || this.#below.has(key);
  }

  override get<Value>(key: MemoryKey<Value>): Value {
    return super.has(key) ? super.get(key) : this.#below.get(key);
  }
}
