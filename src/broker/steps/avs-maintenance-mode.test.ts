import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { beginUpgrade, evaluationsOf, provisioned } from '../operations/testing.ts';
import { startBroker, testSettings } from '../testing.ts';
import { runsOf } from './testing.ts';

const world = await startBroker({
  off: ['edp', 'ias'],
  settings: { avs: { ...testSettings.avs, alwaysWatched: ['ga-vip'] } },
});
after(() => world[Symbol.asyncDispose]());
const { signal } = new AbortController();

/** Upgrades it, and says how AvS saw it meanwhile and afterwards, and how the two steps went. */
async function upgraded(instanceId: string) {
  const operationId = await beginUpgrade(world, 'upgradeCluster', instanceId);
  const reached = await world.pass(operationId, (operation) =>
    operation.finished_stages.includes('maintenance'),
  );
  const meanwhile = evaluationsOf(world, instanceId).join();
  assert.equal(reached.ended_at, null);
  await world.pass(operationId);
  const [end] = await world.engine.ofSubject(instanceId, 1);
  assert.equal(end?.type, 'endMaintenance');
  await world.pass(end.id);
  return {
    meanwhile,
    afterwards: evaluationsOf(world, instanceId).join(),
    on: await runsOf(world, { instanceId, operationId }, 'AVS_Maintenance_Mode'),
    off: await runsOf(world, { instanceId, operationId: end.id }, 'Restore_Monitoring'),
  };
}

test('a runtime is under maintenance during its upgrade, and watched afterwards as it was before', async () => {
  const instanceId = await provisioned(world, 'azure');
  const { avsInternalId: id = '' } = (await world.instance(instanceId))?.details ?? {};
  await world.services.clients.avs?.setLifecycle(id, 'INACTIVE', signal);
  assert.deepEqual(await upgraded(instanceId), {
    meanwhile: 'MAINTENANCE,MAINTENANCE',
    afterwards: 'INACTIVE,ACTIVE',
    on: ['done'],
    off: ['done'],
  });
});

test('maintenance that somebody else has begun is theirs to end', async () => {
  const instanceId = await provisioned(world, 'trial');
  const { avsInternalId: id = '' } = (await world.instance(instanceId))?.details ?? {};
  await world.services.clients.avs?.setLifecycle(id, 'MAINTENANCE', signal);
  const { meanwhile, afterwards, off } = await upgraded(instanceId);
  assert.deepEqual([meanwhile, afterwards], ['MAINTENANCE', 'MAINTENANCE']);
  assert.deepEqual(off, ['skip: AvS was not told of any maintenance']);
});

test('runtimes of some accounts are watched always', async () => {
  const instanceId = await provisioned(world, 'trial', { context: { globalaccount_id: 'ga-vip' } });
  const { meanwhile, on } = await upgraded(instanceId);
  assert.equal(meanwhile, 'ACTIVE');
  assert.match(on.join(), /^skip: .*watched during upgrades too/);
});

test('what AvS did not hear after one upgrade, it hears after the next', async () => {
  const instanceId = await provisioned(world, 'trial');
  const { faults } = world.landscape;
  const operationId = await beginUpgrade(world, 'upgradeCluster', instanceId);
  await world.pass(operationId, ({ finished_stages }) => finished_stages.includes('maintenance'));
  faults.add({ system: 'avs', method: 'PUT', action: { kind: 'answer', status: 503 } });
  await world.pass(operationId);
  const [end] = await world.engine.ofSubject(instanceId, 1);
  const ended = await world.pass(end?.id ?? '');
  faults.remove();
  assert.equal(ended.description, 'succeeded, but not completed: Restore_Monitoring');
  assert.deepEqual(evaluationsOf(world, instanceId), ['MAINTENANCE']);
  assert.equal((await upgraded(instanceId)).afterwards, 'ACTIVE');
});
