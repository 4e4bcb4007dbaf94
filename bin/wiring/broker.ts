import { readFile } from 'node:fs/promises';
import type { Logger } from 'pino';
import { Registry } from 'prom-client';
import packageJson from '../../package.json' with { type: 'json' };
import {
  artifactsClient,
  avsClient,
  awsClient,
  azureClient,
  clientMetrics,
  controlPlaneClient,
  directorLabelsClient,
  edpClient,
  gardenerClient,
  iasClient,
  lifecycleManagerClient,
  provisionerClient,
  reconcilerClient,
  runtimeClusters,
  spcClient,
  type Call,
} from '#clients';
import {
  BindingsTable,
  brokerApp,
  brokerOperations,
  createPlans,
  defaultApiSettings,
  defaultBrokerLimits,
  defaultPlanSettings,
  Fleet,
  InstancesTable,
  Jobs,
  loadCatalog,
  loadExtensions,
  readCatalog,
  startUpdate,
  type BrokerClients,
  type BrokerSettings,
  type Plans,
} from '#broker';
import type { BrokerConfig } from '#config';
import { parseKeyring } from '#database';
import { Definitions, Engine } from '#engine';
import { seconds, systemClock } from '#time';
import { frontDoorOf } from './front-door-of.ts';
import { gateOf } from './gate-of.ts';
import { cisOf, expirationNotices, jobSettingsOf } from './jobs.ts';
import { openServiceDatabase } from './open-service-database.ts';
import { serveUntil } from './serve-until.ts';
import { legacyClients, legacySettingsOf } from './legacy.ts';

/** Runs the broker until the signal is aborted. `onReady` is told where it listens. */
export async function runBroker(
  config: BrokerConfig,
  log: Logger,
  shutdown: AbortSignal,
  onReady: (address: string) => void,
): Promise<void> {
  const place = { schema: config.BROKER_SCHEMA, migrations: ['engine', 'audit', 'broker'] };
  await using database = await openServiceDatabase(config, place, log);
  const keyring = parseKeyring(config.ENCRYPTION_KEYS);
  const metrics = new Registry();
  const services = {
    database,
    instances: new InstancesTable(keyring),
    bindings: new BindingsTable(keyring),
    fleet: new Fleet(),
    plans: await plansOf(config),
    clients: await connect(config, clientMetrics(metrics, 'kcp_broker')),
    settings: settingsOf(config),
  };
  const jobs = new Jobs(services, systemClock);
  const definitions = new Definitions([...brokerOperations(services), jobs.operation]);
  await loadExtensions(services, definitions, {
    paths: config.KCP_EXTENSIONS,
    directory: process.cwd(),
    environment: process.env,
  });
  const engine = new Engine({
    database,
    keyring,
    log,
    operations: definitions,
    settings: { workers: config.BROKER_WORKERS, pace: config.PACE },
  });
  services.fleet.use(engine, database, log);
  jobs.use(engine);
  const { BROKER_ADDRESS: host, BROKER_PORT: port } = config;
  const gate = gateOf(config);
  const app = await brokerApp(
    { ...services, engine, jobs },
    {
      log,
      frontDoor: await frontDoorOf(config, shutdown),
      ...(gate && { authorize: ({ headers }, right) => gate.admit(headers.authorization, right) }),
      startUpdate,
      ...expirationNotices(config),
      subaccountMovement: config.UPDATE_SUB_ACCOUNT_MOVEMENT_ENABLED,
      version: packageJson.version,
      metrics,
      publicUrl: config.BROKER_URL ?? `http://${host}:${port}`,
      defaultRegion: config.BROKER_DEFAULT_REQUEST_REGION,
      includeAdditionalParameters: config.BROKER_INCLUDE_ADDITIONAL_PARAMS_IN_SCHEMA,
      onlyOneTrialPerAccount: config.BROKER_ONLY_SINGLE_TRIAL_PER_GA,
      kubeconfigUrlLabel: config.BROKER_ENABLE_KUBECONFIG_URL_LABEL,
      kubeconfigOrigins: config.KUBECONFIG_ALLOW_ORIGINS.includes('*')
        ? '*'
        : config.KUBECONFIG_ALLOW_ORIGINS,
      console: {
        clientId: config.CONSOLE_CLIENT_ID,
        ...(config.AUTHENTICATION === 'on' &&
          config.OIDC_ISSUER_URL !== undefined && {
            issuer: config.OIDC_ISSUER_URL,
          }),
        ...(config.CONSOLE_LANDSCAPE_URL !== undefined && {
          landscapeUrl: config.CONSOLE_LANDSCAPE_URL,
        }),
      },
      bindings: {
        ...defaultApiSettings.bindings,
        mostPerInstance: config.BROKER_BINDING_MAX_BINDINGS_COUNT,
      },
      euAccess: {
        globalAccounts: new Set(config.EU_ACCESS_WHITELISTED_GLOBAL_ACCOUNTS),
        rejection: config.EU_ACCESS_REJECTION_MESSAGE,
      },
    },
  );
  const service = { app, engine, place: { host, port }, drain: config.SHUTDOWN_DRAIN };
  const end = new AbortController();
  const lookingAfterJobs = jobs.run(AbortSignal.any([shutdown, end.signal]), log);
  try {
    await serveUntil(shutdown, service, onReady);
  } finally {
    end.abort();
    await lookingAfterJobs;
  }
}

