import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startBroker } from '../testing.ts';
import { runsOf, smallestOrder, succeeds, untilAfter, type BrokerWorld } from './testing.ts';

const secretOf = async (world: BrokerWorld, plan: string, order = {}) => {
  const ordered = await world.order(plan, order);
  await untilAfter(world, ordered, 'create_runtime');
  return (await world.instance(ordered.instanceId))?.details.targetSecret;
};

test('an account is claimed for the first cluster of a customer, and used for all of its clusters', async () => {
  await using world = await startBroker();
  const other = { context: { globalaccount_id: 'ga-2' } };
  assert.equal(await secretOf(world, 'azure'), 'azure-pool-001');
  assert.equal(await secretOf(world, 'azure_lite'), 'azure-pool-001');
  assert.equal(await secretOf(world, 'aws'), 'aws-pool-001');
  assert.equal(await secretOf(world, 'azure', other), 'azure-pool-002');
});

test('trials share accounts', async () => {
  await using world = await startBroker();
  const parameters = { provider: 'Azure' };
  assert.equal(await secretOf(world, 'trial', { parameters }), 'azure-shared-1');
});

test('where data must stay in the EU, the account is one for that', async () => {
  await using world = await startBroker();
  assert.equal(await secretOf(world, 'aws', { region: 'cf-eu11' }), 'aws-eu-1');
});

test('an account that the order names is taken as it is', async () => {
  await using world = await startBroker();
  const parameters = { targetSecret: 'special' };
  assert.equal(await secretOf(world, 'azure', { parameters }), 'special');
});

test('an account that a removal releases at the same moment is not used', async () => {
  await using world = await startBroker();
  world.landscape.faults.add({
    system: 'gardener',
    method: 'GET',
    path: '/secretbindings',
    nth: 2,
    action: {
      kind: 'answer',
      status: 200,
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ kind: 'SecretBindingList', metadata: {}, items: [] }),
    },
  });
  const order = await world.order('azure');
  await untilAfter(world, order, 'create_runtime');
  assert.deepEqual(await runsOf(world, order, 'Resolve_Target_Secret'), [
    'wait: the account azure-pool-001 was released meanwhile',
    'done',
  ]);
});

test('a customer who brings the cluster needs no account', async () => {
  await using world = await startBroker();
  const order = await world.order('own_cluster', { parameters: smallestOrder('own_cluster') });
  await succeeds(world, order);
  assert.deepEqual(await runsOf(world, order, 'Resolve_Target_Secret'), [
    'skip: not applicable: the cluster is ours',
  ]);
});
