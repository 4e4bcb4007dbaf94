import assert from 'node:assert/strict';
import { test } from 'node:test';
import { minutes, seconds } from '#time';
import { startBroker } from '../testing.ts';
import {
  eachStageTwice,
  failureOf,
  inventoryOf,
  smallestOrder,
  succeeds,
  timesAsked,
  untilAfter,
} from './testing.ts';

const kind = 'kymas.operator.kyma-project.io';
const { signal } = new AbortController();

for (const [plan, license, internal] of [
  ['azure', 'SAPDEV', 'true'],
  ['own_cluster', 'CUSTOMER', undefined],
] as const) {
  test(`${plan}: a runtime gets one Kyma, which says whose it is, also if the stage starts over`, async () => {
    await using world = await startBroker({ disturb: eachStageTwice });
    const order = await world.order(plan, {
      parameters: smallestOrder(plan),
      context: { license_type: license },
    });
    await succeeds(world, order);
    const instance = (await world.instance(order.instanceId)) ?? assert.fail();
    const [kyma, ...others] = inventoryOf(world.landscape, 'control-plane', kind);
    assert.deepEqual(others, []);
    const { name, labels = {} } = kyma ?? assert.fail();
    assert.equal(name, instance.runtimeId);
    assert.partialDeepStrictEqual(labels, {
      'kyma-project.io/instance-id': instance.id,
      'kyma-project.io/broker-plan-name': plan,
      'kyma-project.io/region': plan === 'own_cluster' ? '' : instance.region,
    });
    assert.equal(labels['operator.kyma-project.io/internal'], internal);
    assert.deepEqual(instance.details.kyma, {
      apiVersion: 'operator.kyma-project.io/v1beta2',
      namespace: 'kyma-system',
      name: instance.runtimeId,
    });
    assert.equal(timesAsked(world.landscape, 'control-plane', /^POST .*kymas/), 1);
  });
}

test('it has the modules that the customer has chosen', async () => {
  await using world = await startBroker();
  const parameters = { modules: { list: [{ name: 'serverless' }], channel: 'fast' } };
  const order = await world.order('preview', { parameters });
  await succeeds(world, order);
  world.landscape.time.advance(minutes(2)); // until the Lifecycle Manager has seen it
  const { details } = (await world.instance(order.instanceId)) ?? assert.fail();
  const kyma = await world.services.clients.lifecycleManager?.getKyma(
    details.kyma ?? assert.fail(),
    signal,
  );
  assert.deepEqual(
    kyma?.modules.map(({ name }) => name),
    ['serverless'],
  );
  assert.equal(kyma.activeChannel, 'fast');
});

test('a Kyma that is being deleted is not taken for a new one', async () => {
  await using world = await startBroker();
  const order = await world.order('azure');
  await untilAfter(world, order, 'configure_runtime');
  const { details } = (await world.instance(order.instanceId)) ?? assert.fail();
  const { apiVersion, namespace, name } = details.kyma ?? assert.fail();
  const { lifecycleManager = assert.fail() } = world.services.clients;
  const metadata = { namespace, name, labels: {}, annotations: {} };
  const spec = { channel: 'stable', modules: [] };
  await lifecycleManager.applyKyma({ apiVersion, kind: 'Kyma', metadata, spec }, signal);
  world.landscape.time.advance(seconds(2)); // until the Lifecycle Manager has seen it
  await fetch(`${world.landscape.url}/control-plane/kymas/${name}`, {
    method: 'PUT',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ isStuck: true }),
  });
  await lifecycleManager.deleteKyma({ namespace, name }, signal);
  const failure = await failureOf(world, order);
  assert.partialDeepStrictEqual(failure, { step: 'Apply_Kyma', reason: 'time_limit' });
  assert.match(failure.message, /is still being deleted/);
});
