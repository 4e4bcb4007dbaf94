import { Cron } from 'croner';
import { z } from 'zod';
import { duration, flag, list, together } from './common-settings.ts';

const text = z.string().min(1);

/** Five fields, in UTC. */
const schedule = z.string().superRefine((given, context) => {
  try {
    const next = new Cron(given, { timezone: 'UTC', mode: '5-part' }).nextRun();
    if (!next)
      context.addIssue({ code: 'custom', message: `is '${given}': that time never comes` });
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    context.addIssue({
      code: 'custom',
      message: `is '${given}': expected minute, hour, day, month and weekday, such as 0 2 * * * (${why})`,
    });
  }
});

/** `NAME_ENABLED`, `NAME_SCHEDULE`, `NAME_DRY_RUN`. */
const job = <const Name extends string>(
  name: Name,
  defaults: { readonly enabled: boolean; readonly schedule: string; readonly dryRun: boolean },
) =>
  ({
    [`${name}_ENABLED`]: flag.default(defaults.enabled),
    [`${name}_SCHEDULE`]: schedule.default(defaults.schedule),
    [`${name}_DRY_RUN`]: flag.default(defaults.dryRun),
  }) as {
    // The compiler does not follow computed names.
    readonly [Key in `${Name}_ENABLED` | `${Name}_DRY_RUN`]: z.ZodDefault<typeof flag>;
  } & { readonly [Key in `${Name}_SCHEDULE`]: z.ZodDefault<typeof schedule> };

/**
 * When each job runs. A job that is not enabled can be run by hand. What takes something away from customers, or overwrites
 * what they may have changed, only says what it would do unless it is told to act.
 */
export const jobSettings = {
  ...job('DEPROVISION_RETRIGGER', { enabled: true, schedule: '0 2 * * *', dryRun: true }),
  ...job('TRIAL_EXPIRATION', { enabled: true, schedule: '15 1 * * *', dryRun: true }),
  TRIAL_EXPIRATION_PERIOD: duration.prefault('336h'),
  /** Of all trials, only those of this subaccount. */
  TRIAL_EXPIRATION_SUBACCOUNT_ID: text.optional(),
  ...job('FREE_EXPIRATION', { enabled: true, schedule: '0,15,30,45 * * * *', dryRun: true }),
  FREE_EXPIRATION_PERIOD: duration.prefault('2160h'),
  FREE_EXPIRATION_SUBACCOUNT_ID: text.optional(),
  /** Whether trials and free instances say when they expire, and where to read more; trials of these subaccounts, or `all`. */
  BROKER_SHOW_TRIAL_EXPIRATION_INFO: flag.default(false),
  BROKER_SUBACCOUNTS_IDS_TO_SHOW_TRIAL_EXPIRATION_INFO: list.prefault(''),
  BROKER_TRIAL_DOCS_URL: text.default(''),
  BROKER_SHOW_FREE_EXPIRATION_INFO: flag.default(false),
  BROKER_FREE_DOCS_URL: text.default(''),
  ...job('SUBACCOUNT_CLEANUP', { enabled: false, schedule: '0 1 * * *', dryRun: false }),
  ...job('SUBSCRIPTION_CLEANUP', { enabled: true, schedule: '0 2,14 * * *', dryRun: false }),
  /** Where EC2 of a region is, and which region is asked for the others. */
  AWS_EC2_URL: z
    .string()
    .refine(isUrlOfRegions, {
      error: ({ input }) =>
        `is '${String(input)}': expected a URL with {region} in it, such as https://ec2.{region}.amazonaws.com`,
    })
    .default('https://ec2.{region}.amazonaws.com'),
  AWS_HOME_REGION: z
    .string()
    .regex(/^[a-z\d-]+$/, {
      error: ({ input }) => `is '${String(input)}': expected a region such as eu-central-1`,
    })
    .default('eu-central-1'),
  ...job('ENVIRONMENTS_CLEANUP', { enabled: false, schedule: '0 0 * * *', dryRun: true }),
  ENVIRONMENTS_CLEANUP_LABEL_SELECTOR: text.default('owner.do-not-delete!=true'),
  ENVIRONMENTS_CLEANUP_MAX_AGE: duration.prefault('24h'),
  /** Shoots are cleaned up only where SHOOT_DOMAIN is this, or below it. */
  ENVIRONMENTS_CLEANUP_DEV_DOMAIN: text.optional(),
  ...job('RUNTIME_RECONCILER', { enabled: true, schedule: '0 0 * * *', dryRun: true }),
  ...job('BINDING_CLEANUP', { enabled: true, schedule: '0 2,14 * * *', dryRun: false }),
  ...job('ARCHIVING', { enabled: true, schedule: '30 3 * * *', dryRun: false }),
  /** So long the operations of a removed instance can be looked at. */
  ARCHIVING_KEEP: duration.prefault('720h'),
  ...job('EVENT_RETENTION', { enabled: true, schedule: '0 * * * *', dryRun: false }),
  EVENT_RETENTION_KEEP: duration.prefault('336h'),

  CIS_EVENT_SERVICE_URL: z.url().optional(),
  CIS_AUTH_URL: z.url().optional(),
  CIS_CLIENT_ID: text.optional(),
  CIS_CLIENT_SECRET: text.optional(),
  CIS_VERSION: z.enum(['v1.0', 'v2.0', 'v2.0-cursor']).default('v2.0-cursor'),
};

function isUrlOfRegions(text: string): boolean {
  const url = URL.parse(text.replaceAll('{region}', 'region'));
  return text.includes('{region}') && /^https?:$/.test(url?.protocol ?? '');
}

export function checkJobSettings(
  config: Readonly<Record<string, unknown>>,
  context: z.RefinementCtx,
): void {
  together(config, context, 'CIS_EVENT_SERVICE_URL', [
    'CIS_AUTH_URL',
    'CIS_CLIENT_ID',
    'CIS_CLIENT_SECRET',
  ]);
  const needs = (enabled: string, name: string) => {
    if (config[enabled] === true && config[name] === undefined)
      context.addIssue({ code: 'custom', path: [name], message: `needed with ${enabled}` });
  };
  needs('SUBACCOUNT_CLEANUP_ENABLED', 'CIS_EVENT_SERVICE_URL');
  needs('ENVIRONMENTS_CLEANUP_ENABLED', 'ENVIRONMENTS_CLEANUP_DEV_DOMAIN');
  const dev = config['ENVIRONMENTS_CLEANUP_DEV_DOMAIN'];
  const domain = String(config['SHOOT_DOMAIN']);
  if (typeof dev === 'string' && domain !== dev && !domain.endsWith(`.${dev}`))
    context.addIssue({
      code: 'custom',
      path: ['ENVIRONMENTS_CLEANUP_DEV_DOMAIN'],
      message: `is ${dev}: SHOOT_DOMAIN ${domain} is not below it`,
    });
}
