import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startBroker } from '../testing.ts';
import { eachStageTwice, runsOf, smallestOrder, succeeds } from './testing.ts';

const step = 'Create_Runtime_For_Own_Cluster';

test('a cluster that the customer brings gets one id, also if the stage starts over', async () => {
  await using world = await startBroker({ disturb: eachStageTwice });
  const order = await world.order('own_cluster', { parameters: smallestOrder('own_cluster') });
  const isRepeating = ({ stage, because }: { stage: string | null; because: string | null }) =>
    stage === 'create_runtime' && because === 'once more';
  await world.pass(order.operationId, isRepeating);
  const first = (await world.instance(order.instanceId))?.runtimeId;
  await succeeds(world, order);
  const { runtimeId, provider, region, dashboardUrl } =
    (await world.instance(order.instanceId)) ?? assert.fail();
  assert.match(runtimeId ?? '', /^[0-9a-f]{8}-/);
  assert.equal(first, runtimeId);
  assert.deepEqual([provider, region], ['custom', 'custom']);
  assert.equal(dashboardUrl, 'https://dashboard.example.com');
});

test('our own clusters get theirs from the provisioner', async () => {
  await using world = await startBroker();
  const order = await world.order('azure');
  await succeeds(world, order);
  assert.deepEqual(await runsOf(world, order, step), [
    'skip: not applicable: the customer brings the cluster',
  ]);
});
