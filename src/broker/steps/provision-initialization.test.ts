import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startBroker } from '../testing.ts';
import { failureOf, inventoryOf, succeeds, timesAsked } from './testing.ts';

test('the version of Kyma and the name of the cluster are chosen once, also if the stage starts over', async () => {
  await using world = await startBroker();
  world.landscape.faults.add({
    system: 'provisioner',
    field: 'provisionRuntime',
    count: 3,
    action: { kind: 'answer', status: 503 },
  });
  const order = await world.order('azure', { parameters: { name: 'My-Cluster' } });
  await succeeds(world, order);
  const { details } = (await world.instance(order.instanceId)) ?? assert.fail();
  assert.equal(details.kymaVersion, '2.18.0');
  assert.match(details.clusterName ?? '', /^my-cluster-[a-z]{5}$/);
  const [runtime] = inventoryOf(world.landscape, 'provisioner', 'runtimes');
  assert.equal(runtime?.name, details.clusterName);
  assert.equal(timesAsked(world.landscape, 'control-plane', /configmaps\/kyma-versions/), 1);
});

test('an order of a Kyma that nobody has configured fails before anything exists', async () => {
  await using world = await startBroker();
  const order = await world.order('azure', { parameters: { kymaVersion: '2.0.4' } });
  const failure = await failureOf(world, order);
  assert.equal(failure.step, 'Provision_Initialization');
  assert.equal(failure.reason, 'err_config_not_found');
  const { avs, edp, provisioner } = world.landscape.inventory();
  assert.deepEqual(avs?.['evaluations'], []);
  assert.deepEqual(edp?.['dataTenants'], []);
  assert.deepEqual(provisioner?.['runtimes'], []);
});

test('an order of a Kyma that was never released fails too', async () => {
  await using world = await startBroker();
  const order = await world.order('azure', { parameters: { kymaVersion: '2.99.0' } });
  const failure = await failureOf(world, order);
  assert.equal(failure.step, 'Provision_Initialization');
});

test('what the Reconciler needs is not asked for where it installs nothing', async () => {
  await using world = await startBroker({ off: ['reconciler'] });
  await succeeds(world, await world.order('azure'));
  await using preview = await startBroker();
  await succeeds(preview, await preview.order('preview'));
  for (const { landscape } of [world, preview])
    assert.equal(timesAsked(landscape, 'artifacts', /components/), 0);
});
