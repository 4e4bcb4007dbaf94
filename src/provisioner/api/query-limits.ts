import {
  Kind,
  Lexer,
  TokenKind,
  type ArgumentNode,
  type DirectiveNode,
  type DocumentNode,
  type SelectionNode,
  type SelectionSetNode,
  type Source,
} from 'graphql';
import { excessInArguments, excessInValue } from './value-limits.ts';

/** What a request may cost, decided before anything is compared or executed. Generous for every client we know of. */
export const queryLimits = {
  /** Of the text: inline overrides of a whole Kyma are long. */
  tokens: 50_000,
  /** Brackets of all kinds within each other: the parser calls itself for each. */
  brackets: 50,
  /** Fields as they are written. Comparing them with each other costs their square. */
  fields: 600,
  /** The same, those of a fragment counted wherever it is used: this many are executed. */
  executed: 1_000,
  /** Fields that ask for the schema, counted so: each is answered for every type, or for every field of each type. */
  schema: 200,
  /** Deepest nesting as it is written; fragments count where they are defined. */
  depth: 20,
  /** Fields at the root: each is an operation, or a look at the database and at Gardener. */
  roots: 20,
  /** Uses of fragments. */
  spreads: 50,
  directives: 50,
  /** Arguments, and variables where they are declared. */
  arguments: 200,
} as const;

type Counted = Exclude<keyof typeof queryLimits, 'tokens' | 'brackets'>;

const words: Readonly<Record<Counted, string>> = {
  fields: 'fields',
  executed: 'fields, with those of fragments wherever they are used',
  schema: 'fields that ask for the schema',
  depth: 'levels',
  roots: 'root fields',
  spreads: 'uses of fragments',
  directives: 'directives',
  arguments: 'arguments and variables',
};

const opening: ReadonlySet<string> = new Set(['{', '[', '(']);
const closing: ReadonlySet<string> = new Set(['}', ']', ')']);

/** Why the text must not be parsed; undefined if it may. Throws a syntax error at what is no token. */
export function excessOfText(source: Source): string | undefined {
  const lexer = new Lexer(source);
  let [brackets, tokens] = [0, 0];
  for (let { kind } = lexer.advance(); kind !== TokenKind.EOF; { kind } = lexer.advance()) {
    tokens += 1;
    if (tokens > queryLimits.tokens)
      return `the request is too long: at most ${queryLimits.tokens} tokens are allowed`;
    if (opening.has(kind)) brackets += 1;
    else if (closing.has(kind)) brackets -= 1;
    if (brackets > queryLimits.brackets)
      return `the request is nested too deeply: at most ${queryLimits.brackets} brackets within each other are allowed`;
  }
  return undefined;
}

/** What is too much about it; undefined if nothing. */
export function excessOf(document: DocumentNode): string | undefined {
  const written = countsOf(document);
  const excess = excessIn(written.counts) ?? written.inValues;
  if (excess !== undefined) return excess;
  // Fragments are few from here on, and can be followed.
  const executedIn = fieldCounter(document, 'with what is below');
  const rootsIn = fieldCounter(document, 'at the top');
  return excessIn({
    roots: Math.max(...written.operations.map(rootsIn)),
    executed: sum(written.operations.map(executedIn)),
    schema: sum(written.aboutSchema.map(executedIn)),
  });
}

function excessIn(counts: Partial<Record<Counted, number>>): string | undefined {
  for (const [name, phrase] of Object.entries(words) as [Counted, string][]) {
    const count = counts[name] ?? 0;
    const limit = queryLimits[name];
    if (count > limit) return `the request has ${count} ${phrase}: at most ${limit} are allowed`;
  }
  return undefined;
}

/** Everything as it is written. */
function countsOf({ definitions }: DocumentNode) {
  const counts = { fields: 0, depth: 0, spreads: 0, directives: 0, arguments: 0 };
  const operations: SelectionSetNode[] = [];
  const aboutSchema: SelectionSetNode[] = [];
  let inValues: string | undefined;
  const lookAtArguments = (given: readonly ArgumentNode[] = []) => {
    counts.arguments += given.length;
    inValues ??= excessInArguments(given);
  };
  const lookAtDirectives = (directives: readonly DirectiveNode[] = []) => {
    counts.directives += directives.length;
    for (const each of directives) lookAtArguments(each.arguments);
  };
  const look = ({ selections }: SelectionSetNode, depth: number) => {
    counts.depth = Math.max(counts.depth, depth);
    for (const each of selections) {
      lookAtDirectives(each.directives);
      if (each.kind === Kind.FRAGMENT_SPREAD) counts.spreads += 1;
      else if (each.selectionSet) look(each.selectionSet, depth + 1);
      if (each.kind !== Kind.FIELD) continue;
      counts.fields += 1;
      lookAtArguments(each.arguments);
      if (each.selectionSet && schemaFields.has(each.name.value))
        aboutSchema.push(each.selectionSet);
    }
  };
  for (const each of definitions) {
    lookAtDirectives(each.directives);
    if (!('selectionSet' in each)) continue;
    look(each.selectionSet, 1);
    if (each.kind !== Kind.OPERATION_DEFINITION) continue;
    operations.push(each.selectionSet);
    for (const { variable, defaultValue, directives } of each.variableDefinitions ?? []) {
      counts.arguments += 1;
      lookAtDirectives(directives);
      inValues ??= defaultValue && excessInValue(defaultValue, variable.name.value);
    }
  }
  return { counts, operations, aboutSchema, inValues };
}

const schemaFields: ReadonlySet<string> = new Set(['__schema', '__type']);
const sum = (numbers: readonly number[]) => numbers.reduce((total, each) => total + each, 0);

/** Counts fields as they will be executed. A fragment that is within itself counts as nothing: it is refused elsewhere. */
function fieldCounter(
  { definitions }: DocumentNode,
  extent: 'at the top' | 'with what is below',
): (set: SelectionSetNode) => number {
  const fragments = new Map<string, SelectionSetNode>();
  for (const each of definitions)
    if (each.kind === Kind.FRAGMENT_DEFINITION) fragments.set(each.name.value, each.selectionSet);
  const known = new Map<string, number>();
  const inFragment = (name: string): number => {
    const before = known.get(name);
    if (before !== undefined) return before;
    known.set(name, 0);
    const set = fragments.get(name);
    const count = set ? inSet(set) : 0;
    known.set(name, count);
    return count;
  };
  const inSelection = (each: SelectionNode): number => {
    if (each.kind === Kind.FRAGMENT_SPREAD) return inFragment(each.name.value);
    if (each.kind === Kind.INLINE_FRAGMENT) return inSet(each.selectionSet);
    return 1 + (each.selectionSet && extent !== 'at the top' ? inSet(each.selectionSet) : 0);
  };
  const inSet = ({ selections }: SelectionSetNode): number => sum(selections.map(inSelection));
  return inSet;
}

/** The one to execute, as the name says; undefined if that is not clear. */
export function chosenOperation({ definitions }: DocumentNode, name: string | undefined) {
  const operations = definitions.filter((each) => each.kind === Kind.OPERATION_DEFINITION);
  if (name) return operations.find((each) => each.name?.value === name);
  return operations.length === 1 ? operations[0] : undefined;
}
