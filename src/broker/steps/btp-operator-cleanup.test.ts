import assert from 'node:assert/strict';
import { test } from 'node:test';
import { minutes } from '#time';
import { clusterOf, provisioned, removed, signal, type World } from '../operations/testing.ts';
import { startBroker } from '../testing.ts';

const step = 'BTPOperator_Cleanup';
const api = '/apis/services.cloud.sap.com/v1';
const kinds = { servicebindings: 'ServiceBinding', serviceinstances: 'ServiceInstance' };

/** A service instance and its binding, and a way to see what is left of them when the cluster's removal begins. */
async function ordered(world: World, instanceId: string, finalizers: string[] = []) {
  const cluster = await clusterOf(world, instanceId);
  const create = (path: string, body: object) =>
    cluster.request({ method: 'POST', path, body, what: 'create', signal });
  await create('/api/v1/namespaces', { metadata: { name: 'shop' } });
  for (const [plural, kind] of Object.entries(kinds)) {
    const metadata = { name: 'database', finalizers };
    await create(`${api}/namespaces/shop/${plural}`, {
      apiVersion: 'services.cloud.sap.com/v1',
      kind,
      metadata,
    });
  }
}

/** What this cluster was told to delete, in this order. */
const deletions = ({ landscape }: World) =>
  landscape.requests
    .filter(({ method, path }) => method === 'DELETE' && path.includes(api))
    .map(({ path }) => path.split('/').at(-1));

test('when a trial is suspended, bindings are deleted first, then instances, each until it has gone', async () => {
  await using world = await startBroker();
  const instanceId = await provisioned(world, 'trial');
  await ordered(world, instanceId);
  const { ended, lineOf, timeline } = await removed(world, instanceId, { temporary: true });
  assert.deepEqual(ended.not_completed, []);
  assert.equal(lineOf(step).outcome, 'done');
  assert.deepEqual(deletions(world), Object.keys(kinds));
  const waits = timeline.filter((line) => line.step === step && line.outcome === 'wait');
  assert.deepEqual(
    waits.map(({ because, system }) => [because, system]),
    Object.keys(kinds).map((kind) => [`${kind} are being deleted`, 'runtime-cluster']),
  );
});

test('what BTP does not take back within half an hour is let go, and stays on record', async () => {
  await using world = await startBroker();
  const instanceId = await provisioned(world, 'trial');
  await ordered(world, instanceId, ['example.com/never']);
  const began = world.landscape.time.now();
  const { ended, lineOf } = await removed(world, instanceId, { temporary: true });
  assert.ok(world.landscape.time.now() - began >= minutes(30));
  assert.deepEqual(ended.not_completed, [step]);
  assert.match(lineOf(step).because ?? '', /^servicebindings were not given back in time/);
  assert.deepEqual(deletions(world), Object.keys(kinds));
});

test('when the subaccount was deleted, nobody waits for BTP', async () => {
  await using world = await startBroker();
  const instanceId = await provisioned(world, 'aws');
  await ordered(world, instanceId, ['example.com/never']);
  const { ended, lineOf } = await removed(world, instanceId, { userAgent: 'accountcleanup-job' });
  assert.deepEqual(ended.not_completed, []);
  assert.deepEqual(lineOf(step), { outcome: 'done', because: null, runs: 1 });
  assert.deepEqual(deletions(world), Object.keys(kinds));
});

test('whoever deletes a runtime, or suspends one that is no trial, has the orders in his own hands', async () => {
  await using world = await startBroker();
  for (const [plan, request] of [
    ['trial', { userAgent: 'somebody' }],
    ['aws', { temporary: true }],
  ] as const) {
    const instanceId = await provisioned(world, plan);
    await ordered(world, instanceId);
    const { lineOf } = await removed(world, instanceId, request);
    assert.equal(lineOf(step).outcome, 'skip');
  }
  assert.deepEqual(deletions(world), []);
});

test('a cluster that is not there, or not up yet, has no orders', async () => {
  await using world = await startBroker();
  const job = { userAgent: 'accountcleanup-job' };
  const early = await world.order('aws');
  await world.pass(early.operationId, ({ step }) => step === 'Check_Runtime');
  assert.equal((await removed(world, early.instanceId, job)).lineOf(step).outcome, 'skip');

  const late = await provisioned(world, 'azure');
  await world.services.instances.setRuntime(
    world.database.pool,
    late,
    '00000000-0000-4000-8000-000000000000',
  );
  assert.equal((await removed(world, late, job)).lineOf(step).outcome, 'skip');
});

test('a cluster that does not answer is left alone after five minutes, and the removal goes on', async () => {
  await using world = await startBroker();
  const instanceId = await provisioned(world, 'trial');
  await ordered(world, instanceId);
  world.landscape.faults.add({
    system: 'provisioner',
    path: '^/clusters/',
    action: { kind: 'reset' },
  });
  const began = world.landscape.time.now();
  const { ended, timeline } = await removed(world, instanceId, { temporary: true });
  assert.deepEqual(ended.not_completed, [step]);
  const retries = timeline.find((line) => line.step === step && line.outcome === 'retry');
  assert.equal(retries?.runs, 7);
  assert.ok(world.landscape.time.now() - began >= minutes(5));
});
