import assert from 'node:assert/strict';
import { test } from 'node:test';
import { minutes, seconds } from '#time';
import { failsWith, kyma, signal, startRuntime, type Runtime } from './testing.ts';

const apiVersion = 'servicecatalog.k8s.io/v1beta1';
const base = `/apis/${apiVersion}`;
const instances = `${base}/namespaces/default/serviceinstances`;
const longName = 'x'.repeat(80);

/** Kyma with its Service Catalog, and two brokers: `mine` of Service Manager, and another one. */
async function installCatalog(runtime: Runtime) {
  const { installation } = runtime.installer;
  const yaml = await runtime.artifacts.installerYaml(kyma.version, signal);
  await installation.applyInstaller(yaml, signal);
  await installation.install(kyma, signal);
  runtime.landscape.time.advance(minutes(2));
  const broker = (name: string, url: string) =>
    runtime.create(`${base}/clusterservicebrokers`, {
      apiVersion,
      kind: 'ClusterServiceBroker',
      metadata: { name },
      spec: { url },
    });
  const order = async (name: string, clusterServiceBrokerName: string) => {
    await runtime.create(`${base}/clusterserviceclasses`, {
      apiVersion,
      kind: 'ClusterServiceClass',
      metadata: { name: `${name}-class` },
      spec: { clusterServiceBrokerName },
    });
    await runtime.create(instances, {
      apiVersion,
      kind: 'ServiceInstance',
      metadata: { name },
      spec: { clusterServiceClassRef: { name: `${name}-class` } },
    });
  };
  await broker('mine', 'https://service-manager.cfapps.example.com');
  await broker('other', 'https://helm-broker.example.com');
  await order('database', 'mine');
  await order(longName, 'mine');
  await order('cache', 'other');
}

test('the instances of Service Manager are asked to go, and go after a while; others stay', async () => {
  await using runtime = await startRuntime();
  await installCatalog(runtime);
  const { serviceCatalog } = runtime.installer;
  const asked = ['default/database', `default/${longName}`];
  assert.deepEqual(await serviceCatalog.cleanUp(signal), asked);
  assert.ok((await runtime.read(`${instances}/database`))?.metadata['deletionTimestamp']);
  assert.deepEqual(await serviceCatalog.cleanUp(signal), asked);
  runtime.landscape.time.advance(seconds(31));
  assert.deepEqual(await serviceCatalog.cleanUp(signal), []);
  assert.equal(await runtime.read(`${instances}/database`), undefined);
  assert.ok(await runtime.read(`${instances}/cache`));
});

test('brokers no longer wait for their controller', async () => {
  await using runtime = await startRuntime();
  await installCatalog(runtime);
  const finalizers = async (name: string) =>
    (await runtime.read(`${base}/clusterservicebrokers/${name}`))?.metadata['finalizers'];
  assert.deepEqual(await finalizers('mine'), ['kubernetes-incubator/service-catalog']);
  await runtime.installer.serviceCatalog.cleanUp(signal);
  assert.equal(await finalizers('mine'), undefined);
  assert.equal(await finalizers('other'), undefined);
});

test('which brokers are meant can be said', async () => {
  await using runtime = await startRuntime();
  await installCatalog(runtime);
  const asked = await runtime.installer.serviceCatalog.cleanUp(signal, 'https://helm-broker.');
  assert.deepEqual(asked, ['default/cache']);
});

test('without a Service Catalog there is nothing to do', async () => {
  await using runtime = await startRuntime();
  assert.equal(await runtime.installer.serviceCatalog.cleanUp(signal), undefined);
});

test('a deletion whose answer is lost can be repeated', async () => {
  await using runtime = await startRuntime();
  await installCatalog(runtime);
  const { serviceCatalog } = runtime.installer;
  const action = { kind: 'lost answer' } as const;
  runtime.landscape.faults.add({ system: 'gardener', method: 'DELETE', count: 1, action });
  await assert.rejects(
    serviceCatalog.cleanUp(signal),
    failsWith({ temporary: true, reason: 'unreachable' }),
  );
  assert.equal((await serviceCatalog.cleanUp(signal))?.length, 2);
});

test('an instance that somebody else deleted meanwhile is as good as deleted', async () => {
  await using runtime = await startRuntime();
  await installCatalog(runtime);
  runtime.landscape.faults.add({
    system: 'gardener',
    method: 'DELETE',
    action: { kind: 'answer', status: 404, body: '{"kind":"Status","reason":"NotFound"}' },
  });
  assert.equal((await runtime.installer.serviceCatalog.cleanUp(signal))?.length, 2);
});
