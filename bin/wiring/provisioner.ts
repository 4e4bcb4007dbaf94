import { readFile } from 'node:fs/promises';
import type { Logger } from 'pino';
import { Registry } from 'prom-client';
import {
  artifactsClient,
  directorClient,
  gardenerClient,
  kymaInstallerOn,
  runtimeClusters,
  clientMetrics,
  type Call,
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
import { frontDoorOf } from './front-door-of.ts';
import { seconds } from '#time';
import { gateOf } from './gate-of.ts';
import { openServiceDatabase } from './open-service-database.ts';
import { serveUntil } from './serve-until.ts';

/** Runs the provisioner until the signal is aborted. `onReady` is told where it listens. */
export async function runProvisioner(
  config: ProvisionerConfig,
  log: Logger,
  shutdown: AbortSignal,
  onReady: (address: string) => void,
): Promise<void> {
  const place = {
    schema: config.PROVISIONER_SCHEMA,
    migrations: ['engine', 'audit', 'provisioner'],
  };
  await using database = await openServiceDatabase(config, place, log);
  const keyring = parseKeyring(config.ENCRYPTION_KEYS);
  const metrics = new Registry();
  const services = {
    database,
    runtimes: new RuntimesTable(keyring),
    clients: await connect(config, clientMetrics(metrics, 'kcp_provisioner')),
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
      metrics,
      path: config.PROVISIONER_ENDPOINT,
      introspection: config.PROVISIONER_INTROSPECTION,
      gate: gateOf(config),
      frontDoor: await frontDoorOf(config, shutdown),
    },
  );
  const { PROVISIONER_ADDRESS: host, PROVISIONER_PORT: port } = config;
  const service = { app, engine, place: { host, port }, drain: config.SHUTDOWN_DRAIN };
  await serveUntil(shutdown, service, onReady);
}

async function connect(
  config: ProvisionerConfig,
  onCall: (call: Call) => void,
): Promise<ProvisionerClients> {
  // A landscape that is faster than the world is back sooner, too.
  const breakFor = seconds(10) / config.PACE;
  const calls = { caller: 'provisioner', onCall, breakFor };
  const { DIRECTOR_URL: url, DIRECTOR_TOKEN_URL: tokenUrl = '' } = config;
  const { DIRECTOR_CLIENT_ID: clientId = '', DIRECTOR_CLIENT_SECRET: clientSecret = '' } = config;
  return {
    gardener: gardenerClient({
      ...calls,
      project: config.GARDENER_PROJECT,
      kubeconfig: await readFile(config.GARDENER_KUBECONFIG_PATH, 'utf8'),
      concurrency: 50,
    }),
    director:
      url === undefined
        ? undefined
        : directorClient({ ...calls, url, tokenUrl, clientId, clientSecret }),
    artifacts: artifactsClient({
      ...calls,
      releasesUrl: config.ARTIFACTS_RELEASES_URL,
      componentsUrl: config.ARTIFACTS_COMPONENTS_URL,
      developmentUrl: config.ARTIFACTS_DEVELOPMENT_URL,
    }),
    openCluster: runtimeClusters(calls),
    openInstaller: (kubeconfig) => kymaInstallerOn(kubeconfig, calls),
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
