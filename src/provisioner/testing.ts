// For tests of the provisioner: the whole service on a fresh database, with the landscape, reached over HTTP. Not exported by
// the door of the module.
import assert from 'node:assert/strict';
import type { AddressInfo } from 'node:net';
import { pino, type Logger } from 'pino';
import type { Registry } from 'prom-client';
import {
  artifactsClient,
  directorClient,
  gardenerClient,
  kymaInstallerOn,
  runtimeClusters,
} from '#clients';
import type { FrontDoor, Gate } from '#access';
import { Engine, type EngineOptions } from '#engine';
import { MovableClock, type Milliseconds } from '#time';
import { testDatabase, type TestDatabase } from '../database/testing.ts';
import { follow, testKeyring } from '../engine/testing.ts';
import { startLandscape, type Landscape } from '../landscape/testing.ts';
import { defaults, project } from './config/testing.ts';
import {
  defaultLimits,
  provisionerApp,
  provisionerOperations,
  RuntimesTable,
  type ProvisionerClients,
  type ProvisionerSettings,
  type Services,
} from './index.ts';

export { order } from './config/testing.ts';

export type WorldOptions = {
  readonly settings?: Partial<ProvisionerSettings>;
  readonly withDirector?: boolean;
  /** What is run instead of the provisioner's own operations: the same ones, disturbed. */
  readonly operations?: (services: Services) => EngineOptions['operations'];
  readonly introspection?: boolean;
  readonly gate?: Gate;
  readonly frontDoor?: FrontDoor;
  /** Where its metrics are kept. */
  readonly metrics?: Registry;
  readonly log?: Logger;
  /** To go on with what another world left. */
  readonly database?: TestDatabase;
  readonly landscape?: Landscape;
};

export type GraphqlAnswer = {
  readonly status: number;
  readonly data: Record<string, never> | null;
  readonly errors: readonly {
    readonly message: string;
    readonly path?: readonly string[];
    readonly extensions: Readonly<Record<string, string | number>>;
  }[];
};

type Begun = { readonly id: string; readonly runtimeID: string };

/** Runs until it is disposed. Time stands still, as far as tests can tell, unless somebody moves it. */
export async function startProvisioner(options: WorldOptions = {}) {
  const { withDirector = true, introspection = true, log = pino({ level: 'silent' }) } = options;
  await using resources = new AsyncDisposableStack();
  const landscape = options.landscape ?? resources.use(await startLandscape());
  const database =
    options.database ??
    resources.use(await testDatabase({ migrations: ['engine', 'audit', 'provisioner'] }));
  const clock = new MovableClock();
  const services = {
    database,
    runtimes: new RuntimesTable(testKeyring),
    clients: await clientsOf(landscape, withDirector),
    settings: { ...testSettings, ...options.settings },
  };
  const engine = new Engine({
    database,
    keyring: testKeyring,
    log,
    clock,
    operations: (options.operations ?? provisionerOperations)(services),
  });
  const app = await provisionerApp(
    { ...services, engine },
    {
      log,
      introspection,
      gate: options.gate,
      ...(options.frontDoor && { frontDoor: options.frontDoor }),
      ...(options.metrics && { metrics: options.metrics }),
    },
  );
  await app.listen({ port: 0, host: '127.0.0.1' });
  resources.defer(() => app.close());
  const url = `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`; // a port, not a pipe

  const stop = new AbortController();
  const running = engine.run(stop.signal);
  resources.defer(async () => {
    stop.abort();
    await running;
  });
  const advance = (by: Milliseconds) => {
    landscape.time.advance(by);
    clock.advance(by);
  };

  const { events, pass } = follow(engine, advance);

  const graphql = async (
    query: string,
    { tenant = 'ga-1', headers = {} }: { tenant?: string; headers?: Record<string, string> } = {},
  ): Promise<GraphqlAnswer> => {
    const response = await fetch(`${url}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...(tenant && { tenant }), ...headers },
      body: JSON.stringify({ query }),
    });
    const body = (await response.json()) as Partial<GraphqlAnswer>;
    return { status: response.status, data: body.data ?? null, errors: body.errors ?? [] };
  };

  /** What the only field of the request, called `result`, gives. Fails on any error. */
  const result = async (query: string, headers: Record<string, string> = {}): Promise<never> => {
    const { data, errors } = await graphql(query, { headers });
    assert.deepEqual(errors, []);
    const given = data?.['result'];
    assert.ok(given !== undefined);
    return given;
  };

  const moved = resources.move();
  return {
    app,
    result,
    /** Begins it; the operation and the runtime. */
    provision: (config: object, headers: Record<string, string> = {}): Promise<Begun> =>
      result(
        `mutation { result: provisionRuntime(config: ${literal(config)}) ${operationFields} }`,
        { 'sub-account': 'sa-1', ...headers },
      ),
    /** The id of the operation. */
    deprovision: (runtimeId: string): Promise<string> =>
      result(`mutation { result: deprovisionRuntime(id: "${runtimeId}") }`),
    url,
    landscape,
    database,
    clock,
    engine,
    services,
    events,
    advance,
    pass,
    graphql,
    [Symbol.asyncDispose]: () => moved.disposeAsync(),
  };
}

export const testSettings: ProvisionerSettings = {
  project,
  defaults,
  shoot: {},
  operators: { l2Group: 'runtimeOperator', l3Group: 'runtimeAdmin', bindAdministrators: true },
  limits: defaultLimits,
};

async function clientsOf({ url }: Landscape, withDirector: boolean): Promise<ProvisionerClients> {
  const caller = 'provisioner';
  const kubeconfig = await (await fetch(`${url}/gardener/kubeconfig`)).text();
  const director = {
    url: `${url}/director/graphql`,
    tokenUrl: `${url}/director/oauth2/token`,
    clientId: 'provisioner',
    clientSecret: 'any',
  };
  return {
    gardener: gardenerClient({ caller, kubeconfig, project }),
    director: withDirector ? directorClient({ caller, ...director }) : undefined,
    artifacts: artifactsClient({
      caller,
      releasesUrl: `${url}/artifacts/releases`,
      componentsUrl: `${url}/artifacts/components`,
      developmentUrl: `${url}/artifacts/development`,
    }),
    openCluster: runtimeClusters({ caller }),
    openInstaller: (kubeconfig) => kymaInstallerOn(kubeconfig, { caller }),
  };
}

/** As GraphQL writes it, for requests without variables. */
export function literal(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(literal).join(', ')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const members = Object.entries(value).filter(([, member]) => member !== undefined);
  return `{${members.map(([name, member]) => `${name}: ${literal(member)}`).join(', ')}}`;
}

export const operationFields =
  '{ id operation state message runtimeID compassRuntimeID lastError { errMessage reason component } }';
