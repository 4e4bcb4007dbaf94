// For tests of the broker: its operations on a fresh database, with the landscape. Not exported by the door of the module.
import { randomUUID } from 'node:crypto';
import { pino, type Logger } from 'pino';
import {
  artifactsClient,
  avsClient,
  awsClient,
  azureClient,
  cisClient,
  controlPlaneClient,
  directorLabelsClient,
  edpClient,
  gardenerClient,
  iasClient,
  lifecycleManagerClient,
  lmsClient,
  provisionerClient,
  reconcilerClient,
  runtimeClusters,
  spcClient,
  type SystemLimits,
} from '#clients';
import { inTransaction, Secret } from '#database';
import {
  Definitions,
  Engine,
  type EngineOptions,
  type OperationDefinition,
  type StoredOperation,
} from '#engine';
import { MovableClock, type Milliseconds } from '#time';
import { testDatabase, type TestDatabase } from '../database/testing.ts';
import { follow, testKeyring } from '../engine/testing.ts';
import { startLandscape, type Landscape } from '../landscape/testing.ts';
import type { Job } from './jobs/job.ts';
import { Jobs } from './jobs/jobs.ts';
import { testJobs } from './jobs/testing.ts';
import { Fleet } from './fleet/fleet.ts';
import { brokerOperations } from './operations/operations.ts';
import { readCatalog } from './plans/catalog.ts';
import { parseProvisioningParameters } from './plans/parse-parameters.ts';
import { defaultPlanSettings, type PlanSettings } from './plans/plan-settings.ts';
import { platformOf } from './plans/platform.ts';
import { createPlans } from './plans/plans.ts';
import {
  defaultLimits,
  type BrokerClients,
  type BrokerSettings,
  type Services,
} from './services.ts';
import { startDeprovisioning, type RemovalRequest } from './start-deprovisioning.ts';
import { startProvisioning } from './start-provisioning.ts';
import { BindingsTable } from './tables/bindings-table.ts';
import { InstancesTable } from './tables/instances-table.ts';

export type BrokerWorldOptions = {
  readonly settings?: Partial<BrokerSettings>;
  /** Besides those of every test. */
  readonly plans?: Partial<PlanSettings>;
  /** Systems that are switched off. */
  readonly off?: readonly (keyof BrokerClients)[];
  /** Off unless wanted: the landscape's provisioner registers no runtimes there. */
  readonly withDirector?: boolean;
  readonly log?: Logger;
  /** To go on with what another world left. */
  readonly database?: TestDatabase;
  readonly landscape?: Landscape;
  /** Where the provisioner is, if not the landscape's. */
  readonly provisionerUrl?: string;
  /** The password, or what stands for it, that all systems are given: the landscape takes any. */
  readonly credential?: string;
  /** How its replica works, where that is not as usual. */
  readonly replica?: NonNullable<EngineOptions['settings']>;
  /** Others than those of the broker. */
  readonly jobs?: readonly Job[];
  /** How the clients behave towards the systems, where that is not as usual. */
  readonly limits?: SystemLimits;
  /** Adds steps, as extensions do. */
  readonly extend?: (definitions: Definitions, services: Services) => Promise<void>;
  /** The operations as they shall run: for tests that disturb steps. */
  readonly disturb?: (
    operations: readonly { readonly definition: OperationDefinition }[],
  ) => readonly { readonly definition: OperationDefinition }[];
};

export const everyPlan = [
  'azure',
  'azure_lite',
  'aws',
  'gcp',
  'openstack',
  'trial',
  'free',
  'own_cluster',
  'preview',
] as const;

// Always the same file.
const catalog = readCatalog();