async function plansOf(config: BrokerConfig): Promise<Plans> {
  const path = config.BROKER_CATALOG_PATH;
  const catalog =
    path === undefined ? await readCatalog() : loadCatalog(await readFile(path, 'utf8'));
  return createPlans(catalog, {
    ...defaultPlanSettings,
    enabledPlans: config.BROKER_ENABLE_PLANS,
    freeProviders: config.FREEMIUM_PROVIDERS,
    allowNetworking: config.BROKER_ALLOW_NETWORKING_PARAMETERS,
    planUpdates: config.BROKER_ENABLE_PLAN_UPGRADES,
    onDemandVersions: config.ENABLE_ON_DEMAND_VERSION,
  });
}

async function connect(config: BrokerConfig, onCall: (call: Call) => void): Promise<BrokerClients> {
  // A landscape that is faster than the world is back sooner, too.
  const breakFor = seconds(10) / config.PACE;
  const calls = { caller: 'broker', onCall, breakFor };
  const controlPlane = {
    ...calls,
    kubeconfig: await readFile(config.CONTROL_PLANE_KUBECONFIG_PATH, 'utf8'),
  };
  const gardener = gardenerClient({
    ...calls,
    project: config.GARDENER_PROJECT,
    kubeconfig: await readFile(config.GARDENER_KUBECONFIG_PATH, 'utf8'),
  });
  const { PROVISIONER_TOKEN_URL: tokenUrl } = config;
  // The settings that go with each URL are there: the schema of the settings sees to that.
  const needed = (value: string | undefined) => value ?? '';
  return {
    provisioner: provisionerClient({
      ...calls,
      url: config.PROVISIONER_URL,
      ...(tokenUrl !== undefined && {
        credentials: {
          tokenUrl,
          clientId: needed(config.PROVISIONER_CLIENT_ID),
          clientSecret: needed(config.PROVISIONER_CLIENT_SECRET),
        },
      }),
    }),
    accounts: gardener.accounts,
    azureAccount: gardener.azureAccount,
    awsAccount: gardener.awsAccount,
    azure: azureClient({
      ...calls,
      loginUrl: config.AZURE_LOGIN_URL,
      managementUrl: config.AZURE_MANAGEMENT_URL,
    }),
    aws: awsClient({
      ...calls,
      ec2Url: config.AWS_EC2_URL,
      homeRegion: config.AWS_HOME_REGION,
    }),
    shoots: gardener.shoots,
    ...legacyClients(config, onCall),
    controlPlane: controlPlaneClient({ ...controlPlane, defaultKymaVersion: config.KYMA_VERSION }),
    artifacts: artifactsClient({
      ...calls,
      releasesUrl: config.ARTIFACTS_RELEASES_URL,
      componentsUrl: config.ARTIFACTS_COMPONENTS_URL,
      developmentUrl: config.ARTIFACTS_DEVELOPMENT_URL,
    }),
    openCluster: runtimeClusters(calls),
    avs:
      config.AVS_URL === undefined
        ? undefined
        : avsClient({
            ...calls,
            url: config.AVS_URL,
            tokenUrl: needed(config.AVS_TOKEN_URL),
            clientId: needed(config.AVS_CLIENT_ID),
            username: needed(config.AVS_USERNAME),
            password: needed(config.AVS_PASSWORD),
          }),
    edp:
      config.EDP_URL === undefined
        ? undefined
        : edpClient({
            ...calls,
            url: config.EDP_URL,
            authUrl: needed(config.EDP_AUTH_URL),
            namespace: needed(config.EDP_NAMESPACE),
            secret: needed(config.EDP_SECRET),
          }),
    ias:
      config.IAS_URL === undefined
        ? undefined
        : iasClient({
            ...calls,
            url: config.IAS_URL,
            userId: needed(config.IAS_USER_ID),
            userSecret: needed(config.IAS_USER_SECRET),
            identityProvider: needed(config.IAS_IDENTITY_PROVIDER),
          }),
    reconciler:
      config.RECONCILER_URL === undefined
        ? undefined
        : reconcilerClient({ ...calls, url: config.RECONCILER_URL }),
    lifecycleManager: config.LIFECYCLE_MANAGER_INTEGRATION_DISABLED
      ? undefined
      : lifecycleManagerClient(controlPlane),
    director:
      config.DIRECTOR_URL === undefined
        ? undefined
        : directorLabelsClient({
            ...calls,
            url: config.DIRECTOR_URL,
            tokenUrl: needed(config.DIRECTOR_TOKEN_URL),
            clientId: needed(config.DIRECTOR_CLIENT_ID),
            clientSecret: needed(config.DIRECTOR_CLIENT_SECRET),
          }),
    cis: cisOf(config, onCall),
    spc: config.SPC_URL === undefined ? undefined : spcClient({ ...calls, url: config.SPC_URL }),
  };
}

