import type { AnyStep, OperationDefinition, RegisteredStep, Stage } from './operation.ts';
import { registered } from './operation.ts';
import type { Condition } from './step.ts';

/** A mistake in an operation or an extension. Stops the start. */
export class DefinitionError extends Error {
  override readonly name = 'DefinitionError';
}

/** Where an added step goes: beside a named step, or by weight among the others of its stage. */
export type Addition = {
  readonly stage: string;
  readonly step: AnyStep;
  readonly when?: Condition<never>;
} & (
  | { readonly before: string; readonly after?: never; readonly weight?: never }
  | { readonly after: string; readonly before?: never; readonly weight?: never }
  | { readonly weight: number; readonly before?: never; readonly after?: never }
);

/** All operations that an engine knows, checked. Extensions add steps to it before the engine is made of it. */
export class Definitions {
  readonly #byType = new Map<string, OperationDefinition>();

  constructor(operations: readonly { readonly definition: OperationDefinition }[]) {
    for (const { definition } of operations) {
      if (this.#byType.has(definition.type))
        refuse(`operation '${definition.type}' is defined twice`);
      check(definition);
      this.#byType.set(definition.type, definition);
    }
  }

  get types(): string[] {
    return [...this.#byType.keys()];
  }

  get(type: string): OperationDefinition {
    const definition = this.#byType.get(type);
    if (!definition) refuse(`unknown operation '${type}'; known are ${list(this.types)}`);
    return definition;
  }

  /** Adds a step without touching the operation's own file. `addedBy`: who did, for the people who read the tables. */
  extend(type: string, addition: Addition, addedBy?: string): void {
    const definition = this.get(type);
    const stage = definition.stages.find(({ name }) => name === addition.stage);
    const what = `cannot add step '${addition.step.name}' to operation '${type}'`;
    if (!stage) {
      refuse(
        `${what}: it has no stage '${addition.stage}'; its stages are ${list(names(definition.stages))}`,
      );
    }
    const steps = place(stage, addition, what, addedBy);
    const extended = {
      ...definition,
      stages: definition.stages.map((each) => (each === stage ? { ...stage, steps } : each)),
    };
    check(extended);
    this.#byType.set(type, extended);
  }
}

function place(
  stage: Stage,
  addition: Addition,
  what: string,
  addedBy: string | undefined,
): RegisteredStep[] {
  const { when: condition, step } = addition;
  const conditions = [...(condition ? [condition] : []), ...(step.conditions ?? [])];
  const added = (weight: number): RegisteredStep => ({
    ...registered({ ...step, ...(conditions.length > 0 && { conditions }) }, weight),
    ...(addedBy !== undefined && { addedBy }),
  });
  if (addition.weight !== undefined) {
    checkWeight(addition.weight, what);
    const at = stage.steps.findIndex(({ weight }) => weight > addition.weight);
    return stage.steps.toSpliced(at < 0 ? stage.steps.length : at, 0, added(addition.weight));
  }
  const neighbour = addition.before ?? addition.after;
  const index = stage.steps.findIndex(({ name }) => name === neighbour);
  const found = stage.steps[index];
  if (!found) {
    refuse(
      `${what}: stage '${stage.name}' has no step '${neighbour}'; its steps are ${list(names(stage.steps))}`,
    );
  }
  return stage.steps.toSpliced(addition.before ? index : index + 1, 0, added(found.weight));
}

function check({ type, input, stages }: OperationDefinition): void {
  const of = `operation '${type}'`;
  if (!type) refuse('an operation has no name');
  if (stages.length === 0) refuse(`${of} has no stages`);
  const known = new Set(input);
  const stagesSeen = new Set<string>();
  const stepsSeen = new Map<string, string>();
  for (const stage of stages) {
    if (!stage.name) refuse(`${of} has a stage without a name`);
    if (stagesSeen.has(stage.name)) refuse(`${of} has two stages named '${stage.name}'`);
    if (stage.steps.length === 0) refuse(`stage '${stage.name}' of ${of} has no steps`);
    stagesSeen.add(stage.name);
    let heaviest = 1;
    for (const step of stage.steps) {
      const here = `step '${step.name}' in stage '${stage.name}' of ${of}`;
      if (!step.name) refuse(`stage '${stage.name}' of ${of} has a step without a name`);
      const before = stepsSeen.get(step.name);
      if (before)
        refuse(
          `${here} has the name of a step in stage '${before}'; names are unique in an operation`,
        );
      stepsSeen.set(step.name, stage.name);
      checkWeight(step.weight, here);
      if (step.weight < heaviest)
        refuse(`${here} has weight ${step.weight}, below ${heaviest} of the step before it`);
      heaviest = step.weight;
      const missing = step.needs?.find((fact) => !known.has(fact));
      if (missing !== undefined) {
        refuse(
          `${here} needs the fact '${missing}', which no earlier step gives; known there are ${list([...known])}`,
        );
      }
      for (const fact of step.gives ?? []) known.add(fact);
    }
  }
}

function checkWeight(weight: number, whose: string): void {
  if (!Number.isInteger(weight) || weight < 1) {
    refuse(`${whose}: weight ${weight} is not allowed; a weight is a whole number of at least 1`);
  }
}

const names = (all: readonly { readonly name: string }[]) => all.map(({ name }) => name);
const list = (all: readonly string[]) =>
  all.length === 0 ? 'none' : all.map((name) => `'${name}'`).join(', ');

function refuse(message: string): never {
  throw new DefinitionError(message);
}
