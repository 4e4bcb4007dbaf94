import type { JsonSchema } from '../api-types.ts';

/** What stands in the fields, by path: `oidc.clientID`. */
export type Draft = Readonly<Record<string, string>>;
export type Problems = Readonly<Record<string, string>>;

/** The schema's fields in the order in which it wants them shown. */
export function fieldsOf({ properties = {}, _controlsOrder = [] }: JsonSchema) {
  const names = new Set([..._controlsOrder, ...Object.keys(properties)]);
  return [...names].flatMap((name) => {
    const schema = properties[name];
    return schema ? [[name, schema] as const] : [];
  });
}

export const labelOf = (name: string, { title }: JsonSchema) =>
  title ?? name.replace(/([a-z])([A-Z])/g, '$1 $2').replace(/^./, (first) => first.toUpperCase());

/** What is there already, as it would have been typed. */
export function draftOf(schema: JsonSchema, values: Readonly<Record<string, unknown>>): Draft {
  return Object.fromEntries(
    fieldsOf(schema).flatMap(([name, each]): [string, string][] => {
      const value = values[name];
      if (value === undefined || value === null) return [];
      if (each.type === 'object') {
        const inner = draftOf(each, value as Readonly<Record<string, unknown>>); // of an order that was accepted
        return Object.entries(inner).map(([path, text]) => [`${name}.${path}`, text]);
      }
      return [[name, Array.isArray(value) ? value.join('\n') : textOf(value)]];
    }),
  );
}

/** What would be ordered, and what is wrong with it. Fields that are empty are left out. */
export function readDraft(schema: JsonSchema, draft: Draft) {
  const problems: Record<string, string> = {};
  const readObject = (of: JsonSchema, prefix: string): Record<string, unknown> | undefined => {
    const found: Record<string, unknown> = {};
    const missing: string[] = [];
    for (const [name, each] of fieldsOf(of)) {
      const path = prefix + name;
      const value =
        each.type === 'object' ? readObject(each, `${path}.`) : readValue(each, draft[path] ?? '');
      const problem = value === undefined ? undefined : problemOf(each, value);
      if (problem !== undefined) problems[path] = problem;
      if (value !== undefined) found[name] = value;
      else if (of.required?.includes(name) && each.type !== 'object') missing.push(path);
    }
    // An object that nobody has touched is not wanted, whatever it would need.
    const isWanted = prefix === '' || Object.keys(found).length > 0;
    if (isWanted) for (const path of missing) problems[path] = 'This is needed.';
    return isWanted ? found : undefined;
  };
  const parameters = readObject(schema, '') ?? {};
  return { parameters, problems };
}

/** Of a value that is no list and no object. */
export const textOf = (value: unknown): string =>
  typeof value === 'string' ? value : JSON.stringify(value);

function readValue({ type }: JsonSchema, text: string): unknown {
  const trimmed = text.trim();
  if (trimmed === '') return undefined;
  switch (type) {
    case 'integer':
    case 'number':
      return Number(trimmed);
    case 'boolean':
      return trimmed === 'true';
    case 'array':
      return trimmed
        .split(/[\n,]/)
        .map((each) => each.trim())
        .filter(Boolean);
    case undefined:
    default:
      return trimmed;
  }
}

function problemOf(schema: JsonSchema, value: unknown): string | undefined {
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

/** The broker names parameters in its refusals: each then stands beside its field. */
export function problemsNamedIn(message: string, schema: JsonSchema): Problems {
  const paths = fieldsOf(schema).flatMap(([name, each]) =>
    each.type === 'object'
      ? [name, ...fieldsOf(each).map(([inner]) => `${name}.${inner}`)]
      : [name],
  );
  return Object.fromEntries(
    paths.flatMap((path) => {
      const found = new RegExp(`(?:^|[\\s,;])${path.replaceAll('.', '\\.')}: (.+)`).exec(message);
      return found?.[1] === undefined ? [] : [[path, found[1]]];
    }),
  );
}
