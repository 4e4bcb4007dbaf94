import type { core } from 'zod';
import { shortened } from './invalid-parameters.ts';

type Issue = core.$ZodIssue;

/** Known members that are refused with words of their own. */
const refusedMembers: ReadonlyMap<string, string> = new Map([
  ['networking.pods', "pod network's CIDR is not supported in the request"],
  ['networking.services', "service network's CIDR is not supported in the request"],
]);

/** One line for each thing that is wrong with the form of the parameters: `<parameter>: <what is allowed> (got <value>)`. */
export function describeIssue(issue: Issue, input: unknown, accepted: readonly string[]): string[] {
  const path = issue.path.map(String);
  const place = path.join('.') || '(root)';
  const value = memberAt(input, path);
  const line = (problem: string) => [`${place}: ${problem}${got(path, value)}`];
  switch (issue.code) {
    case 'unrecognized_keys':
      return issue.keys.map((key) => refusal(key, path, accepted));
    case 'invalid_type': {
      if (value === undefined) {
        return [`${path.slice(0, -1).join('.') || '(root)'}: ${path.at(-1)} is required`];
      }
      // All our numbers are whole, and some are first refused for being none.
      const isNumber = issue.expected === 'int' || issue.expected === 'number';
      const expected = isNumber ? 'integer' : issue.expected;
      return line(`Invalid type. Expected: ${expected}, given: ${typeName(value)}`);
    }
    case 'invalid_value':
      return line(
        `${place} must be one of the following: ${issue.values.map((each) => JSON.stringify(each)).join(', ')}`,
      );
    case 'invalid_format':
      return line(`Does not match pattern '${issue.pattern?.replace(/^\/|\/$/g, '')}'`);
    case 'too_small':
      return line(`${sizeOf(issue.origin)} greater than or equal to ${issue.minimum}`);
    case 'too_big':
      return line(`${sizeOf(issue.origin)} less than or equal to ${issue.maximum}`);
    case 'invalid_union':
      return closestBranch(issue.errors, value).flatMap((inner) =>
        describeIssue({ ...inner, path: [...issue.path, ...inner.path] }, input, accepted),
      );
    case 'custom':
    case 'invalid_element':
    case 'invalid_key':
    case 'not_multiple_of':
      return line(issue.message);
  }
}

/** An unknown name may be a secret's under a wrong name: the value stays unsaid. */
function refusal(key: string, path: readonly string[], accepted: readonly string[]): string {
  const member = [...path, key].join('.');
  const own = refusedMembers.get(member);
  if (own) return `${member}: ${own}`;
  const allowed = path.length === 0 ? ` (allowed: ${accepted.join(', ') || 'none'})` : '';
  const place = path.join('.') || '(root)';
  return `${place}: Additional property ${shortened(key).slice(1, -1)} is not allowed${allowed}`;
}

const got = ([parameter]: readonly string[], value: unknown) =>
  parameter === 'kubeconfig' ? '' : ` (got ${shortened(value)})`;

const sizeOf = (origin: string) =>
  origin === 'string' ? 'String length must be' : origin === 'array' ? 'Length must be' : 'Must be';

/** Of the forms that a value may have, the one it was probably meant to have. */
function closestBranch(branches: readonly Issue[][], value: unknown): readonly Issue[] {
  const strange = (issues: readonly Issue[]) =>
    issues.filter(({ code }) => code === 'unrecognized_keys').length;
  const [best = []] = branches.toSorted(
    (one, other) => strange(one) - strange(other) || one.length - other.length,
  );
  return typeof value === 'object' ? best : best.slice(0, 1);
}

/** As JSON schemas call it. */
export function typeName(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'number') return Number.isInteger(value) ? 'integer' : 'number';
  return typeof value;
}

function memberAt(input: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>(
    (value, key) =>
      typeof value === 'object' && value !== null && Object.hasOwn(value, key)
        ? (value as Record<string, unknown>)[key]
        : undefined,
    input,
  );
}
