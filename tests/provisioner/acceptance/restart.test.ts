// Real processes and SIGKILL: one runtime lives through all operations, and each of their stages is interrupted once.
import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { inspect } from 'node:util';
import { Engine, type StoredOperation } from '#engine';
import { minutes } from '#time';
import {
  eventually,
  temporaryDirectory,
  testDatabase,
  type TestDatabase,
} from '../../../src/database/testing.ts';
import { silent, testKeyring } from '../../../src/engine/testing.ts';
import { startLandscape } from '../../../src/landscape/testing.ts';
import { literal, operationFields, order } from '../../../src/provisioner/testing.ts';
import { kymaLite } from './kyma.ts';
import { ProvisionerProcess } from './provisioner-process.ts';
import { provisioning, realChange, shootName, upgrading } from './world.ts';

type Fault = Parameters<typeof landscape.faults.add>[0];
/** The stage, and the request whose work is done and whose answer never arrives; none for a stage that waits. */
type Kill = readonly [stage: string, at?: Omit<Fault, 'action'>];

const opened = new AsyncDisposableStack();
after(() => opened.disposeAsync());

let onLostAnswer = () => {};
const landscape = opened.use(
  await startLandscape({
    speed: 0.01, // how long processes take to start must not matter: time passes when we say so
    onAnswer: ({ status }) => (status === 'no answer' ? onLostAnswer() : undefined),
  }),
);
const database: TestDatabase = opened.use(
  await testDatabase({ migrations: ['engine', 'audit', 'provisioner'] }),
);
const directory = opened.use(await temporaryDirectory());
const kubeconfig = join(directory.path, 'garden.yaml');
await writeFile(kubeconfig, await (await fetch(`${landscape.url}/gardener/kubeconfig`)).text());

const environment = {
  DATABASE_URL: database.url,
  PROVISIONER_SCHEMA: database.schema,
  PROVISIONER_PORT: '0',
  AUTHENTICATION: 'off',
  ENCRYPTION_KEYS: `test:${Buffer.alloc(32, 7).toString('base64')}`,
  GARDENER_PROJECT: 'kyma',
  GARDENER_KUBECONFIG_PATH: kubeconfig,
  DIRECTOR_URL: `${landscape.url}/director/graphql`,
  DIRECTOR_TOKEN_URL: `${landscape.url}/director/oauth2/token`,
  DIRECTOR_CLIENT_ID: 'provisioner',
  DIRECTOR_CLIENT_SECRET: 'any',
  ARTIFACTS_RELEASES_URL: `${landscape.url}/artifacts/releases`,
  ARTIFACTS_COMPONENTS_URL: `${landscape.url}/artifacts/components`,
  ARTIFACTS_DEVELOPMENT_URL: `${landscape.url}/artifacts/development`,
  OPERATOR_ROLE_BINDING_CREATING_FOR_ADMIN: 'true',
  // There will be many starts.
  NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'] ?? join(directory.path, 'compiled'),
};
/** Looks, and ends pauses; runs nothing. */
const engine = new Engine({ database, keyring: testKeyring, log: silent, operations: [] });
const read = async (id: string): Promise<StoredOperation> =>
  (await engine.get(id)) ?? assert.fail(`no operation ${id}`);

let living = opened.use(new ProvisionerProcess(environment));
async function startAgain(): Promise<void> {
  await living.exited;
  living = opened.use(new ProvisionerProcess(environment));
  await living.url;
}

