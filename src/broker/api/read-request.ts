import { z } from 'zod';
import { Refusal } from '../errors.ts';
import { shortened } from '../plans/invalid-parameters.ts';
import { typeName } from '../plans/schema-problems.ts';

const malformed = (message: string, options?: ErrorOptions) =>
  new Refusal('MALFORMED_REQUEST', message, options);

/** As far as a table takes ids. */
const longestId = 255;
const deepest = 64;

/** Platforms that send bodies name no other content. */
export function checkContentType(contentType: string | undefined): void {
  const type = contentType?.split(';')[0]?.trim().toLowerCase() ?? '';
  if (type === '' || type === 'application/json' || type.endsWith('+json')) return;
  throw malformed(`Content-Type is ${shortened(type)}: expected application/json`);
}

/** Nothing at all counts as no body: some platforms send its headers with every request. */
export function parseBody(text: string): unknown {
  if (text.trim() === '') return undefined;
  const body = parsed(text);
  checkTexts(body);
  return body;
}

/** The fields of a form, each with all its values. */
export function parseForm(text: string, contentType = ''): Record<string, string[]> {
  const type = contentType.split(';')[0]?.trim().toLowerCase();
  if (type !== 'application/x-www-form-urlencoded')
    throw new Refusal(
      'NOT_A_FORM',
      `Content-Type is ${shortened(type ?? '')}: expected application/x-www-form-urlencoded`,
    );
  const fields = new URLSearchParams(text);
  return Object.fromEntries([...new Set(fields.keys())].map((name) => [name, fields.getAll(name)]));
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    // The parser's own words would quote from the body, and that may hold credentials.
    throw malformed('the body is not JSON', { cause });
  }
}

/** PostgreSQL stores neither NUL nor half a character; and nobody needs to nest so deep that a stack would not suffice. */
function checkTexts(body: unknown): void {
  const left: [value: unknown, depth: number][] = [[body, 0]];
  for (let next = left.pop(); next; next = left.pop()) {
    const [value, depth] = next;
    if (typeof value === 'string') checkText('a text in the body', value);
    if (typeof value !== 'object' || value === null) continue;
    if (depth === deepest) throw malformed(`the body is nested deeper than ${deepest} levels`);
    for (const member of Object.values(value)) left.push([member, depth + 1]);
  }
}

function checkText(what: string, text: string): void {
  if (text.includes('\0') || !text.isWellFormed())
    throw malformed(`${what} contains NUL or half a character, which nobody can store`);
}

export function checkId(name: string, id: string): void {
  checkText(name, id);
  if (id === '' || id.length > longestId)
    throw malformed(`${name} is ${shortened(id)}: allowed are 1 to ${longestId} characters`);
}

/** The body as the schema has it. Values are not quoted: some are credentials. */
export function readBody<Schema extends z.ZodType>(
  schema: Schema,
  body: unknown,
): z.output<Schema> {
  if (typeof body !== 'object' || body === null || Array.isArray(body))
    throw malformed(`the body must be a JSON object, got ${typeName(body ?? null)}`);
  const read = schema.safeParse(body);
  if (read.success) return read.data;
  throw malformed(
    read.error.issues.map(({ path, message }) => `${path.join('.')} ${message}`).join(', '),
  );
}

const typed = (expected: string) => ({
  error: ({ input }: { readonly input?: unknown }) => `must be ${expected}, got ${typeName(input)}`,
});

/** A field that must be there. Null and the empty text are as if it were not. */
export const mandatoryText = (longest = longestId) =>
  z.preprocess(
    (value) => value ?? '',
    z.string(typed('a text')).min(1, 'missing').max(longest, `is longer than ${longest}`),
  );
export const mandatory = mandatoryText();

/** A field that may be left out, by null or an empty text too. */
export const optionalText = (longest = longestId) =>
  z
    .string(typed('a text'))
    .max(longest, `is longer than ${longest}`)
    .nullish()
    .transform((value) => value || undefined);

export const optionalBoolean = z
  .boolean(typed('true or false'))
  .nullish()
  .transform((value) => value ?? undefined);

export const optionalObject = <Shape extends z.ZodRawShape>(shape: Shape) =>
  z
    .object(shape, typed('an object'))
    .nullish()
    .transform((value) => value ?? undefined);

export const maintenanceInfo = optionalObject({ version: mandatory });

type Query = Readonly<Record<string, unknown>>;

/** A value of the query, if it is there. */
export function queryValue(query: Query, name: string): string | undefined {
  const value = query[name];
  if (value === undefined) return undefined;
  if (typeof value !== 'string') throw malformed(`${name} is given more than once`);
  if (value === '') throw malformed(`${name} is empty`);
  return value;
}

export function mandatoryQueryValue(query: Query, name: string): string {
  if (query[name] === undefined || query[name] === '') throw malformed(`${name} missing`);
  return queryValue(query, name) ?? '';
}

export function acceptsIncomplete(query: Query): boolean {
  const value = queryValue(query, 'accepts_incomplete') ?? 'false';
  if (value === 'true' || value === 'false') return value === 'true';
  throw malformed(`accepts_incomplete is ${shortened(value)}: allowed are true, false`);
}

/** Everything here takes its time. */
export function requireAsync(query: Query): void {
  if (!acceptsIncomplete(query)) throw asyncRequired();
}

export const asyncRequired = (because?: string) =>
  new Refusal(
    'ASYNC_REQUIRED',
    `This service plan requires client support for asynchronous service operations${because === undefined ? '' : ` (${because})`}: send accepts_incomplete=true.`,
  );
