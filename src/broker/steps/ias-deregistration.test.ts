import assert from 'node:assert/strict';
import { test } from 'node:test';
import { serviceProviderKinds, serviceProviderName } from '#clients';
import { minutes } from '#time';
import { provisioned, removed, signal, type World } from '../operations/testing.ts';
import { startBroker } from '../testing.ts';

const step = 'IAS_Deregistration';

async function registered(world: World): Promise<string> {
  const instanceId = await provisioned(world);
  for (const kind of Object.values(serviceProviderKinds)) {
    const name = serviceProviderName(kind, instanceId);
    await world.services.clients.ias?.createServiceProvider(name, signal);
  }
  world.advance(minutes(1)); // until IAS shows them
  return instanceId;
}

test('the service providers of the instance go, those of others stay', async () => {
  await using world = await startBroker();
  const instanceId = await registered(world);
  const others = serviceProviderName(serviceProviderKinds.grafana, 'another');
  await world.services.clients.ias?.createServiceProvider(others, signal);
  assert.deepEqual((await removed(world, instanceId)).ended.not_completed, []);
  const left = world.landscape.inventory()['ias']?.['serviceProviders'] ?? [];
  assert.equal(left.length, 1);
  assert.partialDeepStrictEqual(left, [{ name: others }]);
});

test('where there are none, nothing is deleted', async () => {
  await using world = await startBroker();
  assert.equal((await removed(world, await provisioned(world))).lineOf(step).outcome, 'done');
  assert.ok(!world.landscape.requests.some(({ path }) => path.includes('/sps/delete')));
});

test('IAS is tried for five minutes, and then left on record', async () => {
  await using world = await startBroker();
  const instanceId = await registered(world);
  world.landscape.faults.add({ system: 'ias', action: { kind: 'answer', status: 500 } });
  const { ended, lineOf } = await removed(world, instanceId);
  assert.deepEqual(ended.not_completed, [step]);
  assert.match(lineOf(step).because ?? '', /did not succeed within 5 min: ias/);
});
