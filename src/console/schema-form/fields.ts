import type { JsonSchema } from '../api-types.ts';

type NamedField = readonly [name: string, schema: JsonSchema];

/** The schema's fields in the order in which it wants them shown. */
export function fieldsOf({ properties = {}, _controlsOrder = [] }: JsonSchema): NamedField[] {
  const names = new Set([..._controlsOrder, ...Object.keys(properties)]);
  return [...names].flatMap((name) => {
    const schema = properties[name];
    return schema ? [[name, schema] as const] : [];
  });
}

/** What the schema takes and does not show: a pattern that is nothing but a name. */
export function furtherFieldsOf({ patternProperties = {} }: JsonSchema): NamedField[] {
  return Object.entries(patternProperties).flatMap(([pattern, schema]) => {
    const name = /^\^(\w+)\$$/.exec(pattern)?.[1];
    return name === undefined ? [] : [[name, schema] as const];
  });
}

export const allFieldsOf = (schema: JsonSchema) => [
  ...fieldsOf(schema),
  ...furtherFieldsOf(schema),
];

export const labelOf = (name: string, { title }: JsonSchema) =>
  title ??
  name
    .replace(/([a-z])([A-Z])/g, '$1 $2')
    .replaceAll('_', ' ')
    .replace(/^./, (first) => first.toUpperCase());

/** How a field is filled in: one of several forms, fields of its own, entries with fields of their own, or one text. */
export function kindOf({ type, anyOf, items }: JsonSchema): 'forms' | 'object' | 'list' | 'value' {
  if (anyOf) return 'forms';
  if (type === 'object') return 'object';
  return type === 'array' && items?.type === 'object' ? 'list' : 'value';
}

/** A form is called by what it must have. */
export const formLabel = (form: JsonSchema) => form.title ?? labelOf(form.required?.[0] ?? '', {});
