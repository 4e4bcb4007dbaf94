import type { z } from 'zod';
import { InvalidInput, shown } from './invalid-input.ts';

/** In GraphQL a member that is null is a member left out. In a list, null is an element, and nobody wants it. */
export function parseInput<Input extends z.ZodType>(
  schema: Input,
  input: unknown,
): z.output<Input> {
  const given = withoutNulls(input);
  const parsed = schema.safeParse(given);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  if (!issue) throw parsed.error;
  const [unknown] = issue.code === 'unrecognized_keys' ? issue.keys : [];
  const path = unknown === undefined ? issue.path : [...issue.path, unknown];
  const field = path.map(pathPart).join('').replace(/^\./, '');
  const expected = unknown === undefined ? issue.message : 'there is no such field';
  throw new InvalidInput(field, `${field} is ${shown(field, valueAt(given, path))}: ${expected}`);
}

const pathPart = (part: PropertyKey) =>
  typeof part === 'number' ? `[${part}]` : `.${String(part)}`;

function withoutNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNulls);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, member]) =>
      member === null || member === undefined ? [] : [[key, withoutNulls(member)]],
    ),
  );
}

const valueAt = (value: unknown, path: readonly PropertyKey[]): unknown =>
  path.reduce<unknown>(
    (at, part) =>
      typeof at === 'object' && at !== null && Object.hasOwn(at, part)
        ? (at as Record<PropertyKey, unknown>)[part] // it has been asked whether it is there
        : undefined,
    value,
  );
