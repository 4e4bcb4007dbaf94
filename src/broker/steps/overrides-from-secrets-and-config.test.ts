import assert from 'node:assert/strict';
import { test } from 'node:test';
import { overridesKey, type Overrides } from '../overrides.ts';
import { startBroker } from '../testing.ts';
import { base64, configure, failureOf, lookingInto, runsOf, succeeds } from './testing.ts';

const step = 'Overrides_From_Secrets_And_Config_Step';

/** A world that shows the overrides which its last operation has collected. */
async function startLooking() {
  const seen: Overrides[] = [];
  const disturb = lookingInto('configure_runtime', (memory) => seen.push(memory.get(overridesKey)));
  const world = await startBroker({ disturb });
  return {
    world,
    overrides: () => seen.at(-1) ?? assert.fail(),
    [Symbol.asyncDispose]: world[Symbol.asyncDispose],
  };
}

test('what operators have set for the plan and the version goes to all components, or to one', async () => {
  await using looking = await startLooking();
  const { world, overrides } = looking;
  const forAzure = { 'overrides-plan-azure': 'true', 'overrides-version-2.18.0': 'true' };
  await configure(world.landscape, 'configmaps', {
    name: 'for-istio',
    labels: { ...forAzure, component: 'istio' },
    data: { size: 'big' },
  });
  await configure(world.landscape, 'configmaps', {
    name: 'for-others',
    labels: { 'overrides-plan-aws': 'true', 'overrides-version-2.18.0': 'true' },
    data: { 'only.for': 'aws' },
  });
  await configure(world.landscape, 'secrets', {
    name: 'for-all',
    labels: { 'runtime-override': 'true' },
    data: { 'registry.password': base64('canary') },
  });
  await succeeds(world, await world.order('azure'));
  assert.deepEqual(
    overrides().global.toSorted((one, other) => one.key.localeCompare(other.key)),
    [
      { key: 'global.disableLegacyConnectivity', value: 'true', secret: false },
      { key: 'global.plan', value: 'azure', secret: false },
      { key: 'registry.password', value: 'canary', secret: true },
    ],
  );
  assert.deepEqual(overrides().of('istio'), [{ key: 'size', value: 'big', secret: false }]);
});

test('an order may name another version for the overrides than for Kyma', async () => {
  await using looking = await startLooking();
  const { world, overrides } = looking;
  await configure(world.landscape, 'configmaps', {
    name: 'experiment',
    labels: { 'overrides-plan-azure': 'true', 'overrides-version-experiment': 'true' },
    data: { 'global.experiment': 'yes' },
  });
  await succeeds(
    world,
    await world.order('azure', { parameters: { overridesVersion: 'experiment' } }),
  );
  assert.deepEqual(overrides().global, [{ key: 'global.experiment', value: 'yes', secret: false }]);
});

test('a plan for which nobody has set anything fails', async () => {
  await using world = await startBroker();
  const parameters = { overridesVersion: 'nobodys' };
  const failure = await failureOf(world, await world.order('azure', { parameters }));
  assert.partialDeepStrictEqual(failure, { step, reason: 'err_config_not_found' });
});

test('preview runtimes need none', async () => {
  await using world = await startBroker();
  const order = await world.order('preview', { parameters: { overridesVersion: 'nobodys' } });
  await succeeds(world, order);
  assert.deepEqual(await runsOf(world, order, step), [
    'skip: not applicable: the plan is not preview',
  ]);
});

test('every runtime tells its dashboard which one it is', async () => {
  await using looking = await startLooking();
  const { world, overrides } = looking;
  await succeeds(world, await world.order('azure', { instanceId: 'instance-1' }));
  assert.deepEqual(overrides().of('busola-migrator'), [
    { key: 'deployment.env.kubeconfigID', value: 'instance-1', secret: false },
    { key: 'global.istio.gateway.name', value: 'kyma-gateway', secret: false },
  ]);
});
