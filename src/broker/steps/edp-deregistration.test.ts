import assert from 'node:assert/strict';
import { test } from 'node:test';
import { provisioned, removed } from '../operations/testing.ts';
import { startBroker } from '../testing.ts';

const step = 'EDP_Deregistration';

test('the data tenant goes with its metadata, also if nothing of it is on record', async () => {
  await using world = await startBroker();
  const instanceId = await provisioned(world);
  await world.services.instances.remember(world.database.pool, instanceId, { edpRegistered: null });
  const { ended } = await removed(world, instanceId);
  assert.deepEqual(ended.not_completed, []);
  assert.deepEqual(world.landscape.inventory()['edp'], { dataTenants: [] });
});

test('a suspended runtime can be registered again', async () => {
  await using world = await startBroker();
  const instanceId = await provisioned(world, 'trial');
  await removed(world, instanceId, { temporary: true });
  assert.deepEqual(world.landscape.inventory()['edp'], { dataTenants: [] });
  assert.equal((await world.instance(instanceId))?.details.edpRegistered, undefined);
});

test('runtimes of one subaccount share a data tenant, and it goes with the last of them', async () => {
  await using world = await startBroker();
  const first = await provisioned(world);
  const second = await world.order('azure');
  const edp = world.landscape.faults.add({
    system: 'edp',
    path: '/metadata$',
    action: { kind: 'reset' },
  });
  await world.pass(second.operationId, ({ system }) => system === 'edp'); // it has only begun
  const before = world.landscape.inventory()['edp'];
  const shared = await removed(world, first);
  assert.deepEqual(shared.lineOf(step), {
    outcome: 'skip',
    because: 'another runtime of the subaccount is registered',
    runs: 1,
  });
  assert.deepEqual(world.landscape.inventory()['edp'], before);
  world.landscape.faults.remove(edp);
  assert.equal((await world.pass(second.operationId)).state, 'succeeded');
  assert.equal((await removed(world, second.instanceId)).lineOf(step).outcome, 'done');
  assert.deepEqual(world.landscape.inventory()['edp'], { dataTenants: [] });
});

test('EDP is tried for five minutes, and then left on record; who registers next begins anew', async () => {
  await using world = await startBroker();
  const instanceId = await provisioned(world);
  world.landscape.faults.add({ system: 'edp', method: 'DELETE', action: { kind: 'reset' } });
  const { ended, lineOf } = await removed(world, instanceId);
  assert.deepEqual(ended.not_completed, [step]);
  assert.match(lineOf(step).because ?? '', /^EDP_Deregistration did not succeed within 5 min: edp/);
  assert.equal((await world.instance(instanceId))?.details.edpRegistered, undefined);
});

test('without EDP nothing is asked', async () => {
  await using world = await startBroker({ off: ['edp'] });
  const { lineOf } = await removed(world, await provisioned(world));
  assert.equal(lineOf(step).because, 'not applicable: EDP is switched on');
  assert.ok(!world.landscape.requests.some(({ system }) => system === 'edp'));
});
