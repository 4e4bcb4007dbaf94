import assert from 'node:assert/strict';
import { test } from 'node:test';
import { provisioned, removed } from '../operations/testing.ts';
import { startBroker } from '../testing.ts';

test('which runtime was removed is known also when the instance is gone', async () => {
  await using world = await startBroker();
  const instanceId = await provisioned(world);
  const { runtimeId } = (await world.instance(instanceId)) ?? assert.fail();
  const { ended } = await removed(world, instanceId);
  assert.equal(await world.instance(instanceId), undefined);
  assert.ok(runtimeId);
  assert.equal(ended.facts['runtimeId'], runtimeId);
});

test('a removal of an instance that somebody has taken out of the database fails, and says so', async () => {
  await using world = await startBroker();
  const { id } = await world.engine.start('deprovision', 'nobody', { plan: 'azure' });
  const { state, error } = await world.pass(id);
  assert.equal(state, 'failed');
  assert.partialDeepStrictEqual(error, { step: 'Init_Step', reason: 'instance_gone' });
});
