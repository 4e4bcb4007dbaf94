import { z } from 'zod';
import { hours, minutes, seconds, type Milliseconds } from '#time';

export const port = z.coerce.number().int().min(0).max(65_535);

/** `90s`, `30m`, `2h`, `1h30m`. */
export const duration = z
  .string()
  .regex(/^(?:\d+(?:\.\d+)?[hms])+$/, 'expected a duration such as 90s, 30m or 1h30m')
  .transform((text): Milliseconds => {
    const units = { h: hours, m: minutes, s: seconds };
    return [...text.matchAll(/([\d.]+)([hms])/g)].reduce(
      (sum, [, count, unit]) => sum + units[unit as keyof typeof units](Number(count)), // the pattern allows no other
      0,
    );
  });

/** Yes or no. */
export const flag = z.enum(['true', 'false']).transform((text) => text === 'true');

export const databaseSettings = {
  /** Without it, the embedded PostgreSQL is used. */
  DATABASE_URL: z.string().optional(),
  /** Of the embedded PostgreSQL. */
  DATA_DIRECTORY: z.string().optional(),
  DATABASE_CONNECTIONS: z.coerce.number().int().min(2).max(1_000).default(20),
  /** `id:base64,…`: secrets are sealed with the first, and opened with any of them. */
  ENCRYPTION_KEYS: z.string(),
} as const;

export const logSettings = {
  LOG_LEVEL: z.enum(['trace', 'debug', 'info', 'warn', 'error', 'silent']).default('info'),
} as const;
