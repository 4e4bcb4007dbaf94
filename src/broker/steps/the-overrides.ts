import type { StageMemory } from '#engine';
import type { Instance } from '../instance.ts';
import { newOverrides } from '../kyma/chosen-components.ts';
import { overridesKey, type Overrides } from '../overrides.ts';

/** What the steps of the stage have collected so far; whichever comes first begins. */
export function theOverrides(memory: StageMemory, { parameters }: Instance): Overrides {
  if (!memory.has(overridesKey)) memory.set(overridesKey, newOverrides(parameters));
  return memory.get(overridesKey);
}