/** What the field `result` of the request gives. */
async function ask(query: string, headers: Record<string, string> = {}): Promise<never> {
  const response = await fetch(`${await living.url}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', tenant: 'ga-1', ...headers },
    body: JSON.stringify({ query }),
  });
  const { data, errors } = (await response.json()) as {
    data: { result: never };
    errors?: unknown;
  }; // as GraphQL answers
  assert.equal(errors, undefined, JSON.stringify(errors));
  return data.result;
}

/** Time passes for the landscape only while the operation waits: its pauses take no time at all. */
const pass = (id: string, isEnough: (operation: StoredOperation) => boolean) =>
  eventually(async () => {
    const operation = await read(id);
    if (isEnough(operation)) return operation;
    const { nextTryAt } = engine.explain(operation);
    if (nextTryAt && operation.ended_at === null && (await engine.wake(id)))
      landscape.time.advance(nextTryAt.getTime() - Date.now());
    return undefined;
  }, minutes(1)); // processes start meanwhile, and take over from dead ones in real time

/** Kills the provisioner in the stage of the operation that this gives, and starts it again. Gives the operation. */
async function killIn(begin: () => Promise<string>, [stage, at]: Kill): Promise<string> {
  let id = '';
  if (at)
    // From before it begins: its first stage does not wait for anybody.
    await lostAnswerTo(at, async () => {
      id = await begin();
      await pass(id, () => !landscape.faults.list().some(({ left }) => left === 1));
    });
  else {
    id = await begin();
    await pass(id, (operation) => operation.stage === stage && operation.because !== null);
    living.kill();
  }
  await startAgain();
  const { finished_stages: finished, ended_at: endedAt } = await read(id);
  assert.equal(endedAt, null);
  assert.ok(!finished.includes(stage), `${stage} was over before the kill`);
  return id;
}

/** Kills it in all of these stages, one after the other. */
async function killInEach(begin: () => Promise<string>, kills: readonly Kill[]): Promise<string> {
  let started = begin;
  for (const kill of kills) {
    const id = await killIn(started, kill);
    started = async () => id;
    if (shoots() > 0) runtime.uid ||= await uidOfShoot();
  }
  return started();
}

/** The work of the request is done, and the process that asked dies before it hears of that. */
async function lostAnswerTo(at: Omit<Fault, 'action'>, meanwhile: () => Promise<unknown>) {
  const lost = Promise.withResolvers<void>();
  onLostAnswer = () => {
    living.kill();
    lost.resolve();
  };
  const fault = landscape.faults.add({ ...at, count: 1, action: { kind: 'lost answer' } });
  await meanwhile();
  await lost.promise;
  landscape.faults.remove(fault);
  onLostAnswer = () => {};
}

async function finish(id: string): Promise<void> {
  const { state, error } = await pass(id, ({ ended_at: endedAt }) => endedAt !== null);
  assert.equal(state, 'succeeded', JSON.stringify(error));
}

/** Names of all objects of a kind in the runtime's cluster. */
function inRuntime(kind: string): string[] {
  const runtimes = landscape.inventory()['gardener']?.['runtimes'] as {
    objects: Record<string, { name: string }[]>;
  }[]; // as the inventory lists clusters
  return (runtimes[0]?.objects[kind] ?? []).map(({ name }) => name);
}
const uidOfShoot = async () => {
  const token = /token: (\S+?) ?\}/.exec(
    await (await fetch(`${landscape.url}/gardener/kubeconfig`)).text(),
  )?.[1];
  const path = `apis/core.gardener.cloud/v1beta1/namespaces/garden-kyma/shoots/${shootName}`;
  const response = await fetch(`${landscape.url}/gardener/${path}`, {
    headers: { authorization: `Bearer ${token}` },
  });
  return ((await response.json()) as { metadata: { uid: string } }).metadata.uid; // every object has one
};
const shoots = () => landscape.inventory()['gardener']?.['shoots.core.gardener.cloud']?.length ?? 0;
const registered = () => landscape.inventory()['director']?.['runtimes']?.length ?? 0;

const inCluster = (method: string, path: string) => ({ system: 'gardener', method, path });
const bindings = inCluster('POST', 'clusterrolebindings');
const installation = inCluster('PATCH', 'installations/kyma-installation');

/** The one that all operations are about. */
const runtime = { id: '', uid: '' };
/** The operation that a request has begun, also if the process died before it could answer. */
async function begun(query: string): Promise<string> {
  const [answer] = await Promise.allSettled([ask(query)]);
  const { rows } = await database.pool.query<{ id: string; subject: string }>(
    `select id, subject from operations where ended_at is null and type <> 'abandoned_registration'
      order by number desc limit 1`,
  );
  const [{ id, subject } = assert.fail(inspect(answer))] = rows;
  runtime.id = subject;
  return id;
}
const removal = () => begun(`mutation { result: deprovisionRuntime(id: "${runtime.id}") }`);

test('30: undisturbed, a runtime comes and goes; so does the process', async () => {
  await finish(await begun(provisioning(order('azure'))));
  assert.deepEqual([shoots(), registered()], [1, 1]);
  await finish(await removal());
  assert.deepEqual([shoots(), registered()], [0, 0]);
  living.kill('SIGTERM');
  await startAgain();
});

test('30: a request that dies after the registration in Director leaves nothing behind', async () => {
  await lostAnswerTo({ system: 'director', field: 'registerRuntime' }, async () => {
    await assert.rejects(ask(provisioning(order('azure'))));
  });
  assert.equal(registered(), 1);
  await startAgain();
  const { rows } = await database.pool.query<{ id: string }>(
    'select id from operations where ended_at is null',
  );
  const [{ id } = assert.fail('nobody remembers the registration')] = rows;
  await killInEach(
    async () => id,
    [
      ['WaitForRequest'],
      ['GiveBackRegistration', { system: 'director', field: 'unregisterRuntime' }],
    ],
  );
  await finish(id);
  assert.deepEqual([registered(), shoots()], [0, 0]);
});

/** Every operation of a runtime, as it is asked for, with a kill in each of its stages. */
const operations: readonly (readonly [string, () => Promise<string>, readonly Kill[]])[] = [
  [
    'a provisioning',
    () => begun(provisioning(order('azure', {}, { kymaConfig: kymaLite }))),
    [
      ['CreatingShoot', realChange],
      ['WaitingForClusterDomain'],
      ['WaitingForClusterCreation'],
      ['CreatingBindingsForOperators', bindings],
      ['StartingInstallation', installation],
      ['WaitingForInstallation'],
      ['ConnectRuntimeAgent', inCluster('POST', '/namespaces/kyma-system/secrets')],
      ['WaitForAgentToConnect'],
    ],
  ],
  [
    'an upgrade of the Shoot',
    () =>
      begun(
        upgrading(runtime.id, { gardenerConfig: { autoScalerMax: 8 }, administrators: ['user-3'] }),
      ),
    [
      ['UpgradingShoot', realChange],
      ['WaitingForShootNewVersion'],
      ['WaitingForShootUpgrade'],
      ['CreatingBindingsForOperators', bindings],
    ],
  ],
  [
    'an upgrade of Kyma',
    () => {
      const config = literal({ kymaConfig: { ...kymaLite, version: '2.0.4' } });
      return begun(
        `mutation { result: upgradeRuntime(id: "${runtime.id}", config: ${config}) ${operationFields} }`,
      );
    },
    [['StartingUpgrade', installation], ['WaitingForInstallation']],
  ],
  [
    'a reconnection of the agent',
    () => begun(`mutation { result: reconnectRuntimeAgent(id: "${runtime.id}") }`),
    [
      ['ConnectRuntimeAgent', inCluster('PUT', '/secrets/compass-agent-configuration')],
      ['WaitForAgentToConnect'],
    ],
  ],
];

for (const [what, start, kills] of operations) {
  test(`30: ${what} that is killed in each of its stages goes on there, and makes nothing twice`, async () => {
    const id = await killInEach(start, kills);
    await finish(id);
    assert.deepEqual(
      (await read(id)).finished_stages,
      kills.map(([stage]) => stage),
    );
    assert.deepEqual([shoots(), registered(), await uidOfShoot()], [1, 1, runtime.uid]);
    assert.deepEqual(inRuntime('secrets').toSorted(), [
      'compass-agent-configuration',
      'compass-runtime-agent-installer-config',
      'global-installer-config',
    ]);
    assert.deepEqual(inRuntime('clusterrolebindings.rbac.authorization.k8s.io').toSorted(), [
      'administrator0',
      ...(what === 'a provisioning' ? ['administrator1'] : []),
      'kyma-installer',
      'l2-operator',
      'l3-operator-admin',
    ]);
    assert.equal(inRuntime('installations.installer.kyma-project.io').length, 1);
  });
}

test('30: a deprovisioning that is killed in each of its stages goes on there, and leaves nothing', async () => {
  const id = await killInEach(removal, [
    ['CleanupCluster', inCluster('GET', '/servicecatalog.k8s.io/')],
    ['TriggerKymaUninstall', installation],
    ['DeprovisionCluster', inCluster('DELETE', '/shoots/')],
    ['WaitForClusterDeletion'],
    ['UnregisterRuntime', { system: 'director', field: 'unregisterRuntime' }],
  ]);
  await finish(id);
  assert.deepEqual([shoots(), registered()], [0, 0]);
});

test('30: a hibernation that is killed in each of its stages goes on there', async () => {
  await finish(await begun(provisioning(order('azure'))));
  const query = `mutation { result: hibernateRuntime(id: "${runtime.id}") ${operationFields} }`;
  const id = await killInEach(
    () => begun(query),
    [['HibernatingShoot', realChange], ['WaitForHibernation']],
  );
  await finish(id);
  assert.deepEqual([shoots(), registered()], [1, 1]);
  await finish(await removal());
  assert.deepEqual([shoots(), registered()], [0, 0]);
});
