import assert from 'node:assert/strict';
import { test } from 'node:test';
import { minutes } from '#time';
import { defaultLimits } from '../services.ts';
import { startBroker } from '../testing.ts';
import { failureOf, runsOf, succeeds, untilAfter, type BrokerWorld } from './testing.ts';

const step = 'Check_Cluster_Configuration';

/** An order that has come as far as the Reconciler, which then reports this. */
async function orderWith(world: BrokerWorld, status: string) {
  const order = await world.order('azure');
  await untilAfter(world, order, 'configure_runtime');
  const { runtimeId } = (await world.instance(order.instanceId)) ?? assert.fail();
  const answer = await fetch(`${world.landscape.url}/reconciler/v1/clusters/${runtimeId}/status`, {
    method: 'PUT',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ status }),
  });
  assert.equal(answer.status, 200);
  return order;
}

test('an error of the Reconciler fails the operation, and names the component', async () => {
  await using world = await startBroker();
  const failure = await failureOf(world, await orderWith(world, 'error'));
  assert.partialDeepStrictEqual(failure, {
    step,
    class: 'system',
    system: 'reconciler',
    reason: 'cluster-essentials',
  });
  assert.match(failure.message, /component cluster-essentials failed: timeout/);
});

test('what the Reconciler will try again is waited for, ten minutes at a time', async () => {
  await using world = await startBroker();
  const order = await orderWith(world, 'reconcile_error_retryable');
  await succeeds(world, order);
  const waits = world.events.filter((event) => event.kind === 'waiting' && event.step === step);
  assert.ok(waits.some((event) => event.kind === 'waiting' && event.for === minutes(10)));
});

test('a status that nobody expects is waited out', async () => {
  await using world = await startBroker();
  const action = { kind: 'state', field: 'status', state: 'dreaming' } as const;
  world.landscape.faults.add({ system: 'reconciler', method: 'GET', count: 2, action });
  const order = await world.order('azure');
  await succeeds(world, order);
  const runs = await runsOf(world, order, step);
  assert.ok(runs.includes('wait: the Reconciler reports dreaming'), runs.join());
});

test('a Kyma that is not installed within the limit fails the operation', async () => {
  const limits = { ...defaultLimits, reconciling: minutes(20) };
  await using world = await startBroker({ settings: { limits } });
  const failure = await failureOf(world, await orderWith(world, 'reconcile_disabled'));
  assert.partialDeepStrictEqual(failure, { step, reason: 'time_limit', system: 'reconciler' });
  assert.match(failure.message, /within 20 min: the Reconciler reports reconcile_disabled/);
});