/** Runs until it is disposed. Time stands still, as far as tests can tell, unless somebody moves it. */
export async function startBroker(options: BrokerWorldOptions = {}) {
  const { log = pino({ level: 'silent' }), disturb = (operations) => operations } = options;
  await using resources = new AsyncDisposableStack();
  const landscape = options.landscape ?? resources.use(await startLandscape());
  const database =
    options.database ??
    resources.use(await testDatabase({ migrations: ['engine', 'audit', 'broker'] }));
  const clock = new MovableClock();
  await publish(landscape, testSettings.kymaVersion);
  const all = await clientsOf(landscape, options);
  const namesOff = [
    ...(options.off ?? []),
    ...(options.withDirector ? [] : ['director']),
    ...(options.settings?.legacy || options.settings?.older ? [] : ['lms']),
  ];
  const off = Object.fromEntries(namesOff.map((name) => [name, undefined]));
  const services: Services = {
    database,
    instances: new InstancesTable(testKeyring),
    bindings: new BindingsTable(testKeyring, clock),
    fleet: new Fleet(clock),
    plans: createPlans(await catalog, {
      ...defaultPlanSettings,
      enabledPlans: everyPlan,
      freeProviders: ['aws', 'azure'],
      allowNetworking: true,
      onDemandVersions: true,
      ...options.plans,
    }),
    clients: { ...all, ...off },
    settings: { ...testSettings, ...options.settings },
  };
  const jobs = new Jobs(services, clock, options.jobs);
  const definitions = new Definitions(disturb([...brokerOperations(services), jobs.operation]));
  await options.extend?.(definitions, services);
  const engine = new Engine({
    database,
    keyring: testKeyring,
    log,
    clock,
    operations: definitions,
    ...(options.replica && { settings: options.replica }),
  });
  jobs.use(engine);
  services.fleet.use(engine, database, log);
  const stop = new AbortController();
  const running = engine.run(stop.signal);
  /** As SIGTERM would; everything that is stored stays. */
  const stopWorking = async () => {
    stop.abort();
    await running;
  };
  resources.defer(stopWorking);
  const advance = (by: Milliseconds) => {
    landscape.time.advance(by);
    clock.advance(by);
  };

  const { events, pass } = follow(engine, advance);

  /** Stores the order as the API would, and begins it. */
  const order = async (
    planName: string,
    {
      parameters = {},
      context = {},
      instanceId = randomUUID(),
      region = 'cf-eu20',
    }: TestOrder = {},
  ): Promise<{ instanceId: string; operationId: string }> => {
    const plan = services.plans.enabled.find(({ name }) => name === planName);
    if (!plan) throw new Error(`there is no plan ${planName}`);
    const platform = platformOf(region, 'cf-eu10');
    const started = await inTransaction(database, (db) =>
      startProvisioning(
        { ...services, engine },
        {
          instanceId,
          serviceId: services.plans.service.id,
          plan,
          platform,
          context: { ...testContext, ...context },
          parameters: parseProvisioningParameters(plan, { name: 'demo', ...parameters }, platform),
        },
        db,
      ),
    );
    if (!started) throw new Error(`there is an instance ${instanceId} already`);
    return { instanceId, operationId: started.id };
  };

  /** Begins a deprovisioning as the API would. */
  const remove = async (
    instanceId: string,
    request: Omit<RemovalRequest, 'instanceId'> = {},
  ): Promise<StoredOperation> => {
    const started = await inTransaction(database, (db) =>
      startDeprovisioning({ ...services, engine }, { instanceId, ...request }, db),
    );
    if (!started) throw new Error(`there is no instance ${instanceId}`);
    return started;
  };

  const moved = resources.move();
  return {
    landscape,
    database,
    clock,
    engine,
    services,
    jobs,
    events,
    advance,
    pass,
    order,
    remove,
    stop: stopWorking,
    instance: (id: string) => services.instances.get(database.pool, id),
    [Symbol.asyncDispose]: () => moved.disposeAsync(),
  };
}

type TestOrder = {
  readonly parameters?: object;
  readonly context?: object;
  readonly instanceId?: string;
  readonly region?: string;
};

export const testContext = {
  globalaccount_id: 'ga-1',
  subaccount_id: 'SA-1',
  user_id: 'somebody@example.com',
};

export const btpCredentials = () =>
  new Secret(
    JSON.stringify({
      clientid: 'sm-client',
      clientsecret: 'sm-secret',
      sm_url: 'https://sm.example.com',
      url: 'https://auth.example.com',
      xsappname: 'app',
    }),
  );

const avsPlace = { testerAccessId: 40, groupId: 40, parentId: 40, tags: [] };

