import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startBroker } from '../testing.ts';
import { configure, failureOf, inventoryOf, runsOf, succeeds } from './testing.ts';

const withoutTemplate = {
  name: 'keb-config-without-template',
  labels: { 'keb-config': 'true', 'runtime-version-2.4.3': 'true' },
  data: { default: 'additional-components: []' },
};
const overrides = {
  name: 'overrides-of-2.4.3',
  labels: { 'overrides-plan-azure': 'true', 'overrides-version-2.4.3': 'true' },
  data: { 'global.plan': 'azure' },
};
const parameters = { kymaVersion: '2.4.3' };

test('a configuration without a template fails the order before there is a cluster', async () => {
  await using world = await startBroker();
  await configure(world.landscape, 'configmaps', withoutTemplate);
  const failure = await failureOf(world, await world.order('azure', { parameters }));
  assert.equal(failure.step, 'Init_Kyma_Template');
  assert.equal(failure.reason, 'err_config_not_found');
  assert.match(failure.message, /plan azure at Kyma 2\.4\.3 has no kyma-template/);
  assert.deepEqual(inventoryOf(world.landscape, 'provisioner', 'runtimes'), []);
});

test('without Lifecycle Manager nobody needs a template', async () => {
  await using world = await startBroker({ off: ['lifecycleManager'] });
  await configure(world.landscape, 'configmaps', withoutTemplate);
  await configure(world.landscape, 'configmaps', overrides);
  const order = await world.order('azure', { parameters });
  await succeeds(world, order);
  for (const step of ['Init_Kyma_Template', 'Sync_Kubeconfig', 'Apply_Kyma'])
    assert.deepEqual(await runsOf(world, order, step), [
      'skip: not applicable: Lifecycle Manager is switched on',
    ]);
});
