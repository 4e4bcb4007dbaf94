import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hours, minutes } from '#time';
import { provisioned, removed, signal, type World } from '../operations/testing.ts';
import { startBroker } from '../testing.ts';

const [ask, check] = ['Deregister_Cluster', 'Check_Cluster_Deregistration'] as const;

const clusters = ({ landscape }: World) => landscape.inventory()['reconciler']?.['clusters'] ?? [];

/** From now on the Reconciler says so, whatever is true. */
async function reports(world: World, instanceId: string, status: string): Promise<void> {
  const { runtimeId } = (await world.instance(instanceId)) ?? assert.fail();
  const body = {
    cluster: runtimeId,
    clusterVersion: 1,
    configurationVersion: 1,
    status,
    failures: status.endsWith('error') ? [{ component: 'istio', reason: 'timeout' }] : null,
  };
  world.landscape.faults.add({
    system: 'reconciler',
    method: 'GET',
    action: { kind: 'answer', status: 200, body: JSON.stringify(body) },
  });
}

test('the Reconciler is asked to let go, and waited for', async () => {
  await using world = await startBroker();
  const instanceId = await provisioned(world);
  const { ended, timeline } = await removed(world, instanceId);
  assert.deepEqual(ended.not_completed, []);
  assert.deepEqual(clusters(world), []);
  const waits = timeline.filter((line) => line.step === check && line.outcome === 'wait');
  assert.deepEqual(
    waits.map(({ because, system }) => [because, system]),
    [
      ['the cluster is delete_pending', 'reconciler'],
      ['the cluster is deleting', 'reconciler'],
    ],
  );
});

test('a configuration whose answer got lost is removed, too', async () => {
  await using world = await startBroker();
  const instanceId = await provisioned(world);
  await world.services.instances.remember(world.database.pool, instanceId, {
    clusterConfigurationVersion: null,
  });
  const { ended, lineOf } = await removed(world, instanceId);
  assert.deepEqual(ended.not_completed, []);
  assert.equal(lineOf(check).outcome, 'skip');
  assert.deepEqual(clusters(world), []);
});

test('a cluster that the Reconciler does not know is as good as deregistered', async () => {
  await using world = await startBroker();
  const instanceId = await provisioned(world);
  const { runtimeId = '' } = (await world.instance(instanceId)) ?? {};
  await world.services.clients.reconciler?.deleteCluster(runtimeId, signal);
  world.advance(hours(1));
  const { ended, lineOf } = await removed(world, instanceId);
  assert.deepEqual(ended.not_completed, []);
  assert.deepEqual(lineOf(check), { outcome: 'done', because: null, runs: 1 });
});

test('a Reconciler that does not come to an end is waited for 90 minutes', async () => {
  for (const [status, because] of [
    ['deleting', /within 1 h 30 min: the cluster is deleting/],
    ['delete_error_retryable', /within 1 h 30 min: the cluster is delete_error_retryable/],
    ['ready', /within 1 h 30 min: the cluster is ready, not being deleted/],
    ['from_the_future', /within 1 h 30 min: the cluster is from_the_future, not being deleted/],
  ] as const) {
    await using world = await startBroker();
    const instanceId = await provisioned(world);
    await reports(world, instanceId, status);
    const began = world.landscape.time.now();
    const { ended, lineOf } = await removed(world, instanceId);
    assert.deepEqual(ended.not_completed, [check]);
    assert.match(lineOf(check).because ?? '', because);
    assert.ok(world.landscape.time.now() - began >= minutes(90));
    const { details } = (await world.instance(instanceId)) ?? assert.fail();
    assert.equal(details.clusterConfigurationVersion, 1);
  }
});

test('an error of the Reconciler ends the waiting, and names the components', async () => {
  for (const status of ['delete_error', 'error']) {
    await using world = await startBroker();
    const instanceId = await provisioned(world);
    await reports(world, instanceId, status);
    const { ended, lineOf } = await removed(world, instanceId);
    assert.deepEqual(ended.not_completed, [check]);
    assert.match(
      lineOf(check).because ?? '',
      /^the Reconciler could not let go of cluster .+: component istio: timeout$/,
    );
  }
});

test('a deregistration that was never accepted is not waited for', async () => {
  await using world = await startBroker();
  const instanceId = await provisioned(world);
  world.landscape.faults.add({
    system: 'reconciler',
    method: 'DELETE',
    action: { kind: 'answer', status: 400 },
  });
  const { ended, lineOf } = await removed(world, instanceId);
  assert.deepEqual(ended.not_completed, [ask, check]);
  assert.match(lineOf(check).because ?? '', /^the Reconciler was not told to let go of cluster/);
});

test('preview runtimes have nothing there', async () => {
  await using world = await startBroker();
  const { lineOf } = await removed(world, await provisioned(world, 'preview'));
  assert.equal(lineOf(ask).because, 'not applicable: the plan is not preview');
  assert.ok(!world.landscape.requests.some(({ system }) => system === 'reconciler'));
});
