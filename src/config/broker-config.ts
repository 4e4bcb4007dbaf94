import { z } from 'zod';
import {
  accessSettings,
  artifactsSettings,
  databaseSettings,
  demoOnlySettings,
  directorSettings,
  duration,
  flag,
  list,
  logSettings,
  needsIssuer,
  port,
  serverSettings,
  together,
} from './common-settings.ts';
import { checkJobSettings, jobSettings } from './job-settings.ts';
import { checkLegacySettings, legacySettings } from './legacy-settings.ts';

const url = z.url();
const text = z.string().min(1);
const number = z.coerce.number().int().min(0);

/** Everything that `bin/broker.ts` reads from the environment. A system without a URL is switched off. */
export const BrokerConfig = z
  .object({
    ...databaseSettings,
    ...logSettings,
    ...accessSettings,
    ...serverSettings,
    ...demoOnlySettings,
    BROKER_ADDRESS: z.string().default('127.0.0.1'),
    BROKER_PORT: port.default(8_080),
    BROKER_SCHEMA: z.string().default('broker'),
    BROKER_WORKERS: z.coerce.number().int().min(1).max(10_000).default(200),
    /** As platforms and people reach it. */
    BROKER_URL: url.optional(),
    /** For platforms that know no tokens: then `/v2` takes this user and password. */
    BROKER_BASIC_USERNAME: text.optional(),
    BROKER_BASIC_PASSWORD: text.optional(),

    /** Of the web console, as the issuer knows it. */
    CONSOLE_CLIENT_ID: text.default('console'),
    /** Of a demo: the simulated systems, for the console to steer. */
    CONSOLE_LANDSCAPE_URL: url.optional(),

    BROKER_CATALOG_PATH: text.optional(),
    BROKER_ENABLE_PLANS: list.prefault(
      'azure,azure_lite,aws,gcp,openstack,trial,free,own_cluster,preview',
    ),
    BROKER_DEFAULT_REQUEST_REGION: text.default('cf-eu10'),
    BROKER_ONLY_SINGLE_TRIAL_PER_GA: flag.default(true),
    BROKER_ENABLE_KUBECONFIG_URL_LABEL: flag.default(true),
    BROKER_INCLUDE_ADDITIONAL_PARAMS_IN_SCHEMA: flag.default(true),
    BROKER_ALLOW_NETWORKING_PARAMETERS: flag.default(true),
    BROKER_ENABLE_PLAN_UPGRADES: flag.default(false),
    /** Of one instance, those that have not expired. */
    BROKER_BINDING_MAX_BINDINGS_COUNT: z.coerce.number().int().min(1).max(1_000).default(10),
    /** Modules that add steps, relative to the working directory. */
    KCP_EXTENSIONS: list.prefault(''),
    ...legacySettings,
    ...jobSettings,
    /** Another `globalaccount_id` in an update moves the instance to that account. */
    UPDATE_SUB_ACCOUNT_MOVEMENT_ENABLED: flag.default(false),
    FREEMIUM_PROVIDERS: list
      .pipe(z.array(z.enum(['aws', 'azure', 'gcp', 'openstack'])))
      .prefault('aws,azure'),
    ENABLE_ON_DEMAND_VERSION: flag.default(false),
    EU_ACCESS_WHITELISTED_GLOBAL_ACCOUNTS: list.prefault(''),
    EU_ACCESS_REJECTION_MESSAGE: text.default(
      'this global account may not order in a region with EU access',
    ),
    KUBECONFIG_ALLOW_ORIGINS: list.prefault('*'),

    KYMA_VERSION: text,
    KYMA_DASHBOARD_URL: url,
    SHOOT_DOMAIN: text,
    KUBERNETES_VERSION: text,
    MACHINE_IMAGE: text.optional(),
    MACHINE_IMAGE_VERSION: text.optional(),
    DEFAULT_PURPOSE: text.default('development'),
    MULTI_ZONE_CLUSTER: flag.default(true),
    CONTROL_PLANE_FAILURE_TOLERANCE: z.enum(['node', 'zone']).optional(),
    DEFAULT_OIDC_CLIENT_ID: text,
    DEFAULT_OIDC_ISSUER_URL: url,
    TRIAL_NODES_NUMBER: number.optional(),
    OPENSTACK_FLOATING_POOL: text.default('FloatingIP-external-kyma-01'),

    PROVISIONER_URL: url,
    PROVISIONER_TOKEN_URL: url.optional(),
    PROVISIONER_CLIENT_ID: text.optional(),
    PROVISIONER_CLIENT_SECRET: text.optional(),

    GARDENER_PROJECT: text,
    GARDENER_KUBECONFIG_PATH: text,
    CONTROL_PLANE_KUBECONFIG_PATH: text,
    LIFECYCLE_MANAGER_INTEGRATION_DISABLED: flag.default(false),

    RECONCILER_URL: url.optional(),
    ...directorSettings,
    ...artifactsSettings,

    AVS_URL: url.optional(),
    AVS_TOKEN_URL: url.optional(),
    AVS_CLIENT_ID: text.optional(),
    AVS_USERNAME: text.optional(),
    AVS_PASSWORD: text.optional(),
    AVS_PARENT_ID: number.default(0),
    AVS_GROUP_ID: number.default(0),
    AVS_INTERNAL_TESTER_ACCESS_ID: number.default(0),
    AVS_EXTERNAL_TESTER_ACCESS_ID: number.default(0),
    AVS_MAINTENANCE_MODE_DURING_UPGRADE_DISABLED: flag.default(false),
    AVS_MAINTENANCE_MODE_DURING_UPGRADE_ALWAYS_DISABLED_GLOBAL_ACCOUNTS: list.prefault(''),

    EDP_URL: url.optional(),
    EDP_AUTH_URL: url.optional(),
    EDP_NAMESPACE: text.optional(),
    EDP_SECRET: text.optional(),
    EDP_ENVIRONMENT: text.default('prod'),
    EDP_REQUIRED: flag.default(false),

    IAS_URL: url.optional(),
    IAS_USER_ID: text.optional(),
    IAS_USER_SECRET: text.optional(),
    IAS_IDENTITY_PROVIDER: text.optional(),

    /** Customer notifications. */
    SPC_URL: url.optional(),

    OPERATION_TIMEOUT: duration.prefault('24h'),
    PROVISIONER_PROVISIONING_TIMEOUT: duration.prefault('6h'),
    PROVISIONER_DEPROVISIONING_TIMEOUT: duration.prefault('5h'),
    RECONCILER_PROVISIONING_TIMEOUT: duration.prefault('2h'),
    PROVISIONER_UPDATE_TIMEOUT: duration.prefault('40m'),
    UPGRADE_TIMEOUT: duration.prefault('3h'),
    MAINTENANCE_NOTICE_TIMEOUT: duration.prefault('10m'),
  })
  .superRefine((config, context) => {
    needsIssuer(config, context);
    together(config, context, 'TLS_CERT_PATH', ['TLS_KEY_PATH']);
    together(config, context, 'TLS_KEY_PATH', ['TLS_CERT_PATH']);
    checkLegacySettings(config, context);
    checkJobSettings(config, context);
    together(config, context, 'AVS_URL', [
      'AVS_TOKEN_URL',
      'AVS_CLIENT_ID',
      'AVS_USERNAME',
      'AVS_PASSWORD',
    ]);
    together(config, context, 'EDP_URL', ['EDP_AUTH_URL', 'EDP_NAMESPACE', 'EDP_SECRET']);
    together(config, context, 'IAS_URL', [
      'IAS_USER_ID',
      'IAS_USER_SECRET',
      'IAS_IDENTITY_PROVIDER',
    ]);
    together(config, context, 'DIRECTOR_URL', [
      'DIRECTOR_TOKEN_URL',
      'DIRECTOR_CLIENT_ID',
      'DIRECTOR_CLIENT_SECRET',
    ]);
    together(config, context, 'PROVISIONER_TOKEN_URL', [
      'PROVISIONER_CLIENT_ID',
      'PROVISIONER_CLIENT_SECRET',
    ]);
    together(config, context, 'BROKER_BASIC_USERNAME', ['BROKER_BASIC_PASSWORD']);
  });
export type BrokerConfig = z.infer<typeof BrokerConfig>;
