// For tests of the broker's API: over HTTP, on a fresh database. What steps do is told elsewhere: here each operation has one
// step, which the test steers, and the real one that removes the instance.
import { randomUUID } from 'node:crypto';
import type { AddressInfo } from 'node:net';
import { pino } from 'pino';
import { AuditLog } from '#audit';
import { done, fail, operation, wait, type OperationDefinition, type Step } from '#engine';
import { minutes } from '#time';
import { startBroker, testContext, type BrokerWorldOptions } from '../testing.ts';
import { brokerApp, type BrokerAppOptions } from './serve.ts';

export { Refusal } from '../errors.ts';

export type ApiWorldOptions = BrokerWorldOptions & {
  readonly api?: Partial<BrokerAppOptions>;
  /** Operations as customers get them. */
  readonly withRealSteps?: boolean;
};

export type OsbAnswer = {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** An empty object if there is no JSON in it. */
  readonly body: Readonly<Record<string, unknown>>;
};

export type OsbCall = {
  readonly body?: unknown;
  /** Null leaves one out that is usually sent. */
  readonly headers?: Readonly<Record<string, string | null>>;
  readonly prefix?: string;
};

/** How an operation goes, by its type and instance: `provision <id>`. One that leaves something behind succeeds all the same. */
type Steering = Map<string, 'hold' | 'fail' | 'leave'>;

export const serviceId = '47c9dcbf-ff30-448e-ab36-d3bad66ba281';
export const planIds = {
  azure: '4deee563-e5ec-4731-b9b1-53b42d855f0c',
  aws: '361c511f-f939-4621-b228-d0fb79a1fe15',
  trial: '7d55d31d-35ae-4438-bf13-6ffdfa107d9f',
  free: 'b1a5764e-2ea1-4f95-94c0-2b4538b37b55',
  own_cluster: '03e3cb66-a4c6-4c6a-b4b0-5d42224debea',
} as const;

export const places = { organization_guid: 'org-1', space_guid: 'space-1' };

export const orderOf = (changes: object = {}) => ({
  service_id: serviceId,
  plan_id: planIds.azure,
  ...places,
  context: testContext,
  parameters: { name: 'demo' },
  ...changes,
});

