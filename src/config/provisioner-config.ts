import { z } from 'zod';
import {
  accessSettings,
  artifactsSettings,
  databaseSettings,
  demoOnlySettings,
  directorSettings,
  duration,
  flag,
  logSettings,
  needsIssuer,
  port,
  serverSettings,
  together,
} from './common-settings.ts';

/** Everything that `bin/provisioner.ts` reads from the environment. */
export const ProvisionerConfig = z
  .object({
    ...databaseSettings,
    ...logSettings,
    ...accessSettings,
    ...serverSettings,
    ...demoOnlySettings,
    PROVISIONER_ADDRESS: z.string().default('127.0.0.1'),
    PROVISIONER_PORT: port.default(3_000),
    PROVISIONER_SCHEMA: z.string().default('provisioner'),
    PROVISIONER_WORKERS: z.coerce.number().int().min(1).max(10_000).default(200),
    PROVISIONER_ENDPOINT: z.string().startsWith('/').default('/graphql'),
    PROVISIONER_INTROSPECTION: flag.default(true),

    GARDENER_PROJECT: z.string().min(1),
    GARDENER_KUBECONFIG_PATH: z.string().min(1),
    GARDENER_AUDIT_LOGS_POLICY_CONFIG_MAP: z.string().optional(),
    GARDENER_AUDIT_LOGS_TENANT_CONFIG_PATH: z.string().optional(),
    GARDENER_MAINTENANCE_WINDOW_CONFIG_PATH: z.string().optional(),
    GARDENER_DEFAULT_ENABLE_KUBERNETES_VERSION_AUTO_UPDATE: flag.default(false),
    GARDENER_DEFAULT_ENABLE_MACHINE_IMAGE_VERSION_AUTO_UPDATE: flag.default(false),
    GARDENER_DEFAULT_ENABLE_IMDSV2: flag.default(false),

    /** Without a Director runtimes are registered nowhere, and have no agent. */
    ...directorSettings,
    ...artifactsSettings,

    OPERATOR_ROLE_BINDING_CREATING_FOR_ADMIN: flag.default(false),
    OPERATOR_ROLE_BINDING_L2_SUBJECT_NAME: z.string().default('runtimeOperator'),
    OPERATOR_ROLE_BINDING_L3_SUBJECT_NAME: z.string().default('runtimeAdmin'),

    PROVISIONING_TIMEOUT_CLUSTER_DOMAINS: duration.prefault('10m'),
    PROVISIONING_TIMEOUT_CLUSTER_CREATION: duration.prefault('2h'),
    PROVISIONING_TIMEOUT_BINDINGS_CREATION: duration.prefault('5m'),
    PROVISIONING_TIMEOUT_INSTALLATION_TRIGGERING: duration.prefault('20m'),
    PROVISIONING_TIMEOUT_INSTALLATION: duration.prefault('22h'),
    PROVISIONING_TIMEOUT_AGENT_CONFIGURATION: duration.prefault('1h'),
    PROVISIONING_TIMEOUT_AGENT_CONNECTION: duration.prefault('1h'),
    PROVISIONING_TIMEOUT_SHOOT_REFRESH: duration.prefault('5m'),
    PROVISIONING_TIMEOUT_SHOOT_UPGRADE: duration.prefault('90m'),
    DEPROVISIONING_TIMEOUT_CLUSTER_CLEANUP: duration.prefault('20m'),
    DEPROVISIONING_TIMEOUT_CLUSTER_DELETION: duration.prefault('30m'),
    DEPROVISIONING_TIMEOUT_WAITING_FOR_CLUSTER_DELETION: duration.prefault('4h'),
    HIBERNATION_TIMEOUT_WAITING_FOR_CLUSTER_HIBERNATION: duration.prefault('1h'),
  })
  .superRefine((config, context) => {
    needsIssuer(config, context);
    together(config, context, 'TLS_CERT_PATH', ['TLS_KEY_PATH']);
    together(config, context, 'TLS_KEY_PATH', ['TLS_CERT_PATH']);
    together(config, context, 'DIRECTOR_URL', [
      'DIRECTOR_TOKEN_URL',
      'DIRECTOR_CLIENT_ID',
      'DIRECTOR_CLIENT_SECRET',
    ]);
  });
export type ProvisionerConfig = z.infer<typeof ProvisionerConfig>;
