import { z } from 'zod';
import { Refusal } from '../errors.ts';
import { shortened } from '../plans/invalid-parameters.ts';

type Query = Readonly<Record<string, unknown>>;

/** The query as the schema has it. An error names the parameter, its value and what is allowed. */
export function readQuery<Schema extends z.ZodType>(
  schema: Schema,
  query: Query,
): z.output<Schema> {
  const read = schema.safeParse(query);
  if (read.success) return read.data;
  const problems = read.error.issues.map((issue) => {
    if (issue.code === 'unrecognized_keys') return `${issue.keys.join(', ')} is not known here`;
    const [name = ''] = issue.path;
    const value = query[String(name)];
    const given = value === undefined ? '' : ` is ${shortened(value)}:`;
    return `${String(name)}${given} ${issue.message}`;
  });
  throw new Refusal('MALFORMED_REQUEST', `while getting query parameters: ${problems.join('; ')}`);
}

/** Of a parameter that may be repeated, and whose values may be separated by commas. */
export const values = z
  .union([z.string(), z.array(z.string())])
  .optional()
  .transform((given) =>
    [given ?? []]
      .flat()
      .flatMap((each) => each.split(','))
      .map((each) => each.trim())
      .filter(Boolean),
  );

export const largestPage = 100;

const whole = (name: string, most: number) =>
  z
    .union([z.string(), z.array(z.string())])
    .optional()
    .transform((given, context) => {
      const problem = (message: string) => {
        context.addIssue({ code: 'custom', message });
        return z.NEVER;
      };
      if (given === undefined) return undefined;
      if (typeof given !== 'string') return problem(`${name} has to be one parameter`);
      if (!/^-?\d{1,9}$/.test(given)) return problem(`${name} has to be an integer`);
      if (Number(given) < 1) return problem(`${name} cannot be smaller than 1`);
      if (Number(given) > most) return problem(`${name} is bigger than maxPage(${most})`);
      return Number(given);
    });

/** `page` and `page_size`, for lists. */
export const paging = {
  page: whole('page', 10_000_000).transform((page) => page ?? 1),
  page_size: whole('pageSize', largestPage).transform((size) => size ?? largestPage),
};
