import { DefinitionError, type Addition, type Definitions } from '#engine';

const places = ['before', 'after', 'weight'] as const;
const known = new Set<string>([...places, 'stage', 'step', 'when']);

/**
 * Adds the step, or says what is wrong with it. The module may come without types, so that mistakes are looked for which a
 * compiler would have found, too.
 */
export function addStep(
  definitions: Definitions,
  operation: string,
  addition: Addition,
  addedBy?: string,
): void {
  const step: Partial<Addition['step']> = addition.step ?? {};
  if (typeof step.name !== 'string' || step.name === '') refuse('a step has no name');
  const what = `cannot add step '${step.name}' to operation '${operation}'`;
  if (typeof step.run !== 'function') refuse(`${what}: its 'run' is not a function`);
  const unknown = Object.keys(addition).find((key) => !known.has(key));
  if (unknown !== undefined)
    refuse(`${what}: '${unknown}' is not known; an addition has ${[...known].join(', ')}`);
  const given = places.filter((place) => addition[place] !== undefined);
  if (given.length !== 1)
    refuse(`${what}: give one of ${places.join(', ')}, not ${given.join(' and ') || 'none'}`);
  checkFacts(definitions, operation, step.gives ?? [], what);
  definitions.extend(operation, addition, addedBy);
}

/** A fact has one owner: whoever gave it a second time would change what other steps build on. */
function checkFacts(
  definitions: Definitions,
  operation: string,
  gives: readonly string[],
  what: string,
): void {
  const { input, stages } = definitions.get(operation);
  for (const fact of gives) {
    if (input.includes(fact))
      refuse(`${what}: it gives the fact '${fact}', which the request gives`);
    const owner = stages.flatMap(({ steps }) => steps).find((each) => each.gives?.includes(fact));
    if (owner)
      refuse(`${what}: it gives the fact '${fact}', which step '${owner.name}' gives already`);
  }
}

function refuse(message: string): never {
  throw new DefinitionError(message);
}
