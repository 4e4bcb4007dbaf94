import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inTransaction } from '#database';
import { provisioned } from './operations/testing.ts';
import { startDeprovisioning } from './start-deprovisioning.ts';
import { startBroker } from './testing.ts';

test('a removal cancels what runs, and begins', async () => {
  await using world = await startBroker();
  const { instanceId, operationId } = await world.order('azure');
  await world.pass(operationId, ({ step }) => step === 'Check_Runtime');
  const { id } = await world.remove(instanceId);
  const canceled = await world.pass(operationId);
  assert.equal(canceled.state, 'canceled');
  assert.equal(canceled.description, 'canceled: the instance is being deleted');
  assert.equal((await world.pass(id)).state, 'succeeded');
});

test('what waits for its turn is canceled, too', async () => {
  await using world = await startBroker();
  const { instanceId, operationId } = await world.order('azure');
  await world.pass(operationId, ({ step }) => step === 'Check_Runtime');
  const waiting = await world.engine.start('provision', instanceId, { plan: 'azure' });
  await world.remove(instanceId);
  assert.equal((await world.pass(waiting.id)).state, 'canceled');
});

test('a removal that is under way answers further requests, however many come at once', async () => {
  await using world = await startBroker();
  const instanceId = await provisioned(world);
  const all = await Promise.all(Array.from({ length: 50 }, () => world.remove(instanceId)));
  assert.equal(new Set(all.map(({ id }) => id)).size, 1);
  const [first] = all;
  const suspension = await world.remove(instanceId, { temporary: true });
  assert.equal(suspension.id, first?.id);
});

test('a suspension is not enough for whoever wants the instance deleted', async () => {
  await using world = await startBroker();
  const instanceId = await provisioned(world, 'trial');
  const suspension = await world.remove(instanceId, { temporary: true });
  await world.pass(suspension.id, ({ step }) => step === 'Check_Runtime_Removal');
  const deletion = await world.remove(instanceId);
  assert.notEqual(deletion.id, suspension.id);
  assert.equal((await world.pass(suspension.id)).state, 'canceled');
  assert.deepEqual((await world.pass(deletion.id)).not_completed, []);
  assert.equal(await world.instance(instanceId), undefined);
});

test('a removal that has ended is no answer: what is left is removed by a new one', async () => {
  await using world = await startBroker();
  const instanceId = await provisioned(world);
  world.landscape.faults.add({ system: 'ias', action: { kind: 'reset' } });
  const first = await world.remove(instanceId);
  await world.pass(first.id);
  assert.notEqual((await world.remove(instanceId)).id, first.id);
});

test('the operation knows the order, who asked, and whether the instance stays', async () => {
  await using world = await startBroker();
  const trial = await provisioned(world, 'trial');
  const { facts } = await world.remove(trial, { temporary: true, userAgent: 'somebody' });
  assert.deepEqual(facts, {
    plan: 'trial',
    hasBtpCredentials: false,
    temporary: true,
    userAgent: 'somebody',
  });
});

test('where there is no instance, nothing is started', async () => {
  await using world = await startBroker();
  const { engine, services, database } = world;
  const started = await inTransaction(database, (db) =>
    startDeprovisioning({ ...services, engine }, { instanceId: 'nobody' }, db),
  );
  assert.equal(started, undefined);
  assert.deepEqual(await engine.ofSubject('nobody'), []);
});
