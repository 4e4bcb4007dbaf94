import type { Condition, Facts, OperationDefinition } from '#engine';
import { isStillToDo } from '../steps/removal.ts';

type Definition = { readonly definition: OperationDefinition };

/** A removal of which each step that may be left behind can be done by another removal, without the rest. */
export function ableToGoOn({ definition }: Definition): Definition {
  if (definition.type !== 'deprovision') return { definition };
  const stages = definition.stages.map((stage) => ({
    ...stage,
    steps: stage.steps.map((step) => {
      if (step.retry?.otherwise !== 'go on') return step;
      const isLeft: Condition<Facts> = isStillToDo(step.name);
      return { ...step, conditions: [...(step.conditions ?? []), isLeft] };
    }),
  }));
  return { definition: { ...definition, stages } };
}
