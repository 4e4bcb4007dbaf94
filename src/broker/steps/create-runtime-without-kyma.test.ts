import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startBroker } from '../testing.ts';
import { inventoryOf, runsOf, smallestOrder, succeeds, timesAsked, untilAfter } from './testing.ts';

test('the provisioner is asked for the cluster that was ordered', async () => {
  await using world = await startBroker();
  const order = await world.order('azure', {
    instanceId: 'instance-1',
    parameters: {
      region: 'westeurope',
      machineType: 'Standard_D8_v3',
      administrators: ['admin@example.com'],
    },
  });
  await untilAfter(world, order, 'create_runtime');
  const { runtimeId, shootName, shootDomain, details } =
    (await world.instance('instance-1')) ?? assert.fail();
  assert.partialDeepStrictEqual(inventoryOf(world.landscape, 'provisioner', 'runtimes'), [
    {
      id: runtimeId,
      tenant: 'ga-1',
      subaccount: 'SA-1',
      name: details.clusterName,
      labels: {
        broker_instance_id: 'instance-1',
        global_subaccount_id: 'SA-1',
        operator_grafanaUrl: `https://grafana.${shootDomain}`,
      },
      shoot: {
        name: shootName,
        provider: 'azure',
        region: 'westeurope',
        machineType: 'Standard_D8_v3',
      },
      administrators: ['admin@example.com'],
    },
  ]);
  assert.equal(details.runtimeRequestedBy, order.operationId);
});

test('an answer of the provisioner that gets lost makes no second cluster', async () => {
  await using world = await startBroker();
  world.landscape.faults.add({
    system: 'provisioner',
    field: 'provisionRuntime',
    count: 2,
    action: { kind: 'lost answer' },
  });
  const order = await world.order('azure');
  await succeeds(world, order);
  assert.equal(timesAsked(world.landscape, 'provisioner', 'provisionRuntime'), 3);
  const runtimes = inventoryOf(world.landscape, 'provisioner', 'runtimes');
  const { runtimeId } = (await world.instance(order.instanceId)) ?? assert.fail();
  assert.deepEqual(
    runtimes.map(({ id }) => id),
    [runtimeId],
  );
});

test('nobody asks it for a cluster that the customer brings', async () => {
  await using world = await startBroker();
  const order = await world.order('own_cluster', { parameters: smallestOrder('own_cluster') });
  await succeeds(world, order);
  assert.deepEqual(inventoryOf(world.landscape, 'provisioner', 'runtimes'), []);
  for (const step of ['Create_Runtime_Without_Kyma', 'Check_Runtime'])
    assert.deepEqual(await runsOf(world, order, step), [
      'skip: not applicable: the cluster is ours',
    ]);
});
