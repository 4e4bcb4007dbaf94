import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { minutes } from '#time';
import { startLandscape } from '#landscape';
import { kinds, startKubernetes } from '../src/landscape/kubernetes/testing.ts';

const run = promisify(execFile);
const isInstalled = await run('kubectl', ['version', '--client']).then(
  () => true,
  () => false,
);
const skip = isInstalled ? false : 'kubectl is not installed on this machine';
const place = { namespace: 'garden-demo', name: 'c-1' };

/** A simulated API server, and kubectl with a kubeconfig for it. */
async function startWithKubectl() {
  const kubernetes = await startKubernetes();
  const folder = await mkdtemp(join(tmpdir(), 'kubectl-'));
  const config = join(folder, 'config');
  const kubeconfig = {
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': 'demo',
    contexts: [
      { name: 'demo', context: { cluster: 'demo', user: 'demo', namespace: 'garden-demo' } },
    ],
    clusters: [{ name: 'demo', cluster: { server: kubernetes.url } }],
    users: [{ name: 'demo', user: { token: 'any' } }],
  };
  await writeFile(config, JSON.stringify(kubeconfig));
  const options = ['--kubeconfig', config, '--cache-dir', join(folder, 'cache')];
  return {
    ...kubernetes,
    /** What it prints. */
    async kubectl(...args: string[]): Promise<string> {
      const { stdout } = await run('kubectl', [...options, ...args], { timeout: 30_000 });
      return stdout.trim();
    },
    /** Runs until it is stopped; its lines can be awaited one by one. */
    follow(...args: string[]) {
      const child = spawn('kubectl', [...options, ...args], {
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
      return {
        line: async () => (await lines.next()).value ?? '(it has ended)',
        async [Symbol.asyncDispose]() {
          child.kill();
          await once(child, 'exit');
        },
      };
    },
    /** A file with a Shoot, for `-f`. */
    async manifest(spec: object): Promise<string> {
      const path = join(folder, 'shoot.json');
      const kind = { apiVersion: 'core.gardener.cloud/v1beta1', kind: 'Shoot' };
      await writeFile(path, JSON.stringify({ ...kind, metadata: { name: place.name }, spec }));
      return path;
    },
    async [Symbol.asyncDispose]() {
      await kubernetes[Symbol.asyncDispose]();
      await rm(folder, { recursive: true });
    },
  };
}

test(
  'kubectl creates what a file describes, and shows it as a table and as YAML',
  { skip },
  async () => {
    await using world = await startWithKubectl();
    const file = await world.manifest({ region: 'westeurope', provider: { type: 'azure' } });
    assert.equal(
      await world.kubectl('create', '-f', file),
      'shoot.core.gardener.cloud/c-1 created',
    );
    const [header = '', row = ''] = (await world.kubectl('get', 'shoots')).split('\n');
    assert.match(header, /^NAME +CLOUDPROFILE +PROVIDER +REGION .* AGE$/);
    assert.match(row, /^c-1 +azure +westeurope +\d+s$/);
    assert.match(
      await world.kubectl('get', 'shoot', 'c-1', '-o', 'yaml'),
      /^ {2}region: westeurope$/m,
    );
    await assert.rejects(world.kubectl('create', '-f', file), /\(AlreadyExists\)/);
  },
);

test(
  'kubectl applies a file, says what came of it, and finds nothing to do the second time',
  { skip },
  async () => {
    await using world = await startWithKubectl();
    const apply = async (spec: object, ...more: string[]) =>
      (await world.kubectl('apply', ...more, '-f', await world.manifest(spec))).split(' ').at(-1);
    assert.equal(await apply({ region: 'a', purpose: 'b' }), 'created');
    assert.equal(await apply({ region: 'a', purpose: 'b' }), 'unchanged');
    assert.equal(await apply({ region: 'c' }), 'configured');
    assert.deepEqual(world.api.get(kinds.shoot, place)?.['spec'], { region: 'c' });
    const byServer = ['--server-side', '--force-conflicts'];
    assert.equal(await apply({ region: 'd' }, ...byServer), 'serverside-applied');
    assert.deepEqual(world.api.get(kinds.shoot, place)?.['spec'], { region: 'd' });
  },
);

test('kubectl patches, labels and annotates', { skip }, async () => {
  await using world = await startWithKubectl();
  world.api.create(kinds.shoot, { metadata: place, spec: { zones: ['1'] } });
  const patch = (type: string, body: unknown, ...more: string[]) =>
    world.kubectl('patch', 'shoot', 'c-1', `--type=${type}`, ...more, '-p', JSON.stringify(body));
  await patch('strategic', { metadata: { finalizers: ['gardener'] } });
  await patch('merge', { spec: { region: 'a' } });
  await patch('json', [{ op: 'add', path: '/spec/zones/-', value: '2' }]);
  await patch('merge', { status: { hibernated: true } }, '--subresource=status');
  await world.kubectl('label', 'shoot', 'c-1', 'account=ga-1');
  await world.kubectl('annotate', 'shoot', 'c-1', 'confirmation.gardener.cloud/deletion=true');
  assert.partialDeepStrictEqual(world.api.get(kinds.shoot, place), {
    metadata: {
      finalizers: ['gardener'],
      labels: { account: 'ga-1' },
      annotations: { 'confirmation.gardener.cloud/deletion': 'true' },
    },
    spec: { region: 'a', zones: ['1', '2'] },
    status: { hibernated: true },
  });
  assert.equal(
    await world.kubectl('get', 'shoots', '-l', 'account=ga-1', '-o', 'name'),
    'shoot.core.gardener.cloud/c-1',
  );
  assert.equal(await world.kubectl('get', 'shoots', '-l', 'account!=ga-1', '-o', 'name'), '');
});

test('kubectl waits for a deleted object until its finalizer is gone', { skip }, async () => {
  await using world = await startWithKubectl();
  world.api.create(kinds.shoot, { metadata: { ...place, finalizers: ['gardener'] } });
  const marked = Promise.withResolvers<void>();
  world.api.hook(kinds.shoot, {
    onUpdate: ({ metadata }) => {
      if (metadata.deletionTimestamp) marked.resolve();
    },
  });
  const deletion = world.kubectl('delete', 'shoot', 'c-1');
  await marked.promise;
  world.api.patch(kinds.shoot, place, { metadata: { finalizers: null } });
  assert.match(await deletion, /"c-1" deleted/);
  await assert.rejects(world.kubectl('get', 'shoot', 'c-1'), /\(NotFound\)/);
});

test('kubectl follows what happens', { skip }, async () => {
  await using world = await startWithKubectl();
  const metadata = { namespace: 'default', name: 'a' };
  world.api.create(kinds.kyma, { metadata, status: { state: 'Processing' } });
  await using following = world.follow('get', 'kymas', '-n', 'default', '--watch');
  assert.match(await following.line(), /^NAME +STATE +AGE$/);
  assert.match(await following.line(), /^a +Processing/);
  world.api.patch(kinds.kyma, metadata, { status: { state: 'Ready' } });
  assert.match(await following.line(), /^a +Ready/);
});

test(
  'kubectl knows the kinds by their short names, and says which it does not know',
  { skip },
  async () => {
    await using world = await startWithKubectl();
    assert.match(await world.kubectl('get', 'ns'), /^garden-demo +Active/m);
    await world.kubectl('create', 'configmap', 'a', '--from-literal=b=c');
    assert.match(await world.kubectl('get', 'cm'), /^a +1 /m);
    await assert.rejects(world.kubectl('get', 'nodes'), /the server doesn't have a resource type/);
  },
);

test(
  'kubectl works with the kubeconfigs that the landscape gives: of Gardener, and of a cluster',
  { skip },
  async () => {
    await using landscape = await startLandscape();
    await using folder = await kubeconfigs();
    const garden = await folder.add(await textOf(`${landscape.url}/gardener/kubeconfig`));
    const inGarden = (...args: string[]) => garden('-n', 'garden-kyma', ...args);
    const shoot = {
      apiVersion: 'core.gardener.cloud/v1beta1',
      kind: 'Shoot',
      metadata: { name: 'c-1' },
      spec: { ...azureShoot, secretBindingName: 'azure-pool-001' },
    };
    await inGarden('create', '-f', await folder.file(JSON.stringify(shoot)));
    landscape.time.advance(minutes(6));
    assert.match(await inGarden('get', 'shoots'), /c-1 .*Succeeded/);
    const ofSecret = ['secret', 'c-1.kubeconfig', '-o', 'jsonpath={.data.kubeconfig}'];
    const encoded = await inGarden('get', ...ofSecret);
    const cluster = await folder.add(Buffer.from(encoded, 'base64').toString());
    assert.match(await cluster('get', 'namespaces'), /kube-system/);
    assert.match(await inGarden('get', 'shoots', '-A'), /garden-kyma +c-1/);
    const stranger = await folder.add(
      (await textOf(`${landscape.url}/gardener/kubeconfig`)).replace(/token: .*/, 'token: x }'),
    );
    await assert.rejects(stranger('get', 'shoots', '-A'), /must be logged in|Unauthorized/);
  },
);

const textOf = async (url: string) => (await fetch(url)).text();
const azureShoot = {
  region: 'westeurope',
  kubernetes: { version: '1.26.5' },
  provider: { type: 'azure' },
};

/** A folder for kubeconfigs and other files, and kubectl with each. */
async function kubeconfigs() {
  const folder = await mkdtemp(join(tmpdir(), 'kubectl-'));
  let files = 0;
  const file = async (content: string) => {
    const path = join(folder, `${(files += 1)}`);
    await writeFile(path, content);
    return path;
  };
  return {
    file,
    async add(kubeconfig: string) {
      const config = await file(kubeconfig);
      const options = ['--kubeconfig', config, '--cache-dir', join(folder, 'cache')];
      return async (...args: string[]) =>
        (await run('kubectl', [...options, ...args], { timeout: 30_000 })).stdout.trim();
    },
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true }),
  };
}