function settingsOf(config: BrokerConfig): BrokerSettings {
  const place = (testerAccessId: number) => ({
    testerAccessId,
    groupId: config.AVS_GROUP_ID,
    parentId: config.AVS_PARENT_ID,
    tags: [],
  });
  return {
    kymaVersion: config.KYMA_VERSION,
    dashboardUrl: config.KYMA_DASHBOARD_URL,
    ...legacySettingsOf(config),
    jobs: jobSettingsOf(config),
    shootDomain: config.SHOOT_DOMAIN,
    cluster: {
      kubernetesVersion: config.KUBERNETES_VERSION,
      ...(config.MACHINE_IMAGE && { machineImage: config.MACHINE_IMAGE }),
      ...(config.MACHINE_IMAGE_VERSION && { machineImageVersion: config.MACHINE_IMAGE_VERSION }),
      purpose: config.DEFAULT_PURPOSE,
      severalZones: config.MULTI_ZONE_CLUSTER,
      ...(config.CONTROL_PLANE_FAILURE_TOLERANCE && {
        controlPlaneFailureTolerance: config.CONTROL_PLANE_FAILURE_TOLERANCE,
      }),
      autoUpdate: { kubernetes: false, machineImage: false },
      oidc: {
        clientID: config.DEFAULT_OIDC_CLIENT_ID,
        issuerURL: config.DEFAULT_OIDC_ISSUER_URL,
        groupsClaim: 'groups',
        signingAlgs: ['RS256'],
        usernameClaim: 'sub',
        usernamePrefix: '-',
      },
      ...(config.TRIAL_NODES_NUMBER !== undefined && { trialNodes: config.TRIAL_NODES_NUMBER }),
      floatingPool: config.OPENSTACK_FLOATING_POOL,
    },
    avs: {
      internal: place(config.AVS_INTERNAL_TESTER_ACCESS_ID),
      external: place(config.AVS_EXTERNAL_TESTER_ACCESS_ID),
      alwaysWatched: config.AVS_MAINTENANCE_MODE_DURING_UPGRADE_DISABLED
        ? 'all'
        : config.AVS_MAINTENANCE_MODE_DURING_UPGRADE_ALWAYS_DISABLED_GLOBAL_ACCOUNTS,
    },
    edp: { environment: config.EDP_ENVIRONMENT, isRequired: config.EDP_REQUIRED },
    limits: {
      ...defaultBrokerLimits,
      operation: config.OPERATION_TIMEOUT,
      provisioning: config.PROVISIONER_PROVISIONING_TIMEOUT,
      deprovisioning: config.PROVISIONER_DEPROVISIONING_TIMEOUT,
      reconciling: config.RECONCILER_PROVISIONING_TIMEOUT,
      clusterUpdate: config.PROVISIONER_UPDATE_TIMEOUT,
      upgrade: config.UPGRADE_TIMEOUT,
      maintenanceNotice: config.MAINTENANCE_NOTICE_TIMEOUT,
    },
  };
}
