import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startBroker } from '../testing.ts';
import { inventoryOf, runsOf, smallestOrder, succeeds } from './testing.ts';

const step = 'Create_Cluster_Configuration';

test('the Reconciler knows the runtime once, also if its answer got lost', async () => {
  await using world = await startBroker();
  world.landscape.faults.add({
    system: 'reconciler',
    method: 'POST',
    count: 2,
    action: { kind: 'lost answer' },
  });
  const order = await world.order('azure');
  await succeeds(world, order);
  const { runtimeId, details } = (await world.instance(order.instanceId)) ?? assert.fail();
  assert.partialDeepStrictEqual(inventoryOf(world.landscape, 'reconciler', 'clusters'), [
    { runtimeID: runtimeId, clusterVersion: 1, configurationVersion: 1, kymaVersion: '2.18.0' },
  ]);
  assert.equal(details.clusterConfigurationVersion, 1);
});

test('a cluster that the customer brings gets Kyma without what would connect it to us', async () => {
  await using world = await startBroker();
  await succeeds(world, await world.order('azure'));
  const order = await world.order('own_cluster', { parameters: smallestOrder('own_cluster') });
  await succeeds(world, order);
  const [ours, theirs] = inventoryOf(world.landscape, 'reconciler', 'clusters');
  assert.ok(ours?.components.includes('compass-runtime-agent'));
  assert.ok(theirs?.components.includes('istio'));
  assert.ok(!theirs?.components.includes('compass-runtime-agent'));
});

for (const [what, options, plan, why] of [
  ['preview runtimes', {}, 'preview', 'the plan is not preview'],
  [
    'runtimes without a Reconciler',
    { off: ['reconciler'] },
    'azure',
    'the Reconciler is switched on',
  ],
] as const) {
  test(`${what} get no Kyma from it`, async () => {
    await using world = await startBroker(options);
    const order = await world.order(plan);
    await succeeds(world, order);
    assert.deepEqual(inventoryOf(world.landscape, 'reconciler', 'clusters'), []);
    for (const name of [step, 'Check_Cluster_Configuration'])
      assert.deepEqual(await runsOf(world, order, name), [`skip: not applicable: ${why}`]);
  });
}