/** Runs until it is disposed. */
export async function startApi(options: ApiWorldOptions = {}) {
  await using resources = new AsyncDisposableStack();
  const steering: Steering = new Map();
  const { withRealSteps = false, ...worldOptions } = options;
  const world = resources.use(
    await startBroker({
      ...worldOptions,
      ...(!withRealSteps && { disturb: (operations) => steered(operations, steering) }),
    }),
  );
  const { services, engine, jobs } = world;
  const log = options.log ?? pino({ level: 'silent' });
  const appWith = (settings: Partial<BrokerAppOptions> = {}) =>
    brokerApp({ ...services, engine, jobs }, { log, ...settings });
  const app = await appWith(options.api);
  await app.listen({ port: 0, host: '127.0.0.1' });
  resources.defer(() => app.close());
  const url = `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`; // a port, not a pipe

  const call = async (
    method: string,
    path: string,
    { body, headers = {}, prefix = '' }: OsbCall = {},
  ): Promise<OsbAnswer> => {
    const sent = { 'x-broker-api-version': '2.17', 'content-type': 'application/json', ...headers };
    const response = await fetch(url + prefix + path, {
      method,
      headers: Object.entries(sent).flatMap(([name, value]) =>
        value === null ? [] : [[name, value]],
      ),
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    const text = await response.text();
    return { status: response.status, headers: response.headers, text, body: jsonIn(text) };
  };

  const at = (id: string, more = '') => `/v2/service_instances/${encodeURIComponent(id)}${more}`;
  const deleting = `service_id=${serviceId}&plan_id=${planIds.azure}&accepts_incomplete=true`;
  const osb = {
    call,
    catalog: (more?: OsbCall) => call('GET', '/v2/catalog', more),
    put: (id: string, body: unknown = orderOf(), more: OsbCall = {}, query = incomplete) =>
      call('PUT', at(id, query), { body, ...more }),
    get: (id: string, query = '') => call('GET', at(id, query)),
    patch: (id: string, body: object, query = incomplete) =>
      call('PATCH', at(id, query), { body: { service_id: serviceId, ...body } }),
    delete: (id: string, query = deleting, more: OsbCall = {}) =>
      call('DELETE', at(id, query && `?${query}`), more),
    poll: (id: string, query = '') => call('GET', at(id, `/last_operation${query && `?${query}`}`)),
    binding: (method: string, id: string, query = '', body?: unknown) =>
      call(method, at(id, `/service_bindings/b-1${query}`), { body }),
  };

  const operationOf = ({ body }: OsbAnswer) => String(body['operation']);

  /** An instance in the wanted state, and the operation that brought it there. */
  const instanceIn = async (
    state: 'provisioning' | 'failed' | 'ready' | 'deprovisioning' | 'deprovision failed',
    order: object = orderOf(),
  ): Promise<{ id: string; operation: string }> => {
    const id = randomUUID();
    if (state === 'provisioning') steering.set(`provision ${id}`, 'hold');
    if (state === 'failed') steering.set(`provision ${id}`, 'fail');
    const operation = operationOf(await osb.put(id, order));
    if (state === 'provisioning') return { id, operation };
    await world.pass(operation);
    if (state === 'failed' || state === 'ready') return { id, operation };
    steering.set(`deprovision ${id}`, state === 'deprovisioning' ? 'hold' : 'fail');
    const removal = operationOf(await osb.delete(id));
    if (state === 'deprovision failed') await world.pass(removal);
    return { id, operation: removal };
  };

  /** Begins an update of it that does not end by itself. */
  const beginUpdate = async (id: string, ending: 'hold' | 'fail' = 'hold') => {
    steering.set(`update ${id}`, ending);
    return (await engine.start('update', id, {})).id;
  };

  const moved = resources.move();
  return {
    ...world,
    ...osb,
    app,
    /** The same broker, served once more in another way. */
    appWith,
    audit: new AuditLog(world.database, log),
    url,
    steering,
    operationOf,
    instanceIn,
    beginUpdate,
    /** Lets go of what is held, and waits for its end. */
    release: async (id: string, key: string) => {
      steering.delete(key);
      await engine.wake(id);
      return world.pass(id);
    },
    [Symbol.asyncDispose]: () => moved.disposeAsync(),
  };
}

export type ApiWorld = Awaited<ReturnType<typeof startApi>>;

const incomplete = '?accepts_incomplete=true';

function jsonIn(text: string): OsbAnswer['body'] {
  try {
    return JSON.parse(text) as OsbAnswer['body']; // tests look closer
  } catch {
    return {};
  }
}

const steered = (
  operations: readonly { readonly definition: OperationDefinition }[],
  steering: Steering,
) => {
  const begin: Step = { name: 'Begin', run: async () => done() };
  const step: Step = {
    name: 'Steered_By_Test',
    async run({ operation: { type, subject } }) {
      switch (steering.get(`${type} ${subject}`)) {
        case 'hold':
          return wait(minutes(1), 'the test wants it so', 'landscape');
        case 'fail':
          return fail(new Error('the test wants it so'));
        case 'leave':
        case undefined:
          return done();
      }
    },
  };
  const leaving: Step = {
    name: 'Left_By_Test',
    retry: { otherwise: 'go on' },
    run: async ({ operation: { type, subject } }) =>
      steering.get(`${type} ${subject}`) === 'leave' ? fail(new Error('cannot')) : done(),
  };
  const steerable = (type: string) =>
    operation(type).stage('begin', begin).stage('steered', step, leaving);
  return [
    ...operations.map(({ definition }) => {
      if (definition.type === 'job') return { definition };
      const { stages } = steerable(definition.type).definition;
      const removal = definition.stages.filter(({ name }) => name === 'Remove_Instance');
      return { definition: { ...definition, stages: [...stages, ...removal] } };
    }),
    ...(operations.some(({ definition: { type } }) => type === 'update')
      ? []
      : [steerable('update')]),
  ];
};
