import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hours } from '#time';
import { accountsOf, ownCluster, provisioned, removed, type World } from '../operations/testing.ts';
import { startBroker } from '../testing.ts';

const [ask, check, release] = [
  'Remove_Runtime',
  'Check_Runtime_Removal',
  'Release_Subscription',
] as const;

const inventory = ({ landscape }: World) => landscape.inventory()['provisioner'] ?? {};
const runtimes = (world: World) => inventory(world)['runtimes'] ?? [];
const operations = (world: World, type: string) =>
  (inventory(world)['operations'] as { operation: string }[]) // as the inventory lists them
    .filter(({ operation }) => operation === type);

const refusal = (reason: string, code: number) =>
  ({
    kind: 'answer',
    status: 200,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      data: null,
      errors: [{ message: 'no', extensions: { error_code: code, error_reason: reason } }],
    }),
  }) as const;

test('the provisioner is asked once, and waited for', async () => {
  await using world = await startBroker();
  const instanceId = await provisioned(world);
  const { ended, timeline } = await removed(world, instanceId);
  assert.deepEqual(ended.not_completed, []);
  assert.deepEqual(runtimes(world), []);
  const waits = timeline.filter((line) => line.step === check && line.outcome === 'wait');
  assert.equal(waits[0]?.because, 'Deprovisioning started');
  assert.equal(waits[0]?.system, 'provisioner');
});

test('an answer that got lost begins no second removal', async () => {
  await using world = await startBroker();
  const instanceId = await provisioned(world);
  world.landscape.faults.add({
    system: 'provisioner',
    field: 'deprovisionRuntime',
    count: 1,
    action: { kind: 'lost answer' },
  });
  assert.deepEqual((await removed(world, instanceId)).ended.not_completed, []);
  assert.equal(operations(world, 'DeprovisionNoInstall').length, 1);
});

test('a runtime of which nobody heard, because the answer got lost, is found and removed', async () => {
  await using world = await startBroker();
  world.landscape.faults.add({
    system: 'provisioner',
    field: 'provisionRuntime',
    action: { kind: 'lost answer' },
  });
  const { instanceId, operationId } = await world.order('azure');
  await world.pass(operationId, ({ because }) => /provision runtime/.test(because ?? ''));
  assert.equal(runtimes(world).length, 1);
  assert.equal((await world.instance(instanceId))?.runtimeId, undefined);

  world.landscape.faults.remove();
  const { ended } = await removed(world, instanceId);
  assert.deepEqual(ended.not_completed, []);
  assert.deepEqual(runtimes(world), []);
  assert.equal(operations(world, 'Provision').length, 1);
  assert.equal(await world.instance(instanceId), undefined);
});

test('a request that never arrived is sent once more, so that nobody has to wonder', async () => {
  await using world = await startBroker();
  world.landscape.faults.add({
    system: 'provisioner',
    field: 'provisionRuntime',
    action: { kind: 'reset' },
  });
  const { instanceId, operationId } = await world.order('azure');
  await world.pass(operationId, ({ because }) => /provision runtime/.test(because ?? ''));
  assert.deepEqual(runtimes(world), []);

  world.landscape.faults.remove();
  assert.deepEqual((await removed(world, instanceId)).ended.not_completed, []);
  assert.deepEqual(runtimes(world), []);
});

test('a request that was refused has left no runtime', async () => {
  await using world = await startBroker();
  world.landscape.faults.add({
    system: 'provisioner',
    field: 'provisionRuntime',
    action: refusal('err_provisioner_internal', 400),
  });
  const { instanceId, operationId } = await world.order('azure');
  assert.equal((await world.pass(operationId)).state, 'failed');
  const { ended, lineOf } = await removed(world, instanceId);
  assert.deepEqual(ended.not_completed, []);
  assert.equal(lineOf(ask).outcome, 'done');
  assert.deepEqual(operations(world, 'Provision'), []);
});

test('a provisioner that does not let us in has not said that there is no runtime', async () => {
  await using world = await startBroker();
  const lost = { kind: 'lost answer' } as const;
  const field = 'provisionRuntime';
  world.landscape.faults.add({ system: 'provisioner', field, action: lost });
  const { instanceId, operationId } = await world.order('azure');
  await world.pass(operationId, ({ because }) => /provision runtime/.test(because ?? ''));
  world.landscape.faults.remove();
  world.landscape.faults.add({
    system: 'provisioner',
    field,
    action: { kind: 'answer', status: 401 },
  });
  const { ended } = await removed(world, instanceId);
  assert.deepEqual(ended.not_completed, [ask, check, release]);
  assert.ok((await world.instance(instanceId))?.deletedAt);
});

