import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startBroker } from '../testing.ts';
import { runsOf, smallestOrder, succeeds } from './testing.ts';

test('a subaccount is registered as a data tenant with its four metadata', async () => {
  await using world = await startBroker();
  const { instanceId, operationId } = await world.order('azure_lite');
  await world.pass(operationId);
  assert.partialDeepStrictEqual(world.landscape.inventory()['edp'], {
    dataTenants: [
      {
        id: 'kyma/sa-1/test',
        metadata: {
          maasConsumerEnvironment: 'CF',
          maasConsumerRegion: 'cf-eu20',
          maasConsumerSubAccount: 'sa-1',
          maasConsumerServicePlan: 'tdd',
        },
      },
    ],
  });
  assert.equal((await world.instance(instanceId))?.details.edpRegistered, true);
});

test('what is registered already, from a run whose answer got lost, is made anew', async () => {
  await using world = await startBroker();
  world.landscape.faults.add({
    system: 'edp',
    path: '/metadata$',
    nth: 2,
    action: { kind: 'lost answer' },
  });
  const { operationId } = await world.order('azure');
  await world.pass(operationId);
  const [tenant, ...others] = world.landscape.inventory()['edp']?.['dataTenants'] ?? [];
  assert.equal(others.length, 0);
  assert.equal(Object.keys((tenant as { metadata: object }).metadata).length, 4); // as the inventory lists them
});

test('where EDP is not required, an outage of it does not hold up the order for long', async () => {
  await using world = await startBroker({
    settings: { edp: { environment: 'test', isRequired: false } },
  });
  const outage = { kind: 'answer', status: 503 } as const;
  world.landscape.faults.add({ system: 'edp', action: outage });
  const { operationId, instanceId } = await world.order('azure');
  const { state, not_completed: notCompleted } = await world.pass(operationId);
  assert.equal(state, 'succeeded');
  assert.deepEqual(notCompleted, ['EDP_Registration']);
  assert.equal((await world.instance(instanceId))?.details.edpRegistered, false);
});

for (const [what, options, plan, why] of [
  ['without EDP', { off: ['edp'] }, 'azure', 'EDP is switched on'],
  ['for the cluster of somebody else', {}, 'own_cluster', 'the cluster is ours'],
] as const) {
  test(`nothing is registered ${what}`, async () => {
    await using world = await startBroker(options);
    const order = await world.order(plan, { parameters: smallestOrder(plan) });
    await succeeds(world, order);
    assert.deepEqual(world.landscape.inventory()['edp']?.['dataTenants'], []);
    assert.deepEqual(await runsOf(world, order, 'EDP_Registration'), [
      `skip: not applicable: ${why}`,
    ]);
  });
}
