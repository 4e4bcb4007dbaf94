import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startBroker } from '../testing.ts';
import { inventoryOf, runsOf, succeeds } from './testing.ts';

const step = 'AVS_Create_External_Eval_Step';

test('the external evaluation probes the cluster, and is on record', async () => {
  await using world = await startBroker();
  const order = await world.order('aws', { instanceId: 'instance-1' });
  await succeeds(world, order);
  const { details, shootDomain } = (await world.instance('instance-1')) ?? assert.fail();
  const evaluations = inventoryOf(world.landscape, 'avs', 'evaluations');
  assert.partialDeepStrictEqual(
    evaluations.find(({ id }) => id === details.avsExternalId),
    {
      name: 'K8S-AWS-Kyma-ext-instance-1-demo',
      url: `https://healthz.${shootDomain}/healthz/ready`,
    },
  );
});

test('it is created once, also if the stage starts over', async () => {
  const tagClasses = { shootName: 1, seed: 2, region: 3 };
  const place = { testerAccessId: 1, groupId: 2, parentId: 3, tags: [] };
  const avs = { internal: place, external: place, tagClasses };
  await using world = await startBroker({ settings: { avs } });
  const outage = { kind: 'answer', status: 503 } as const;
  world.landscape.faults.add({ system: 'avs', path: '/tag$', count: 2, action: outage });
  await succeeds(world, await world.order('azure'));
  const evaluations = inventoryOf(world.landscape, 'avs', 'evaluations');
  assert.equal(evaluations.filter(({ url }) => url !== '').length, 1);
});

for (const plan of ['trial', 'free']) {
  test(`nobody probes ${plan} runtimes`, async () => {
    await using world = await startBroker();
    const order = await world.order(plan);
    await succeeds(world, order);
    assert.equal(inventoryOf(world.landscape, 'avs', 'evaluations').length, 1);
    assert.deepEqual(await runsOf(world, order, step), [
      'skip: not applicable: the plan is watched from outside',
    ]);
  });
}
