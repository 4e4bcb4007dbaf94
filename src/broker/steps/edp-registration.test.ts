import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startBroker } from '../testing.ts';

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
