// What the acceptance tests of the provisioner ask of its world again and again.
import assert from 'node:assert/strict';
import {
  literal,
  operationFields,
  order,
  type startProvisioner,
  type GraphqlAnswer,
} from '../../../src/provisioner/testing.ts';

export type World = Awaited<ReturnType<typeof startProvisioner>>;
type Begun = { readonly id: string; readonly runtimeID: string };
type Fault = Parameters<World['landscape']['faults']['add']>[0];

/** As `order` calls it. */
export const shootName = 'c-1a2b3c4';
export const { signal } = new AbortController();
export const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
export const noError = { errMessage: '', reason: '', component: '' };

export const provisioning = (config: object) =>
  `mutation { result: provisionRuntime(config: ${literal(config)}) ${operationFields} }`;
export const upgrading = (id: string, config: object) =>
  `mutation { result: upgradeShoot(id: "${id}", config: ${literal(config)}) ${operationFields} }`;

/** A runtime whose provisioning has succeeded. */
export async function provisioned(world: World, config: object = order('azure')): Promise<Begun> {
  const begun = await world.provision(config);
  await succeeds(world, begun.id);
  return begun;
}

export async function succeeds(world: World, id: string): Promise<void> {
  const { state, error } = await world.pass(id);
  assert.equal(state, 'succeeded', JSON.stringify(error));
}

export const upgrade = (world: World, id: string, gardenerConfig: object, more: object = {}) =>
  world.result(upgrading(id, { gardenerConfig, ...more })) as Promise<Begun>;

/** Up to the end of this stage. */
export const untilAfter = (world: World, id: string, stage: string) =>
  world.pass(id, ({ finished_stages: finished }) => finished.includes(stage));

export type OperationStatus = {
  readonly operation: string;
  readonly state: string;
  readonly message: string;
  readonly lastError: typeof noError;
};
export const statusOf = (world: World, id: string): Promise<OperationStatus> =>
  world.result(`{ result: runtimeOperationStatus(id: "${id}") ${operationFields} }`);

/** The only error of an answer. */
export function refusal({ errors }: GraphqlAnswer) {
  assert.equal(errors.length, 1, JSON.stringify(errors));
  const { message = '', path, extensions = {} } = errors[0] ?? {};
  const { error_code: code, error_reason: reason, error_component: component } = extensions;
  return { message, path, code, reason, component };
}

export async function refuses(world: World, query: string, message: RegExp): Promise<void> {
  const { code, message: told } = refusal(await world.graphql(query));
  assert.equal(code, 400, told);
  assert.match(told, message);
}

/** How many rows there are in all, of runtimes and their operations. */
export async function rowsIn({ database }: World): Promise<number> {
  const { rows } = await database.pool.query<{ count: number }>(
    `select ((select count(*) from runtimes) + (select count(*) from operations))::int as count`,
  );
  return rows[0]?.count ?? assert.fail('no count');
}

export const shootsIn = ({ landscape }: World) =>
  landscape.inventory()['gardener']?.['shoots.core.gardener.cloud'] ?? [];
export const registeredIn = ({ landscape }: World) =>
  landscape.inventory()['director']?.['runtimes'] ?? [];

export async function nothingCreated(world: World): Promise<void> {
  assert.equal(await rowsIn(world), 0);
  assert.deepEqual(shootsIn(world), []);
  assert.deepEqual(registeredIn(world), []);
}

const tokenIn = (kubeconfig: string) => /token: (\S+?) ?\}/.exec(kubeconfig)?.[1] ?? '';

/** Asks an API server of the landscape as somebody else than the provisioner. */
async function ask(url: string, token: string, method: string, body?: object): Promise<unknown> {
  const response = await fetch(url, {
    method,
    headers: {
      authorization: `Bearer ${token}`,
      ...(body && { 'content-type': 'application/merge-patch+json' }),
    },
    ...(body && { body: JSON.stringify(body) }),
  });
  const answer: unknown = await response.json();
  assert.ok(response.ok, JSON.stringify(answer));
  return answer;
}

const gardenToken = async ({ landscape }: World) =>
  tokenIn(await (await fetch(`${landscape.url}/gardener/kubeconfig`)).text());
const shoots = '/apis/core.gardener.cloud/v1beta1/namespaces/garden-kyma/shoots';

export type ShootObject = {
  readonly metadata: {
    readonly annotations: Record<string, string>;
    readonly labels: Record<string, string>;
    readonly generation: number;
    readonly deletionTimestamp?: string;
  };
  readonly spec: ShootSpec;
};
type ShootSpec = {
  readonly extensions: readonly { readonly type: string; readonly disabled?: boolean }[];
  readonly resources?: readonly { readonly name: string }[];
  readonly provider: {
    readonly infrastructureConfig: { readonly networks: { readonly zones?: readonly object[] } };
    readonly workers: readonly Record<string, unknown>[];
  };
} & Record<string, unknown>;

export const shootIn = async (world: World, name = shootName) =>
  (await ask(
    `${world.landscape.url}/gardener${shoots}/${name}`,
    await gardenToken(world),
    'GET',
  )) as ShootObject; // as the provisioner made it

/** As an operator, or a part of Gardener, would. */
export const changeShoot = async (world: World, patch: object, name = shootName) =>
  ask(
    `${world.landscape.url}/gardener${shoots}/${name}?fieldManager=somebody`,
    await gardenToken(world),
    'PATCH',
    patch,
  );

export const deleteShoot = async (world: World, name = shootName) => {
  const annotations = { 'confirmation.gardener.cloud/deletion': 'true' };
  await changeShoot(world, { metadata: { annotations } }, name);
  await ask(`${world.landscape.url}/gardener${shoots}/${name}`, await gardenToken(world), 'DELETE');
};

type ClusterObject = {
  readonly metadata: { readonly name: string };
  readonly data?: Readonly<Record<string, string>>;
} & Record<string, unknown>;

/** What there is of a kind in the runtime's cluster. */
export async function inCluster(world: World, path: string): Promise<readonly ClusterObject[]> {
  const { shoots } = world.services.clients.gardener;
  const found = await shoots.adminKubeconfig(shootName, signal);
  const url = `${world.landscape.url}/gardener/runtimes/${shootName}${path}`;
  const list = await ask(url, tokenIn(found?.kubeconfig.reveal() ?? ''), 'GET');
  return (list as { items: ClusterObject[] }).items; // a list, as the API server gives it
}

/** The switches of the simulated Gardener. */
async function turn({ landscape }: World, what: string, wish: object): Promise<void> {
  const response = await fetch(`${landscape.url}/gardener/shoots/${shootName}/${what}`, {
    method: 'PUT',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(wish),
  });
  assert.equal(response.status, 204);
}
export const stage = (world: World, operation: object) => turn(world, 'operation', operation);
export const allowHibernation = (world: World, isPossible: boolean) =>
  turn(world, 'hibernation', { isPossible });

export const answering = (
  place: Omit<Fault, 'action'>,
  status: number,
  body: object = {},
): Fault => ({
  ...place,
  action: {
    kind: 'answer',
    status,
    body: JSON.stringify(body),
    headers: { 'content-type': 'application/json' },
  },
});

/** What changes a Shoot for good: not the request that only asks whether it would be taken. */
export const realChange = {
  system: 'gardener',
  method: 'PATCH',
  path: 'shoots/[^?]+\\?(?!.*dryRun)',
};
export const changesOf = ({ landscape }: World) =>
  landscape.requests.filter(
    ({ system, method, path }) =>
      system === realChange.system &&
      method === realChange.method &&
      new RegExp(realChange.path).test(path),
  ).length;
