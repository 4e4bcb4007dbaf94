import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hours, minutes } from '#time';
import { provisioned, removed, signal, type World } from '../operations/testing.ts';
import { startBroker } from '../testing.ts';

const [ask, check, deleteSecret] = [
  'Delete_Kyma_Resource',
  'Check_Kyma_Resource_Deleted',
  'Delete_Kubeconfig',
] as const;

const left = ({ landscape }: World) => {
  const inventory = landscape.inventory()['control-plane'];
  const kinds = ['kymas.operator.kyma-project.io', 'secrets'];
  return kinds.map((kind) => inventory?.[kind]?.length ?? 0);
};

/** With modules, so that its removal takes a while. */
async function withKyma(world: World): Promise<string> {
  const instanceId = await provisioned(world);
  world.advance(minutes(2));
  assert.deepEqual(left(world), [1, 1]);
  return instanceId;
}

const kymaOf = async (world: World, instanceId: string) =>
  (await world.instance(instanceId))?.details.kyma ?? assert.fail('no Kyma on record');

test('the Kyma resource is deleted and waited for, its kubeconfig goes later', async () => {
  await using world = await startBroker();
  const instanceId = await withKyma(world);
  const { ended, timeline } = await removed(world, instanceId);
  assert.deepEqual(ended.not_completed, []);
  assert.deepEqual(left(world), [0, 0]);
  const waits = timeline.find((line) => line.step === check && line.outcome === 'wait');
  assert.equal(waits?.because, 'the Kyma resource is being deleted');
});

test('one that does not go is waited for half an hour; then the removal goes on, and it stays on record', async () => {
  await using world = await startBroker();
  const instanceId = await withKyma(world);
  const kyma = await kymaOf(world, instanceId);
  const stage = (isStuck: boolean) =>
    fetch(`${world.landscape.url}/control-plane/kymas/${kyma.name}`, {
      method: 'PUT',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ isStuck }),
    });
  assert.equal((await stage(true)).status, 204);
  const began = world.landscape.time.now();
  const { ended, lineOf } = await removed(world, instanceId);
  assert.deepEqual(ended.not_completed, [check]);
  assert.match(lineOf(check).because ?? '', /did not succeed within 30 min: the Kyma resource is/);
  const lasted = world.landscape.time.now() - began;
  assert.ok(lasted > minutes(30) && lasted < hours(1), `${lasted} ms`);
  assert.deepEqual(left(world), [1, 0]);
  assert.deepEqual((await world.instance(instanceId))?.details.kyma, kyma);

  await stage(false);
  world.advance(minutes(2));
  assert.deepEqual((await removed(world, instanceId)).ended.not_completed, []);
  assert.deepEqual(left(world), [0, 0]);
});

test('a deletion that was never accepted is not waited for', async () => {
  await using world = await startBroker();
  const instanceId = await withKyma(world);
  world.landscape.faults.add({
    system: 'control-plane',
    method: 'DELETE',
    path: '/kymas/',
    action: { kind: 'answer', status: 403 },
  });
  const { ended, lineOf } = await removed(world, instanceId);
  assert.deepEqual(ended.not_completed, [ask, check]);
  assert.match(lineOf(check).because ?? '', /^nobody has deleted the Kyma resource/);
  assert.equal(lineOf(check).runs, 1);
});

test('what somebody else has deleted is as good as deleted', async () => {
  await using world = await startBroker();
  const instanceId = await withKyma(world);
  const kyma = await kymaOf(world, instanceId);
  const { lifecycleManager } = world.services.clients;
  await lifecycleManager?.deleteKyma(kyma, signal);
  await lifecycleManager?.deleteKubeconfig(kyma, signal);
  world.advance(minutes(2));
  const { ended, lineOf } = await removed(world, instanceId);
  assert.deepEqual(ended.not_completed, []);
  for (const step of [ask, check, deleteSecret])
    assert.deepEqual(lineOf(step), { outcome: 'done', because: null, runs: 1 });
});

test('where no Kyma resource was made, none is looked for', async () => {
  await using world = await startBroker();
  const { instanceId, operationId } = await world.order('azure');
  await world.pass(operationId, ({ step }) => step === 'Check_Runtime');
  const { lineOf } = await removed(world, instanceId);
  for (const step of [ask, check, deleteSecret]) assert.equal(lineOf(step).outcome, 'skip');
});
