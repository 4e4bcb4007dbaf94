import type { JsonSchema } from '../api-types.ts';
import { allFieldsOf } from './fields.ts';

/** What is wrong, by the path of the field. */
export type Problems = Readonly<Record<string, string>>;

/** What the schema has against a value. */
export function problemOf(schema: JsonSchema, value: unknown): string | undefined {
  const { minimum, maximum, minLength = 0, maxLength = Infinity, minItems = 0, pattern } = schema;
  if (typeof value === 'number') {
    if (!Number.isFinite(value) || (schema.type === 'integer' && !Number.isInteger(value)))
      return 'This must be a whole number.';
    if (minimum !== undefined && value < minimum) return `This must be at least ${minimum}.`;
    if (maximum !== undefined && value > maximum) return `This must be at most ${maximum}.`;
  }
  if (typeof value === 'string') {
    if (schema.enum && !schema.enum.includes(value))
      return `This must be one of ${schema.enum.join(', ')}.`;
    if (value.length < minLength) return `This needs at least ${minLength} characters.`;
    if (value.length > maxLength) return `This may have at most ${maxLength} characters.`;
    if (pattern !== undefined && !new RegExp(pattern).test(value))
      return `This may not contain such characters (it must match ${pattern}).`;
  }
  if (Array.isArray(value)) {
    if (value.length < minItems) return `This needs at least ${minItems} entries.`;
    const bad = schema.items && value.find((each) => problemOf(schema.items!, each) !== undefined);
    if (bad !== undefined) return `${String(bad)}: ${problemOf(schema.items!, bad)}`;
  }
  return undefined;
}

/**
 * The broker names parameters in its refusals: each then stands beside its field. Mostly as `path: what is wrong`, one
 * after the other; rules about several values name them in a sentence.
 */
export function problemsNamedIn(message: string, schema: JsonSchema): Problems {
  const names = allFieldsOf(schema).map(([name]) => name);
  const named = new RegExp(`(?:^|[\\s,;])((?:${names.join('|')})(?:\\.\\w+)*): `, 'g');
  const found = [...message.matchAll(named)];
  if (found.length === 0) return problemsOfSentence(message, schema);
  return Object.fromEntries(
    found.map(({ 0: { length }, 1: path = '', index }, at) => {
      const text = message.slice(index + length, found[at + 1]?.index).replace(/[\s,;]+$/, '');
      return [path.replace(/\.\d+$/, ''), text]; // an entry of a list of texts has no field of its own
    }),
  );
}

function problemsOfSentence(message: string, schema: JsonSchema): Problems {
  const words = new Set(message.toLowerCase().split(/\W+/));
  const paths = allFieldsOf(schema).flatMap(([name, each]) => [
    name,
    ...allFieldsOf(each).map(([inner]) => `${name}.${inner}`),
  ]);
  const isNamed = (path: string) => words.has(path.split('.').at(-1)!.toLowerCase());
  return Object.fromEntries(paths.filter(isNamed).map((path) => [path, message]));
}
