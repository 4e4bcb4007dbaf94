import type { z } from 'zod';

/** One line for every setting that will not do. */
export class BadSettings extends Error {
  override readonly name = 'BadSettings';
}

/** The environment as the schema wants it. An empty variable counts as one that is not there. */
export function readSettings<Schema extends z.ZodType>(
  schema: Schema,
  environment: Readonly<Record<string, string | undefined>>,
): z.output<Schema> {
  const given = Object.fromEntries(
    Object.entries(environment).filter(([, value]) => value !== undefined && value !== ''),
  );
  const settings = schema.safeParse(given);
  if (settings.success) return settings.data;
  const lines = settings.error.issues.map(
    ({ path, message }) => `${path.map(String).join('.') || 'settings'}: ${message}`,
  );
  throw new BadSettings(lines.join('\n'));
}