test('whatever the provisioner does with the runtime has to end first', async () => {
  await using world = await startBroker();
  const { instanceId, operationId } = await world.order('azure');
  await world.pass(operationId, ({ step }) => step === 'Check_Runtime');
  const { ended, timeline } = await removed(world, instanceId);
  assert.deepEqual(ended.not_completed, []);
  assert.deepEqual(runtimes(world), []);
  const [wait] = timeline.filter((line) => line.step === ask);
  assert.match(wait?.because ?? '', /^Provision is still under way: /);
});

test('a runtime that the provisioner does not know is as good as removed', async () => {
  await using world = await startBroker();
  const instanceId = await provisioned(world);
  world.landscape.faults.add({
    system: 'provisioner',
    action: refusal('err_db_not_found', 2),
  });
  const { ended, lineOf } = await removed(world, instanceId);
  assert.deepEqual(ended.not_completed, []);
  assert.deepEqual(lineOf(check), { outcome: 'done', because: null, runs: 1 });
});

test('an order that never reached the provisioner has no runtime', async () => {
  await using world = await startBroker();
  const { instanceId, operationId } = await world.order('azure');
  await world.engine.cancel(operationId, 'for this test');
  await world.pass(operationId);
  const { ended } = await removed(world, instanceId);
  assert.deepEqual(ended.not_completed, []);
  assert.deepEqual(operations(world, 'Provision'), []);
});

test('a cluster of the customer stays', async () => {
  await using world = await startBroker();
  const instanceId = await provisioned(world, 'own_cluster', {
    parameters: await ownCluster(world),
  });
  const { ended, lineOf } = await removed(world, instanceId);
  assert.deepEqual(ended.not_completed, []);
  for (const step of [ask, check, release])
    assert.equal(lineOf(step).because, 'not applicable: the cluster is ours');
});

test('a removal that fails leaves the account with its owner, and everything on record', async () => {
  await using world = await startBroker();
  const instanceId = await provisioned(world);
  const { id } = await world.remove(instanceId);
  await world.pass(id, ({ step }) => step === check);
  const [removal] = operations(world, 'DeprovisionNoInstall') as unknown as { id: string }[];
  const lastError = { errMessage: 'no quota', reason: 'ERR_QUOTA', component: 'gardener' };
  await fetch(`${world.landscape.url}/provisioner/operations/${removal?.id}`, {
    method: 'PUT',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ state: 'Failed', lastError }),
  });
  const ended = await world.pass(id);
  assert.equal(ended.state, 'succeeded');
  assert.deepEqual(ended.not_completed, [check, release]);
  const lines = await world.engine.timeline(id);
  assert.match(lines.findLast(({ step }) => step === check)?.because ?? '', /: no quota$/);
  assert.equal(
    lines.findLast(({ step }) => step === release)?.because,
    'the account is not released: nobody has seen that the cluster in it is gone',
  );
  assert.deepEqual(accountsOf(world.landscape, 'ga-1'), [
    { name: 'azure-pool-001', isReleased: false },
  ]);
  const { runtimeId, details, deletedAt } = (await world.instance(instanceId)) ?? assert.fail();
  assert.ok(runtimeId && details.targetSecret && deletedAt);
});

for (const [what, field, expected] of [
  ['that cannot be begun', 'deprovisionRuntime', [ask, check, release]],
  ['of which nothing is heard', 'runtimeOperationStatus', [check, release]],
] as const) {
  test(`a removal ${what} is given up after five hours, and the rest goes on`, async () => {
    await using world = await startBroker();
    const instanceId = await provisioned(world);
    world.landscape.faults.add({ system: 'provisioner', field, action: { kind: 'reset' } });
    const began = world.landscape.time.now();
    const { ended, lineOf } = await removed(world, instanceId);
    assert.equal(ended.state, 'succeeded');
    assert.deepEqual(ended.not_completed, expected);
    assert.match(lineOf(expected[0]).because ?? '', /did not succeed within 5 h/);
    const lasted = world.landscape.time.now() - began;
    assert.ok(lasted >= hours(5) && lasted < hours(6), `${lasted} ms`);
    assert.equal(lineOf('Delete_Kubeconfig').outcome, 'done');
  });
}

test('a state that is not known is waited for', async () => {
  await using world = await startBroker();
  const instanceId = await provisioned(world);
  world.landscape.faults.add({
    system: 'provisioner',
    field: 'runtimeOperationStatus',
    count: 2,
    action: { kind: 'state', state: 'Paused' },
  });
  const { ended, timeline } = await removed(world, instanceId);
  assert.deepEqual(ended.not_completed, []);
  const [wait] = timeline.filter((line) => line.step === check);
  assert.equal(wait?.because, 'the removal is in the unknown state Paused');
});
