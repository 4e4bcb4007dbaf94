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
  DATA_DIR: z.string().optional(),
  DATABASE_CONNECTIONS: z.coerce.number().int().min(2).max(1_000).default(20),
  /** `id:base64,…`: secrets are sealed with the first, and opened with any of them. */
  ENCRYPTION_KEYS: z.string(),
} as const;

/** Pauses of operations are this many times shorter: for a landscape that is as much faster than the world. */
export const demoOnlySettings = {
  PACE: z.coerce.number().min(1).max(1e6).default(1),
} as const;

export const logSettings = {
  LOG_LEVEL: z.enum(['trace', 'debug', 'info', 'warn', 'error', 'silent']).default('info'),
} as const;

/** Comma-separated. */
export const list = z.string().transform((text) =>
  text
    .split(',')
    .map((each) => each.trim())
    .filter(Boolean),
);

/** Whose tokens count. Without an issuer nobody is asked who they are, and that must be said in so many words. */
export const accessSettings = {
  OIDC_ISSUER_URL: z.url().optional(),
  OIDC_AUDIENCE: z.string().default('kyma-control-plane'),
  AUTHENTICATION: z.enum(['on', 'off']).default('on'),
} as const;

/** How a service meets the network. */
export const serverSettings = {
  TLS_CERT_PATH: z.string().min(1).optional(),
  TLS_KEY_PATH: z.string().min(1).optional(),
  RATE_LIMIT_PER_ADDRESS: z.coerce.number().int().min(0).max(1e6).default(5_000),
  RATE_LIMIT_PER_CALLER: z.coerce.number().int().min(0).max(1e6).default(2_500),
  TRUSTED_PROXIES: list.prefault(''),
  SHUTDOWN_DRAIN: duration.prefault('5s'),
} as const;

export const directorSettings = {
  DIRECTOR_URL: z.url().optional(),
  DIRECTOR_TOKEN_URL: z.url().optional(),
  DIRECTOR_CLIENT_ID: z.string().optional(),
  DIRECTOR_CLIENT_SECRET: z.string().optional(),
} as const;

/** Where the Kyma project has its files, or copies of them. */
export const artifactsSettings = {
  ARTIFACTS_RELEASES_URL: z.url().default('https://storage.googleapis.com/kyma-prow-artifacts'),
  ARTIFACTS_COMPONENTS_URL: z
    .url()
    .default('https://github.com/kyma-project/kyma/releases/download'),
  ARTIFACTS_DEVELOPMENT_URL: z
    .url()
    .default('https://storage.googleapis.com/kyma-development-artifacts'),
} as const;

/** Whoever sets the first must set the others, too. */
export function together(
  config: Readonly<Record<string, unknown>>,
  context: z.RefinementCtx,
  first: string,
  others: readonly string[],
): void {
  if (config[first] === undefined) return;
  for (const name of others) {
    if (config[name] === undefined)
      context.addIssue({ code: 'custom', path: [name], message: `needed with ${first}` });
  }
}

/** With authentication on there must be somebody to vouch for callers. */
export function needsIssuer(
  config: { readonly AUTHENTICATION: string; readonly OIDC_ISSUER_URL?: string | undefined },
  context: z.RefinementCtx,
): void {
  if (config.AUTHENTICATION === 'on' && config.OIDC_ISSUER_URL === undefined)
    context.addIssue({
      code: 'custom',
      path: ['OIDC_ISSUER_URL'],
      message: 'needed, unless AUTHENTICATION is off',
    });
}
