import { z } from 'zod';
import { flag, list, together } from './common-settings.ts';

const text = z.string().min(1);

/** What only the older operations and their steps need. Each is off without its settings. */
export const legacySettings = {
  /** `legacy`: runtimes as in 2020, with a Kyma 1.x that the provisioner installs. */
  BROKER_OPERATIONS: z.enum(['current', 'legacy']).default('current'),

  /** Whether runtimes get service providers in IAS; with `legacy` they do unless told otherwise. */
  IAS_REGISTRATION: flag.optional(),

  LMS_URL: z.url().optional(),
  LMS_TOKEN: text.optional(),
  LMS_CLUSTER_TYPE: z.enum(['ha', 'single-node']).default('single-node'),
  LMS_ENVIRONMENT: text.default('dev'),
  LMS_SAML_TENANT: text.optional(),
  LMS_REGION: text.optional(),
  LMS_MANDATORY: flag.default(false),
  /** `all`, `none`, or some. */
  LMS_ENABLED_FOR_GLOBAL_ACCOUNTS: list.prefault('all'),

  AZURE_EVENT_HUBS: flag.default(false),
  AZURE_LOGIN_URL: z.url().default('https://login.microsoftonline.com'),
  AZURE_MANAGEMENT_URL: z.url().default('https://management.azure.com'),

  /** Without it, runtimes get no credentials of Service Manager. */
  SERVICE_MANAGER_OVERRIDE_MODE: z.enum(['Never', 'Always', 'WhenNotSentInRequest']).optional(),
  SERVICE_MANAGER_URL: z.url().optional(),
  SERVICE_MANAGER_USERNAME: text.optional(),
  SERVICE_MANAGER_PASSWORD: text.optional(),
  SERVICE_MANAGER_SUBACCOUNT_WITH_REQUEST_CREDENTIALS: text.optional(),

  /** With which the runtimes themselves report to AvS. */
  AVS_API_KEY: text.optional(),
  AVS_TRIAL_API_KEY: text.optional(),
} as const;

type Given = Readonly<Record<string, unknown>>;

export function checkLegacySettings(config: Given, context: z.RefinementCtx): void {
  together(config, context, 'LMS_URL', ['LMS_TOKEN', 'LMS_SAML_TENANT']);
  together(config, context, 'SERVICE_MANAGER_URL', [
    'SERVICE_MANAGER_USERNAME',
    'SERVICE_MANAGER_PASSWORD',
  ]);
  const mode = config['SERVICE_MANAGER_OVERRIDE_MODE'];
  const needsOwn = mode === 'Always' || mode === 'WhenNotSentInRequest';
  if (needsOwn && config['SERVICE_MANAGER_URL'] === undefined)
    context.addIssue({
      code: 'custom',
      path: ['SERVICE_MANAGER_URL'],
      message: `needed with SERVICE_MANAGER_OVERRIDE_MODE ${mode}`,
    });
  if (
    config['BROKER_OPERATIONS'] === 'legacy' &&
    !/^1\.|^(?:PR|main|master)/.test(String(config['KYMA_VERSION']))
  )
    context.addIssue({
      code: 'custom',
      path: ['KYMA_VERSION'],
      message:
        'with BROKER_OPERATIONS legacy it must be a version 1.x: the provisioner installs no other',
    });
}
