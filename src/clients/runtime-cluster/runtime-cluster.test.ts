import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inspect } from 'node:util';
import { hours } from '#time';
import { Kubeconfig } from '../provisioner/kubeconfig.ts';
import { failuresOf } from '../testing.ts';
import { checkKubeconfig } from './check-kubeconfig.ts';
import { runtimeClusters } from './runtime-cluster.ts';
import { credentials, signal, startRuntimes } from './testing.ts';

test('an API server that answers tells its version', async () => {
  await using runtimes = await startRuntimes();
  const { cluster, fault, kubeconfig } = await runtimes.newCluster();
  assert.match(await cluster.version(signal), /^v1\.\d+/);
  assert.deepEqual(checkKubeconfig(kubeconfig.reveal()), []);
  fault({ action: { kind: 'answer', status: 200, body: '{"gitVersion":""}' } });
  await assert.rejects(cluster.version(signal), /gitVersion/);
});

test('a namespace is created once; one that is there is left as it is', async () => {
  await using runtimes = await startRuntimes();
  const { cluster, get } = await runtimes.newCluster();
  await cluster.ensureNamespace('istio-system', signal);
  const created = await get('/api/v1/namespaces/istio-system');
  assert.equal(created?.metadata.name, 'istio-system');
  await cluster.ensureNamespace('istio-system', signal);
  assert.deepEqual(await get('/api/v1/namespaces/istio-system'), created);
});

test('a kubeconfig that has expired is refused for good', async () => {
  await using runtimes = await startRuntimes();
  const { cluster, failsWith } = await runtimes.newCluster();
  runtimes.landscape.time.advance(hours(9));
  await assert.rejects(
    cluster.ensureNamespace('istio-system', signal),
    failsWith({ temporary: false, reason: 'Unauthorized', status: 401 }),
  );
});

test('a cluster that keeps failing is left alone, also when it is connected again; others are not', async () => {
  await using runtimes = await startRuntimes({ breakAfter: 2 });
  const { kubeconfig, fault, failsWith, requests } = await runtimes.newCluster();
  fault({ action: { kind: 'answer', status: 503 } });
  for (let n = 0; n < 2; n += 1)
    await assert.rejects(runtimes.connect(kubeconfig).version(signal), failsWith({ status: 503 }));
  const same = runtimes.connect(new Kubeconfig(kubeconfig.reveal()));
  await assert.rejects(same.version(signal), failsWith({ temporary: true, reason: 'left_alone' }));
  assert.equal(requests().length, 2);
  const { cluster: other } = await runtimes.newCluster();
  assert.match(await other.version(signal), /^v1/);
});

test('of the clusters, those used last are remembered', () => {
  const connect = runtimeClusters({});
  const at = (n: number) => new Kubeconfig(`{ "n": ${n} }`);
  const [first, second] = [connect(at(0)), connect(at(1))];
  for (let n = 2; n < 200; n += 1) connect(at(n));
  assert.equal(connect(at(0)), first);
  connect(at(200));
  assert.equal(connect(at(0)), first);
  assert.notEqual(connect(at(1)), second);
});

test('a cluster that cannot be reached is temporary', async () => {
  await using runtimes = await startRuntimes();
  const { kubeconfig, failsWith } = await runtimes.newCluster();
  const nowhere = kubeconfig.reveal().replace(/127\.0\.0\.1:\d+/, '127.0.0.1:1');
  const cluster = runtimes.connect(new Kubeconfig(nowhere));
  await assert.rejects(
    cluster.version(signal),
    failsWith({ temporary: true, reason: 'unreachable' }),
  );
});

test('a kubeconfig that cannot be used is refused without being quoted', async () => {
  const failsWith = failuresOf('runtime-cluster', 'canary');
  for (const text of ['', 'canary', '{ canary: [', 'users: canary']) {
    await assert.rejects(
      runtimeClusters({})(new Kubeconfig(text)).version(signal),
      failsWith({ temporary: false, reason: 'invalid_kubeconfig' }),
    );
  }
});

test('a cluster shows nothing of its kubeconfig or of what it was given', async () => {
  await using runtimes = await startRuntimes();
  const { cluster, kubeconfig } = await runtimes.newCluster();
  await cluster.btpCredentials.ensure(credentials, signal);
  const shown = inspect(
    [cluster, runtimes.connect, await cluster.btpCredentials.get(signal), kubeconfig],
    { depth: 9, showHidden: true },
  );
  assert.doesNotMatch(shown, /canary|token:|127\.0\.0\.1/);
});
