import { readFile } from 'node:fs/promises';
import type { Logger } from 'pino';
import {
  artifactsClient,
  avsClient,
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
} from '#clients';
import {
  BindingsTable,
  brokerApp,
  brokerOperations,
  createPlans,
  defaultApiSettings,
  defaultBrokerLimits,
  defaultPlanSettings,
  InstancesTable,
  loadCatalog,
  loadExtensions,
  readCatalog,
  Refusal,
  startUpdate,
  type Authorize,
  type BrokerClients,
  type BrokerSettings,
  type Plans,
} from '#broker';
import { AccessDenied, type Gate } from '#access';
import type { BrokerConfig } from '#config';
import { parseKeyring } from '#database';
import { Definitions, Engine } from '#engine';
import { gateOf } from './gate-of.ts';
import { openServiceDatabase } from './open-service-database.ts';
import { legacyClients, legacySettingsOf } from './legacy.ts';

/** Runs the broker until the signal is aborted. `onReady` is told where it listens. */
export async function runBroker(
  config: BrokerConfig,
  log: Logger,
  shutdown: AbortSignal,
  onReady: (address: string) => void,
): Promise<void> {
  const place = { schema: config.BROKER_SCHEMA, migrations: ['engine', 'broker'] };
  await using database = await openServiceDatabase(config, place, log);
  const keyring = parseKeyring(config.ENCRYPTION_KEYS);
  const services = {
    database,
    instances: new InstancesTable(keyring),
    bindings: new BindingsTable(keyring),
    plans: await plansOf(config),
    clients: await connect(config),
    settings: settingsOf(config),
  };
  const definitions = new Definitions(brokerOperations(services));
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
  const { BROKER_ADDRESS: host, BROKER_PORT: port } = config;
  const app = await brokerApp(
    { ...services, engine },
    {
      log,
      ...authorization(gateOf(config)),
      startUpdate,
      publicUrl: config.BROKER_URL ?? `http://${host}:${port}`,
      defaultRegion: config.BROKER_DEFAULT_REQUEST_REGION,
      includeAdditionalParameters: config.BROKER_INCLUDE_ADDITIONAL_PARAMS_IN_SCHEMA,
      onlyOneTrialPerAccount: config.BROKER_ONLY_SINGLE_TRIAL_PER_GA,
      kubeconfigUrlLabel: config.BROKER_ENABLE_KUBECONFIG_URL_LABEL,
      kubeconfigOrigins: config.KUBECONFIG_ALLOW_ORIGINS.includes('*')
        ? '*'
        : config.KUBECONFIG_ALLOW_ORIGINS,
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
  onReady(await app.listen({ host, port }));
  try {
    await engine.run(shutdown);
  } finally {
    await app.close();
  }
}

function authorization(gate: Gate | undefined): { authorize?: Authorize } {
  if (!gate) return {};
  return {
    async authorize({ headers }, right) {
      try {
        return await gate.admit(headers.authorization, right);
      } catch (error) {
        if (!(error instanceof AccessDenied)) throw error;
        const code = error.status === 401 ? 'UNAUTHORIZED' : 'FORBIDDEN';
        throw new Refusal(code, error.message, { cause: error });
      }
    },
  };
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
    onDemandVersions: config.ENABLE_ON_DEMAND_VERSION,
  });
}

async function connect(config: BrokerConfig): Promise<BrokerClients> {
  const caller = 'broker';
  const controlPlane = {
    caller,
    kubeconfig: await readFile(config.CONTROL_PLANE_KUBECONFIG_PATH, 'utf8'),
  };
  const gardener = gardenerClient({
    caller,
    project: config.GARDENER_PROJECT,
    kubeconfig: await readFile(config.GARDENER_KUBECONFIG_PATH, 'utf8'),
  });
  const { PROVISIONER_TOKEN_URL: tokenUrl } = config;
  // The settings that go with each URL are there: the schema of the settings sees to that.
  const needed = (value: string | undefined) => value ?? '';
  return {
    provisioner: provisionerClient({
      caller,
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
    ...legacyClients(config),
    controlPlane: controlPlaneClient({ ...controlPlane, defaultKymaVersion: config.KYMA_VERSION }),
    artifacts: artifactsClient({
      caller,
      releasesUrl: config.ARTIFACTS_RELEASES_URL,
      componentsUrl: config.ARTIFACTS_COMPONENTS_URL,
      developmentUrl: config.ARTIFACTS_DEVELOPMENT_URL,
    }),
    openCluster: runtimeClusters({ caller }),
    avs:
      config.AVS_URL === undefined
        ? undefined
        : avsClient({
            caller,
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
            caller,
            url: config.EDP_URL,
            authUrl: needed(config.EDP_AUTH_URL),
            namespace: needed(config.EDP_NAMESPACE),
            secret: needed(config.EDP_SECRET),
          }),
    ias:
      config.IAS_URL === undefined
        ? undefined
        : iasClient({
            caller,
            url: config.IAS_URL,
            userId: needed(config.IAS_USER_ID),
            userSecret: needed(config.IAS_USER_SECRET),
            identityProvider: needed(config.IAS_IDENTITY_PROVIDER),
          }),
    reconciler:
      config.RECONCILER_URL === undefined
        ? undefined
        : reconcilerClient({ caller, url: config.RECONCILER_URL }),
    lifecycleManager: config.LIFECYCLE_MANAGER_INTEGRATION_DISABLED
      ? undefined
      : lifecycleManagerClient(controlPlane),
    director:
      config.DIRECTOR_URL === undefined
        ? undefined
        : directorLabelsClient({
            caller,
            url: config.DIRECTOR_URL,
            tokenUrl: needed(config.DIRECTOR_TOKEN_URL),
            clientId: needed(config.DIRECTOR_CLIENT_ID),
            clientSecret: needed(config.DIRECTOR_CLIENT_SECRET),
          }),
    spc: config.SPC_URL === undefined ? undefined : spcClient({ caller, url: config.SPC_URL }),
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
    },
    edp: { environment: config.EDP_ENVIRONMENT, isRequired: config.EDP_REQUIRED },
    limits: {
      ...defaultBrokerLimits,
      operation: config.OPERATION_TIMEOUT,
      provisioning: config.PROVISIONER_PROVISIONING_TIMEOUT,
      deprovisioning: config.PROVISIONER_DEPROVISIONING_TIMEOUT,
      reconciling: config.RECONCILER_PROVISIONING_TIMEOUT,
    },
  };
}
