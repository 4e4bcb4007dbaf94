import assert from 'node:assert/strict';
import { test } from 'node:test';
import { accountsOf, provisioned, removed, signal } from '../operations/testing.ts';
import { startBroker } from '../testing.ts';
import { releaseSubscription } from './release-subscription.ts';

const step = 'Release_Subscription';
const account = (name: string, isReleased: boolean) => [{ name, isReleased }];

test("the account is released with the customer's last runtime, not before", async () => {
  await using world = await startBroker();
  const first = await provisioned(world, 'azure');
  const second = await provisioned(world, 'azure', { context: { subaccount_id: 'SA-2' } });
  const { lineOf } = await removed(world, first);
  assert.equal(lineOf(step).because, 'other runtimes use the account of azure-pool-001');
  assert.deepEqual(accountsOf(world.landscape, 'ga-1'), account('azure-pool-001', false));
  assert.equal((await removed(world, second)).lineOf(step).outcome, 'done');
  assert.deepEqual(accountsOf(world.landscape, 'ga-1'), account('azure-pool-001', true));
});

test('an order that was given the account, and has no cluster yet, keeps it', async () => {
  await using world = await startBroker();
  const first = await provisioned(world, 'azure');
  const second = await world.order('azure', { context: { subaccount_id: 'SA-2' } });
  await world.engine.cancel(second.operationId, 'as if it were slow');
  await world.pass(second.operationId);
  await world.services.instances.remember(world.database.pool, second.instanceId, {
    targetSecret: 'azure-pool-001',
  });
  await removed(world, first);
  assert.deepEqual(accountsOf(world.landscape, 'ga-1'), account('azure-pool-001', false));
});

test('accounts of other kinds, regions and customers are not touched', async () => {
  await using world = await startBroker();
  const keep = [
    await provisioned(world, 'aws', { context: { subaccount_id: 'SA-2' } }),
    await provisioned(world, 'azure', { context: { subaccount_id: 'SA-3' }, region: 'cf-ch20' }),
    await provisioned(world, 'azure', {
      context: { subaccount_id: 'SA-4', globalaccount_id: 'ga-2' },
    }),
  ];
  await removed(world, await provisioned(world, 'azure'));
  assert.deepEqual(
    accountsOf(world.landscape, 'ga-1').filter(({ isReleased }) => isReleased).length,
    1,
  );
  assert.deepEqual(accountsOf(world.landscape, 'ga-2').length, 1);
  for (const instanceId of keep) {
    const { targetSecret } = (await world.instance(instanceId))?.details ?? {};
    const all = ['ga-1', 'ga-2'].flatMap((tenant) => accountsOf(world.landscape, tenant));
    assert.equal(all.find(({ name }) => name === targetSecret)?.isReleased, false);
  }
});

test('a second account is not forgotten while the first one waits to be cleaned', async () => {
  await using world = await startBroker();
  await removed(world, await provisioned(world));
  const again = await provisioned(world);
  const { ended, lineOf } = await removed(world, again);
  assert.deepEqual(ended.not_completed, [step]);
  assert.match(lineOf(step).because ?? '', /^azure-pool-002 cannot be released before another/);
  assert.ok((await world.instance(again))?.deletedAt);
});

test('trials share their accounts: nothing is released', async () => {
  await using world = await startBroker();
  const { lineOf } = await removed(world, await provisioned(world, 'trial'));
  assert.equal(lineOf(step).because, 'not applicable: the account is not shared');
});

test('an answer that got lost is no harm', async () => {
  await using world = await startBroker();
  const instanceId = await provisioned(world);
  world.landscape.faults.add({
    system: 'gardener',
    method: 'PUT',
    count: 1,
    action: { kind: 'lost answer' },
  });
  assert.deepEqual((await removed(world, instanceId)).ended.not_completed, []);
  assert.deepEqual(accountsOf(world.landscape, 'ga-1'), account('azure-pool-001', true));
});

test('of two replicas at work at the same time, the second finds the account released', async () => {
  await using world = await startBroker();
  const instanceId = await provisioned(world);
  const { accounts } = world.services.clients;
  const release: typeof accounts.release = async (...asked) => {
    await accounts.release(...asked); // the other one is faster
    return accounts.release(...asked);
  };
  const clients = { ...world.services.clients, accounts: { ...accounts, release } };
  const { run } = releaseSubscription({ ...world.services, clients });
  const facts = { runtimeIsGone: true };
  const running = { operation: { id: 'removal', subject: instanceId }, facts, signal };
  assert.equal((await run(running as Parameters<typeof run>[0])).kind, 'done'); // all that it looks at
  assert.deepEqual(accountsOf(world.landscape, 'ga-1'), account('azure-pool-001', true));
});

test('Gardener is tried for five minutes, and then left on record', async () => {
  await using world = await startBroker();
  const instanceId = await provisioned(world);
  world.landscape.faults.add({ system: 'gardener', action: { kind: 'reset' } });
  const { ended, lineOf } = await removed(world, instanceId);
  assert.deepEqual(ended.not_completed, [step]);
  assert.match(lineOf(step).because ?? '', /did not succeed within 5 min: gardener/);
});
