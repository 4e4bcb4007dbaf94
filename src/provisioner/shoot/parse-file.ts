import { z } from 'zod';

/** The content of a file that an operator wrote. What is wrong with it is said without repeating it. */
export function parseFile<Schema extends z.ZodType>(
  what: string,
  text: string,
  schema: Schema,
): z.output<Schema> {
  let content: unknown;
  try {
    content = JSON.parse(text);
  } catch {
    // The parser's own error would quote the file.
    throw new Error(`${what} are no JSON`);
  }
  const parsed = schema.safeParse(content);
  if (!parsed.success) throw new Error(`${what} are wrong: ${z.prettifyError(parsed.error)}`);
  return parsed.data;
}
