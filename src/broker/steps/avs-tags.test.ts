import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startBroker, testSettings } from '../testing.ts';
import { inventoryOf, runsOf, smallestOrder, succeeds, type BrokerWorld } from './testing.ts';

const settings = {
  avs: { ...testSettings.avs, tagClasses: { shootName: 1, seed: 2, region: 3 } },
};
const tagsOf = async (world: BrokerWorld, instanceId: string) => {
  const { details } = (await world.instance(instanceId)) ?? assert.fail();
  const all = inventoryOf(world.landscape, 'avs', 'evaluations');
  return all.find(({ id }) => id === details.avsInternalId)?.tags;
};

test('the internal evaluation is tagged with shoot, seed and region', async () => {
  await using world = await startBroker({ settings });
  const order = await world.order('azure', { parameters: { region: 'westeurope' } });
  await succeeds(world, order);
  const { shootName } = (await world.instance(order.instanceId)) ?? assert.fail();
  const [shoot, seed, region, ...others] = (await tagsOf(world, order.instanceId)) ?? [];
  assert.deepEqual([shoot, region, others], [shootName, 'westeurope', []]);
  assert.ok(seed);
});

test('a tag whose answer got lost is not added twice', async () => {
  await using world = await startBroker({ settings });
  world.landscape.faults.add({
    system: 'avs',
    path: '/tag$',
    nth: 2,
    action: { kind: 'lost answer' },
  });
  const order = await world.order('azure');
  await succeeds(world, order);
  const tags = (await tagsOf(world, order.instanceId)) ?? [];
  assert.equal(tags.length, 3);
  assert.equal(new Set(tags).size, 3);
});

test('without classes of tags there are none', async () => {
  await using world = await startBroker();
  const order = await world.order('azure');
  await succeeds(world, order);
  assert.deepEqual(await tagsOf(world, order.instanceId), []);
  assert.deepEqual(await runsOf(world, order, 'AVS_Tags'), ['skip: no classes of tags are set']);
});

test('clusters of others are not tagged', async () => {
  await using world = await startBroker({ settings });
  const order = await world.order('own_cluster', { parameters: smallestOrder('own_cluster') });
  await succeeds(world, order);
  assert.deepEqual(await tagsOf(world, order.instanceId), []);
});