export const testSettings: BrokerSettings = {
  kymaVersion: '2.18.0',
  dashboardUrl: 'https://dashboard.example.com',
  shootDomain: 'kyma.example.com',
  cluster: {
    kubernetesVersion: '1.26.5',
    purpose: 'development',
    severalZones: true,
    autoUpdate: { kubernetes: false, machineImage: false },
    oidc: {
      clientID: 'kyma',
      issuerURL: 'https://issuer.example.com',
      groupsClaim: 'groups',
      signingAlgs: ['RS256'],
      usernameClaim: 'sub',
      usernamePrefix: '-',
    },
    floatingPool: 'FloatingIP-external-kyma-01',
  },
  avs: { internal: avsPlace, external: avsPlace },
  edp: { environment: 'test', isRequired: true },
  limits: defaultLimits,
  jobs: testJobs,
};

/** Makes it a release of Kyma that can be downloaded. */
export async function publish({ url }: Landscape, kymaVersion: string): Promise<void> {
  await fetch(`${url}/artifacts/versions/${kymaVersion}`, {
    method: 'PUT',
    headers: { 'content-type': 'application/json' },
    body: '{}',
  });
}

async function clientsOf(
  { url }: Landscape,
  {
    provisionerUrl = `${url}/provisioner/graphql`,
    credential = 'any',
    limits: given = {},
  }: BrokerWorldOptions,
): Promise<BrokerClients> {
  // Minutes pass in no time here: a system that was left alone once would be so for the rest of the test.
  const limits = { caller: 'broker', breakAfter: 1_000_000, ...given };
  const textOf = async (path: string) => (await fetch(url + path)).text();
  const gardener = gardenerClient({
    ...limits,
    kubeconfig: await textOf('/gardener/kubeconfig'),
    project: 'kyma',
  });
  const controlPlane = { ...limits, kubeconfig: await textOf('/control-plane/kubeconfig') };
  return {
    provisioner: provisionerClient({ ...limits, url: provisionerUrl }),
    accounts: gardener.accounts,
    azureAccount: gardener.azureAccount,
    awsAccount: gardener.awsAccount,
    shoots: gardener.shoots,
    controlPlane: controlPlaneClient({
      ...controlPlane,
      defaultKymaVersion: testSettings.kymaVersion,
    }),
    artifacts: artifactsClient({
      ...limits,
      releasesUrl: `${url}/artifacts/releases`,
      componentsUrl: `${url}/artifacts/components`,
      developmentUrl: `${url}/artifacts/development`,
    }),
    openCluster: runtimeClusters(limits),
    avs: avsClient({
      ...limits,
      url: `${url}/avs/api/v2/evaluationmetadata`,
      tokenUrl: `${url}/avs/oauth/token`,
      clientId: 'broker',
      username: 'broker',
      password: credential,
    }),
    edp: edpClient({
      ...limits,
      url: `${url}/edp`,
      authUrl: `${url}/edp`,
      namespace: 'kyma',
      secret: credential,
    }),
    ias: iasClient({
      ...limits,
      url: `${url}/ias`,
      userId: 'broker',
      userSecret: credential,
      identityProvider: 'https://idp.example.com',
    }),
    reconciler: reconcilerClient({ ...limits, url: `${url}/reconciler` }),
    lifecycleManager: lifecycleManagerClient(controlPlane),
    director: directorLabelsClient({
      ...limits,
      url: `${url}/director/graphql`,
      tokenUrl: `${url}/director/oauth2/token`,
      clientId: 'broker',
      clientSecret: credential,
    }),
    lms: lmsClient({
      ...limits,
      url: `${url}/lms`,
      token: credential,
      clusterType: 'single-node',
      environment: 'test',
      samlTenant: 'saml.example.com',
    }),
    azure: azureClient({ ...limits, loginUrl: `${url}/azure`, managementUrl: `${url}/azure` }),
    aws: awsClient({ ...limits, ec2Url: `${url}/aws/{region}` }),
    spc: spcClient({ ...limits, url: `${url}/spc` }),
    cis: cisClient({
      ...limits,
      url: `${url}/cis`,
      version: 'v2.0-cursor',
      authUrl: `${url}/cis/oauth/token`,
      clientId: 'broker',
      clientSecret: credential,
    }),
  };
}
