import assert from 'node:assert/strict';
import { test } from 'node:test';
import { overridesKey, type Overrides } from '../overrides.ts';
import { btpCredentials, startBroker } from '../testing.ts';
import {
  configure,
  eachStageTwice,
  inventoryOf,
  lookingInto,
  runsOf,
  succeeds,
} from './testing.ts';

const step = 'BTPOperatorOverrides';
const context = () => ({ sm_operator_credentials: btpCredentials() });
const componentsOf = ({ landscape }: Awaited<ReturnType<typeof startBroker>>) =>
  inventoryOf(landscape, 'reconciler', 'clusters')[0]?.components ?? [];

test('the BTP operator is installed with the credentials and with the id of the cluster, which stays the same', async () => {
  const seen: Overrides[] = [];
  const look = lookingInto('configure_runtime', (memory) => seen.push(memory.get(overridesKey)));
  await using world = await startBroker({ disturb: (all) => look(eachStageTwice(all)) });
  const order = await world.order('azure', { context: context() });
  await succeeds(world, order);
  const { details } = (await world.instance(order.instanceId)) ?? assert.fail();
  assert.ok(details.smClusterId);
  assert.deepEqual(seen.at(-1)?.of('btp-operator'), [
    { key: 'manager.secret.clientid', value: 'sm-client', secret: true },
    { key: 'manager.secret.clientsecret', value: 'sm-secret', secret: true },
    { key: 'manager.secret.url', value: 'https://sm.example.com', secret: false },
    { key: 'manager.secret.sm_url', value: 'https://sm.example.com', secret: false },
    { key: 'manager.secret.tokenurl', value: 'https://auth.example.com', secret: false },
    { key: 'cluster.id', value: details.smClusterId, secret: false },
    { key: 'manager.priorityClassName', value: 'kyma-system', secret: false },
  ]);
  assert.ok(componentsOf(world).includes('btp-operator'));
});

test('without credentials there is no BTP operator', async () => {
  await using world = await startBroker();
  const order = await world.order('azure');
  await succeeds(world, order);
  assert.ok(!componentsOf(world).includes('btp-operator'));
  assert.equal((await world.instance(order.instanceId))?.details.smClusterId, undefined);
  for (const name of [step, 'Inject_BTP_Operator_Credentials'])
    assert.deepEqual(await runsOf(world, order, name), [
      'skip: not applicable: BTP credentials were given',
    ]);
});

test('where the plan has no BTP operator, none is installed', async () => {
  await using world = await startBroker({ off: ['lifecycleManager'] });
  await configure(world.landscape, 'configmaps', {
    name: 'without-btp',
    labels: { 'keb-config': 'true', 'runtime-version-2.4.3': 'true' },
    data: { default: 'additional-components: []' },
  });
  const parameters = { kymaVersion: '2.4.3', overridesVersion: '2.18.0' };
  const order = await world.order('azure', { context: context(), parameters });
  await succeeds(world, order);
  assert.ok(!componentsOf(world).includes('btp-operator'));
  assert.deepEqual(await runsOf(world, order, step), ['skip: plan azure has no btp-operator']);
});
