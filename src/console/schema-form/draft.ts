import type { JsonSchema } from '../api-types.ts';
import { allFieldsOf, kindOf } from './fields.ts';
import { problemOf, type Problems } from './problems.ts';

/**
 * What stands in the fields, by path: `oidc.clientID`, `modules.list.0.name`. Where there are several forms, the path has
 * the number of the chosen one, from 1; where there are entries, how many.
 */
export type Draft = Readonly<Record<string, string>>;

type Values = Readonly<Record<string, unknown>>;

/** What is there already, as it would have been typed. */
export function draftOf(schema: JsonSchema, values: Values): Draft {
  return Object.fromEntries(
    allFieldsOf(schema).flatMap(([name, each]) => textsOf(name, each, values[name])),
  );
}

function textsOf(path: string, schema: JsonSchema, value: unknown): [string, string][] {
  if (value === undefined || value === null) return [];
  const within = (prefix: string, of: JsonSchema, inner: unknown): [string, string][] =>
    Object.entries(draftOf(of, inner as Values)) // of an order that was accepted
      .map(([name, text]) => [`${prefix}.${name}`, text]);
  switch (kindOf(schema)) {
    case 'object':
      return within(path, schema, value);
    case 'forms': {
      const forms = schema.anyOf ?? [];
      const chosen = forms.findIndex(({ required = [] }) =>
        required.every((name) => name in (value as Values)),
      );
      const form = forms[chosen];
      return form ? [[path, `${chosen + 1}`], ...within(path, form, value)] : [];
    }
    case 'list': {
      const entries = value as readonly unknown[]; // as above
      return [
        [path, `${entries.length}`],
        ...entries.flatMap((entry, index) => within(`${path}.${index}`, schema.items ?? {}, entry)),
      ];
    }
    case 'value':
      return [[path, Array.isArray(value) ? value.join('\n') : textOf(value)]];
  }
}

/** What would be ordered, and what is wrong with it. Fields that are empty are left out. */
export function readDraft(schema: JsonSchema, draft: Draft) {
  const problems: Record<string, string> = {};

  /** An object that nobody has touched is not wanted, whatever it would need. */
  const readObject = (of: JsonSchema, prefix: string, isWanted: boolean): Values | undefined => {
    const found: Record<string, unknown> = {};
    const missing: string[] = [];
    for (const [name, each] of allFieldsOf(of)) {
      const isNeeded = of.required?.includes(name) === true;
      const value = readField(each, prefix + name, isNeeded && isWanted);
      if (value !== undefined) found[name] = value;
      else if (isNeeded && kindOf(each) === 'value') missing.push(prefix + name);
    }
    if (!isWanted && Object.keys(found).length === 0) return undefined;
    for (const path of missing) problems[path] = 'This is needed.';
    return found;
  };
  const readField = (of: JsonSchema, path: string, isNeeded: boolean): unknown => {
    switch (kindOf(of)) {
      case 'object':
        return readObject(of, `${path}.`, false);
      case 'forms': {
        const form = of.anyOf?.[Number(draft[path] ?? 0) - 1];
        return form && readObject(form, `${path}.`, true);
      }
      case 'list': {
        const entries = Array.from({ length: Number(draft[path] ?? 0) }, (_, index) =>
          readObject(of.items ?? {}, `${path}.${index}.`, true),
        );
        return entries.length > 0 || isNeeded ? entries : undefined;
      }
      case 'value': {
        const value = readValue(of, draft[path] ?? '');
        const problem = value === undefined ? undefined : problemOf(of, value);
        if (problem !== undefined) problems[path] = problem;
        return value;
      }
    }
  };
  const parameters = readObject(schema, '', true) ?? {};
  return { parameters, problems: problems as Problems };
}

/** The entries behind it move up. */
export function withoutEntry(draft: Draft, path: string, removed: number): Draft {
  const kept = Object.entries(draft).flatMap(([key, text]): [string, string][] => {
    const [, index, rest] = key.startsWith(`${path}.`)
      ? (/^(\d+)(\..*)$/.exec(key.slice(path.length + 1)) ?? [])
      : [];
    if (index === undefined) return [[key, text]];
    if (Number(index) === removed) return [];
    return [[`${path}.${Number(index) - (Number(index) > removed ? 1 : 0)}${rest}`, text]];
  });
  return { ...Object.fromEntries(kept), [path]: `${Number(draft[path] ?? 1) - 1}` };
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
