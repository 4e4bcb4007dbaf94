import assert from 'node:assert/strict';
import { test } from 'node:test';
import { provisioned, removed, signal } from '../operations/testing.ts';
import { startBroker } from '../testing.ts';

const step = 'De-provision_AVS_Evaluations';
const lost = { kind: 'lost answer' } as const;

test('both evaluations are detached from their parents and deleted', async () => {
  await using world = await startBroker();
  const instanceId = await provisioned(world);
  const { ended, lineOf } = await removed(world, instanceId);
  assert.deepEqual(ended.not_completed, []);
  assert.equal(lineOf(step).outcome, 'done');
  assert.deepEqual(world.landscape.inventory()['avs'], { evaluations: [], compounds: [] });
});

test('the evaluation of a trial is detached from the parent of trials', async () => {
  const place = (parentId: number) => ({ testerAccessId: 1, groupId: 1, parentId, tags: [] });
  const avs = { internal: place(1), external: place(2), trial: place(3) };
  await using world = await startBroker({ settings: { avs } });
  await removed(world, await provisioned(world, 'trial'));
  assert.deepEqual(world.landscape.inventory()['avs'], { evaluations: [], compounds: [] });
});

test('one that AvS refuses to remove stays on record; the other goes', async () => {
  await using world = await startBroker();
  const instanceId = await provisioned(world);
  const { avsInternalId } = (await world.instance(instanceId))?.details ?? {};
  world.landscape.faults.add({
    system: 'avs',
    method: 'DELETE',
    path: `/${avsInternalId}$`,
    action: { kind: 'answer', status: 403 },
  });
  const { ended, lineOf } = await removed(world, instanceId);
  assert.deepEqual(ended.not_completed, [step]);
  assert.match(lineOf(step).because ?? '', /^avs: cannot .*: status 403/);
  const { details } = (await world.instance(instanceId)) ?? assert.fail();
  assert.equal(details.avsInternalId, avsInternalId);
  assert.equal(details.avsExternalId, undefined);
});

for (const [what, fault] of [
  ['an answer that got lost', { action: lost, count: 1 }],
  ['an outage of a minute', { action: { kind: 'answer', status: 503 }, count: 3 }],
] as const) {
  test(`${what} is no harm`, async () => {
    await using world = await startBroker();
    const instanceId = await provisioned(world);
    world.landscape.faults.add({ system: 'avs', method: 'DELETE', ...fault });
    const { ended } = await removed(world, instanceId);
    assert.deepEqual(ended.not_completed, []);
    assert.deepEqual(world.landscape.inventory()['avs'], { evaluations: [], compounds: [] });
  });
}

test('what is gone already, or was never there, is as good as removed', async () => {
  await using world = await startBroker();
  const { instances, clients } = world.services;
  const gone = await provisioned(world);
  const { avsInternalId = '' } = (await world.instance(gone))?.details ?? {};
  await clients.avs?.removeEvaluation(avsInternalId, 40, signal);
  assert.equal((await removed(world, gone)).lineOf(step).outcome, 'done');

  const without = await provisioned(world, 'aws');
  await instances.remember(world.database.pool, without, {
    avsInternalId: null,
    avsExternalId: null,
  });
  assert.equal((await removed(world, without)).lineOf(step).because, 'no evaluation is on record');
});
