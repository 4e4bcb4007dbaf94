import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { hours } from '#time';
import { beginUpgrade, provisioned, removed } from '../operations/testing.ts';
import { startBroker } from '../testing.ts';
import { runsOf } from './testing.ts';

const world = await startBroker({ off: ['edp', 'ias', 'avs'] });
after(() => world[Symbol.asyncDispose]());
const instanceId = await provisioned(world, 'trial');
const { faults } = world.landscape;
const { signal } = new AbortController();

async function upgraded(wanted: Parameters<typeof beginUpgrade>[3]) {
  world.advance(hours(1));
  const operationId = await beginUpgrade(world, 'upgradeCluster', instanceId, wanted);
  const { state, error } = await world.pass(operationId);
  assert.equal(state, 'succeeded', JSON.stringify(error));
  const [end] = await world.engine.ofSubject(instanceId, 1);
  await world.pass(end?.id ?? '');
  return {
    operationId,
    runs: await runsOf(world, { instanceId, operationId }, 'Send_Notification'),
  };
}

/** What the customer was told under this name. */
function eventOf(orchestrationId: string) {
  const all = world.landscape.inventory()['spc']?.['maintenanceEvents'] ?? [];
  const events = all as {
    orchestrationId: string;
    eventType: string;
    tenants: { announced: number; eventState?: string }[];
  }[];
  const event = events.find((each) => each.orchestrationId === orchestrationId);
  return (
    event && [event.eventType, ...event.tenants.map((each) => [each.announced, each.eventState])]
  );
}

test('an upgrade that stands by itself announces itself once, also if answers get lost, and tells its end', async () => {
  faults.add({ system: 'spc', method: 'POST', count: 1, action: { kind: 'lost answer' } });
  const { operationId, runs } = await upgraded({ notification: true });
  faults.remove();
  assert.match(runs.join(), /^retry: .*done$/);
  assert.deepEqual(eventOf(operationId), ['0', [1, '2']]);
});

test('an announcement that may be on its way is not made once more before it should have arrived', async () => {
  const { instances } = world.services;
  // By a run of which nobody heard again.
  await instances.remember(world.database.pool, instanceId, { maintenanceEvents: { 'o-0': 1 } });
  const operationId = await beginUpgrade(world, 'upgradeCluster', instanceId, {
    notification: true,
    orchestrationId: 'o-0',
  });
  await world.pass(operationId);
  const [end] = await world.engine.ofSubject(instanceId, 1);
  await world.pass(end?.id ?? '');
  assert.deepEqual(await runsOf(world, { instanceId, operationId }, 'Send_Notification'), [
    'wait: the announcement may be on its way',
    'done',
  ]);
  assert.deepEqual(eventOf('o-0'), ['0', [1, '2']]);
});

test('an upgrade of an orchestration goes on with what that has announced', async () => {
  const start = new Date();
  await world.services.clients.spc?.createMaintenanceEvent(
    'o-1',
    'kubernetes',
    [{ instanceId, start }],
    signal,
  );
  const { operationId } = await upgraded({ notification: true, orchestrationId: 'o-1' });
  assert.deepEqual(eventOf('o-1'), ['0', [1, '2']]);
  assert.equal(eventOf(operationId), undefined);
});

test('nobody is told who is not to be told', async () => {
  const { operationId, runs } = await upgraded({});
  assert.deepEqual(runs, ['skip: not applicable: the customer is to be told']);
  assert.equal(eventOf(operationId), undefined);
});

test('whom nobody could tell of the beginning, nobody tells of the end', async () => {
  faults.add({ system: 'spc', method: 'POST', action: { kind: 'answer', status: 400 } });
  const operationId = await beginUpgrade(world, 'upgradeCluster', instanceId, {
    notification: true,
  });
  const { description } = await world.pass(operationId);
  faults.remove();
  assert.equal(description, 'succeeded, but not completed: Send_Notification');
  const [end] = await world.engine.ofSubject(instanceId, 1);
  await world.pass(end?.id ?? '');
  assert.deepEqual(
    await runsOf(world, { instanceId, operationId: end?.id ?? '' }, 'End_Notification'),
    ['skip: the customer was never told that it began'],
  );
});

test('an end that nobody could tell is told with the next upgrade', async () => {
  const underWay = await beginUpgrade(world, 'upgradeCluster', instanceId, { notification: true });
  await world.pass(underWay, ({ step }) => step === 'Check_Runtime');
  faults.add({ system: 'spc', action: { kind: 'answer', status: 503 } });
  await world.pass(underWay);
  const [end] = await world.engine.ofSubject(instanceId, 1);
  const { description } = await world.pass(end?.id ?? '');
  assert.equal(description, 'succeeded, but not completed: End_Notification');
  faults.remove();
  assert.deepEqual(eventOf(underWay), ['0', [1, '1']]);
  await upgraded({ notification: true });
  assert.deepEqual(eventOf(underWay), ['0', [1, '2']]);
  assert.equal((await world.instance(instanceId))?.details.maintenanceEvents, undefined);
});

test('a runtime that is removed in the midst of its maintenance is not under maintenance any more', async () => {
  const underWay = await beginUpgrade(world, 'upgradeCluster', instanceId, { notification: true });
  await world.pass(underWay, ({ step }) => step === 'Check_Runtime');
  assert.deepEqual(eventOf(underWay), ['0', [1, '1']]);
  faults.add({ system: 'spc', action: { kind: 'answer', status: 503 } });
  const { ended } = await removed(world, instanceId);
  assert.deepEqual(ended.not_completed, ['End_Notification']);
  faults.remove();
  assert.equal((await removed(world, instanceId)).ended.description, 'succeeded');
  assert.deepEqual(eventOf(underWay), ['0', [1, '2']]);
  assert.equal(await world.instance(instanceId), undefined);
});
