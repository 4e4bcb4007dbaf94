import assert from 'node:assert/strict';
import { test } from 'node:test';
import { provisioned, removed } from '../operations/testing.ts';
import { startBroker } from '../testing.ts';

test('an instance of which nothing is left is forgotten; its operations are not', async () => {
  await using world = await startBroker();
  const instanceId = await provisioned(world);
  await removed(world, instanceId);
  assert.equal(await world.instance(instanceId), undefined);
  const types = (await world.engine.ofSubject(instanceId)).map(({ type }) => type);
  assert.deepEqual(types, ['deprovision', 'provision']);
});

test('an instance that has left something behind stays, marked as deleted', async () => {
  await using world = await startBroker();
  const instanceId = await provisioned(world);
  const fault = world.landscape.faults.add({ system: 'ias', action: { kind: 'reset' } });
  const { ended } = await removed(world, instanceId);
  assert.equal(ended.description, 'succeeded, but not completed: IAS_Deregistration');
  const left = (await world.instance(instanceId)) ?? assert.fail();
  assert.ok(left.deletedAt);

  world.landscape.faults.remove(fault);
  assert.deepEqual((await removed(world, instanceId)).ended.not_completed, []);
  assert.equal(await world.instance(instanceId), undefined);
});

test('a suspended instance stays, without its runtime, and keeps its identity towards BTP', async () => {
  await using world = await startBroker();
  const instanceId = await provisioned(world, 'trial');
  const smClusterId = '1f8a2d6c-0000-4000-8000-000000000001';
  await world.services.instances.remember(world.database.pool, instanceId, { smClusterId });
  const { ended } = await removed(world, instanceId, { temporary: true });
  assert.deepEqual(ended.not_completed, []);
  const { runtimeId, details, deletedAt } = (await world.instance(instanceId)) ?? assert.fail();
  assert.equal(runtimeId, undefined);
  assert.deepEqual(details, { smClusterId });
  assert.equal(deletedAt, undefined);
});

test('a suspension that left something behind can be told from its record, and what is left can still be found', async () => {
  await using world = await startBroker();
  const instanceId = await provisioned(world, 'trial');
  const { runtimeId } = (await world.instance(instanceId)) ?? {};
  world.landscape.faults.add({ system: 'reconciler', action: { kind: 'reset' } });
  const { ended } = await removed(world, instanceId, { temporary: true });
  assert.deepEqual(ended.not_completed, ['Deregister_Cluster', 'Check_Cluster_Deregistration']);
  assert.equal(ended.facts['runtimeId'], runtimeId);
  const suspended = (await world.instance(instanceId)) ?? assert.fail();
  assert.equal(suspended.deletedAt, undefined);
  assert.equal(suspended.runtimeId, runtimeId);
  assert.equal(suspended.details.clusterConfigurationVersion, 1);

  world.landscape.faults.remove();
  const again = await removed(world, instanceId, { temporary: true });
  assert.deepEqual(again.ended.not_completed, []);
  assert.deepEqual(world.landscape.inventory()['reconciler'], { clusters: [] });
  assert.partialDeepStrictEqual(await world.instance(instanceId), {
    runtimeId: undefined,
    details: {},
  });
});

test('a suspended instance whose cluster may still be there keeps the id of its runtime', async () => {
  await using world = await startBroker();
  const instanceId = await provisioned(world, 'trial');
  const { runtimeId } = (await world.instance(instanceId)) ?? {};
  world.landscape.faults.add({
    system: 'provisioner',
    field: 'deprovisionRuntime',
    action: { kind: 'reset' },
  });
  await removed(world, instanceId, { temporary: true });
  assert.ok(runtimeId);
  assert.equal((await world.instance(instanceId))?.runtimeId, runtimeId);
});
