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
