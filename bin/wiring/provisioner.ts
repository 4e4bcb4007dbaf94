import { readFile } from 'node:fs/promises';
import type { Logger } from 'pino';
import {
  artifactsClient,
  directorClient,
  gardenerClient,
  kymaInstallerOn,
  runtimeClusters,
} from '#clients';
import type { ProvisionerConfig } from '#config';
import { parseKeyring } from '#database';
import { Engine } from '#engine';
import {
  defaultLimits,
  parseAuditLogTenants,
  parseMaintenanceWindows,
  provisionerApp,
  provisionerOperations,
  RuntimesTable,
  type ProvisionerClients,
  type ProvisionerSettings,
} from '#provisioner';
import { gateOf } from './gate-of.ts';
import { openServiceDatabase } from './open-service-database.ts';

/** Runs the provisioner until the signal is aborted. `onReady` is told where it listens. */
export async function runProvisioner(
  config: ProvisionerConfig,
  log: Logger,
  shutdown: AbortSignal,
  onReady: (address: string) => void,
): Promise<void> {
  const place = { schema: config.PROVISIONER_SCHEMA, migrations: ['engine', 'provisioner'] };
  await using database = await openServiceDatabase(config, place, log);
  const keyring = parseKeyring(config.ENCRYPTION_KEYS);
  const services = {
    database,
    runtimes: new RuntimesTable(keyring),
    clients: await connect(config),
    settings: await settingsOf(config),
  };
  const engine = new Engine({
    database,
    keyring,
    log,
    operations: provisionerOperations(services),
    settings: { workers: config.PROVISIONER_WORKERS, pace: config.PACE },
  });
  const app = await provisionerApp(
    { ...services, engine },
    {
      log,
      path: config.PROVISIONER_ENDPOINT,
      introspection: config.PROVISIONER_INTROSPECTION,
      gate: gateOf(config),
    },
  );
  const { PROVISIONER_ADDRESS: host, PROVISIONER_PORT: port } = config;
  onReady(await app.listen({ host, port }));
  try {
    await engine.run(shutdown);
  } finally {
    await app.close();
  }
}

async function connect(config: ProvisionerConfig): Promise<ProvisionerClients> {
  const caller = 'provisioner';
  const { DIRECTOR_URL: url, DIRECTOR_TOKEN_URL: tokenUrl = '' } = config;
  const { DIRECTOR_CLIENT_ID: clientId = '', DIRECTOR_CLIENT_SECRET: clientSecret = '' } = config;
  return {
    gardener: gardenerClient({
      caller,
      project: config.GARDENER_PROJECT,
      kubeconfig: await readFile(config.GARDENER_KUBECONFIG_PATH, 'utf8'),
      concurrency: 50,
    }),
    director:
      url === undefined
        ? undefined
        : directorClient({ caller, url, tokenUrl, clientId, clientSecret }),
    artifacts: artifactsClient({
      caller,
      releasesUrl: config.ARTIFACTS_RELEASES_URL,
      componentsUrl: config.ARTIFACTS_COMPONENTS_URL,
      developmentUrl: config.ARTIFACTS_DEVELOPMENT_URL,
    }),
    openCluster: runtimeClusters({ caller }),
    openInstaller: (kubeconfig) => kymaInstallerOn(kubeconfig, { caller }),
  };
}

async function settingsOf(config: ProvisionerConfig): Promise<ProvisionerSettings> {
  const windows = config.GARDENER_MAINTENANCE_WINDOW_CONFIG_PATH;
  const auditLogs = config.GARDENER_AUDIT_LOGS_TENANT_CONFIG_PATH;
  return {
    project: config.GARDENER_PROJECT,
    defaults: {
      enableKubernetesVersionAutoUpdate:
        config.GARDENER_DEFAULT_ENABLE_KUBERNETES_VERSION_AUTO_UPDATE,
      enableMachineImageVersionAutoUpdate:
        config.GARDENER_DEFAULT_ENABLE_MACHINE_IMAGE_VERSION_AUTO_UPDATE,
      enableIMDSv2: config.GARDENER_DEFAULT_ENABLE_IMDSV2,
    },
    shoot: {
      auditPolicyConfigMap: config.GARDENER_AUDIT_LOGS_POLICY_CONFIG_MAP,
      maintenanceWindows:
        windows === undefined
          ? undefined
          : parseMaintenanceWindows(await readFile(windows, 'utf8')),
    },
    ...(auditLogs !== undefined && {
      auditLogTenants: async () => parseAuditLogTenants(await readFile(auditLogs, 'utf8')),
    }),
    operators: {
      l2Group: config.OPERATOR_ROLE_BINDING_L2_SUBJECT_NAME,
      l3Group: config.OPERATOR_ROLE_BINDING_L3_SUBJECT_NAME,
      bindAdministrators: config.OPERATOR_ROLE_BINDING_CREATING_FOR_ADMIN,
    },
    limits: {
      ...defaultLimits,
      clusterDomain: config.PROVISIONING_TIMEOUT_CLUSTER_DOMAINS,
      clusterCreation: config.PROVISIONING_TIMEOUT_CLUSTER_CREATION,
      bindings: config.PROVISIONING_TIMEOUT_BINDINGS_CREATION,
      installationStart: config.PROVISIONING_TIMEOUT_INSTALLATION_TRIGGERING,
      installation: config.PROVISIONING_TIMEOUT_INSTALLATION,
      agentConfiguration: config.PROVISIONING_TIMEOUT_AGENT_CONFIGURATION,
      agentConnection: config.PROVISIONING_TIMEOUT_AGENT_CONNECTION,
      shootRefresh: config.PROVISIONING_TIMEOUT_SHOOT_REFRESH,
      shootUpgrade: config.PROVISIONING_TIMEOUT_SHOOT_UPGRADE,
      clusterCleanUp: config.DEPROVISIONING_TIMEOUT_CLUSTER_CLEANUP,
      clusterDeletion: config.DEPROVISIONING_TIMEOUT_CLUSTER_DELETION,
      clusterGone: config.DEPROVISIONING_TIMEOUT_WAITING_FOR_CLUSTER_DELETION,
      hibernation: config.HIBERNATION_TIMEOUT_WAITING_FOR_CLUSTER_HIBERNATION,
    },
  };
}
