import { Kind, visit, type DocumentNode } from 'graphql';

/** What a request may cost, decided before anything is compared or executed. Generous for every client we know of. */
export const queryLimits = {
  /** Of the text: inline overrides of a whole Kyma are long. */
  tokens: 50_000,
  /** Fields as they are written. Comparing them with each other costs their square. */
  fields: 600,
  /** Deepest nesting as it is written; fragments count where they are defined. */
  depth: 20,
  /** Fields at the root: each is an operation, or a look at the database and at Gardener. */
  roots: 20,
  /** Uses of fragments: a fragment of fragments multiplies. */
  spreads: 50,
  directives: 50,
} as const;

/** What is too much about it; undefined if nothing. */
export function excessOf(document: DocumentNode): string | undefined {
  const counts = { fields: 0, depth: 0, roots: 0, spreads: 0, directives: 0 };
  let depth = 0;
  visit(document, {
    OperationDefinition({ selectionSet }) {
      counts.roots = Math.max(counts.roots, selectionSet.selections.length);
    },
    SelectionSet: {
      enter() {
        depth += 1;
        counts.depth = Math.max(counts.depth, depth);
      },
      leave() {
        depth -= 1;
      },
    },
    Field() {
      counts.fields += 1;
    },
    FragmentSpread() {
      counts.spreads += 1;
    },
    Directive() {
      counts.directives += 1;
    },
  });
  for (const name of ['fields', 'depth', 'roots', 'spreads', 'directives'] as const) {
    if (counts[name] > queryLimits[name])
      return `the request has ${counts[name]} ${words[name]}: at most ${queryLimits[name]} are allowed`;
  }
  return undefined;
}

const words = {
  fields: 'fields',
  depth: 'levels',
  roots: 'root fields',
  spreads: 'uses of fragments',
  directives: 'directives',
} as const;

/** The one to execute, as the name says; undefined if that is not clear. */
export function chosenOperation(document: DocumentNode, name: string | undefined) {
  const operations = document.definitions.filter((each) => each.kind === Kind.OPERATION_DEFINITION);
  if (name) return operations.find((each) => each.name?.value === name);
  return operations.length === 1 ? operations[0] : undefined;
}
