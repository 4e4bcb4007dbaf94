import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startBroker, testSettings } from '../testing.ts';
import { inventoryOf, runsOf, succeeds, untilAfter } from './testing.ts';

const step = 'AVS_Create_Internal_Eval_Step';

test('the internal evaluation is created once, also if the stage starts over', async () => {
  await using world = await startBroker();
  const outage = { kind: 'answer', status: 503 } as const;
  world.landscape.faults.add({ system: 'edp', count: 3, action: outage });
  const order = await world.order('azure', { instanceId: 'instance-1' });
  await untilAfter(world, order, 'create_runtime');
  const [evaluation, ...others] = inventoryOf(world.landscape, 'avs', 'evaluations');
  assert.equal(evaluation?.name, 'K8S-AZR-Kyma-int-instance-1-demo');
  assert.deepEqual(others, []);
  assert.equal((await world.instance('instance-1'))?.details.avsInternalId, evaluation.id);
});

test('an answer of AvS that gets lost leaves one evaluation behind, and the second is on record', async () => {
  await using world = await startBroker();
  world.landscape.faults.add({
    system: 'avs',
    method: 'POST',
    path: '/evaluationmetadata$',
    count: 1,
    action: { kind: 'lost answer' },
  });
  const order = await world.order('azure');
  await untilAfter(world, order, 'create_runtime');
  const evaluations = inventoryOf(world.landscape, 'avs', 'evaluations');
  assert.equal(evaluations.length, 2);
  const { details } = (await world.instance(order.instanceId)) ?? assert.fail();
  assert.equal(details.avsInternalId, evaluations[1]?.id);
});

for (const plan of ['trial', 'free']) {
  test(`${plan} runtimes are watched in a place of their own, if there is one`, async () => {
    const place = { ...testSettings.avs.internal, parentId: 7 };
    const avs = { ...testSettings.avs, trial: place };
    await using world = await startBroker({ settings: { avs } });
    await untilAfter(world, await world.order(plan), 'create_runtime');
    const [compound] = inventoryOf(world.landscape, 'avs', 'compounds');
    assert.equal(compound?.id, 7);
  });
}

test('without AvS nothing is watched', async () => {
  await using world = await startBroker({ off: ['avs'] });
  const order = await world.order('azure');
  await succeeds(world, order);
  assert.deepEqual(inventoryOf(world.landscape, 'avs', 'evaluations'), []);
  for (const name of [step, 'AVS_Create_External_Eval_Step', 'AVS_Tags'])
    assert.deepEqual(await runsOf(world, order, name), [
      'skip: not applicable: AvS is switched on',
    ]);
});
