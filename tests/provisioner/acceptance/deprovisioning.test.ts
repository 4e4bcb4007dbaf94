import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hours } from '#time';
import { order, startProvisioner } from '../../../src/provisioner/testing.ts';
import {
  answering,
  deleteShoot,
  provisioned,
  refuses,
  registeredIn,
  shootIn,
  shootName,
  shootsIn,
  stage,
  statusOf,
  succeeds,
  untilAfter,
  upgrading,
  type World,
} from './world.ts';

const isDeleted = async ({ database }: World) => {
  const { rows } = await database.pool.query('select deleted_at is not null as gone from runtimes');
  return rows;
};

test('33: the Shoot is confirmed, marked and deleted, and the operation ends when it is gone', async () => {
  await using world = await startProvisioner();
  const { runtimeID } = await provisioned(world);
  const id = await world.deprovision(runtimeID);
  await untilAfter(world, id, 'DeprovisionCluster');
  const { annotations, deletionTimestamp } = (await shootIn(world)).metadata;
  assert.ok(deletionTimestamp);
  assert.partialDeepStrictEqual(annotations, {
    'confirmation.gardener.cloud/deletion': 'true',
    'kcp.provisioner.kyma-project.io/operation-id': id,
    'compass.provisioner.kyma-project.io/operation-id': id,
  });
  const { operation, state } = await statusOf(world, id);
  assert.deepEqual([operation, state], ['DeprovisionNoInstall', 'InProgress']);
  assert.deepEqual(await isDeleted(world), [{ gone: false }]);
  await succeeds(world, id);
  assert.deepEqual(shootsIn(world), []);
  assert.deepEqual(registeredIn(world), []);
  assert.deepEqual(await isDeleted(world), [{ gone: true }]);
});

test('34: a Shoot that is gone already needs no deletion', async () => {
  await using world = await startProvisioner();
  const { runtimeID } = await provisioned(world);
  await deleteShoot(world);
  await stage(world, { state: 'Succeeded', type: 'Delete' });
  assert.deepEqual(shootsIn(world), []);
  await succeeds(world, await world.deprovision(runtimeID));
  assert.deepEqual(await isDeleted(world), [{ gone: true }]);
});

test('34: a cluster of another owner under the same name is left alone', async () => {
  await using world = await startProvisioner();
  const { runtimeID } = await provisioned(world);
  await succeeds(world, await world.deprovision(runtimeID));
  const other = await provisioned(world);
  assert.notEqual(other.runtimeID, runtimeID);
  await succeeds(world, await world.deprovision(runtimeID));
  assert.partialDeepStrictEqual(shootsIn(world), [{ name: shootName }]);
  assert.equal((await shootIn(world)).metadata.deletionTimestamp, undefined);
});

test('35: a Shoot that has been in deletion for hours is waited for from now on', async () => {
  await using world = await startProvisioner();
  const { runtimeID } = await provisioned(world);
  await deleteShoot(world);
  await stage(world, { state: 'Processing', type: 'Delete' });
  world.advance(hours(5));
  const id = await world.deprovision(runtimeID);
  await world.pass(id, ({ step }) => step === 'Await_Shoot_Gone');
  assert.equal((await statusOf(world, id)).state, 'InProgress');
  await stage(world, { state: 'Succeeded', type: 'Delete' });
  await succeeds(world, id);
});

test('36: a deletion that Gardener cannot take at the moment is asked for again', async () => {
  await using world = await startProvisioner();
  const { runtimeID } = await provisioned(world);
  const place = { system: 'gardener', method: 'DELETE', path: `/shoots/${shootName}`, count: 3 };
  world.landscape.faults.add(answering(place, 500));
  const id = await world.deprovision(runtimeID);
  await succeeds(world, id);
  const asked = world.landscape.requests.filter(({ method }) => method === 'DELETE');
  assert.deepEqual(
    asked.map(({ status }) => status),
    [500, 500, 500, 200],
  );
});

test('37: a second deprovisioning finds nothing to do', async () => {
  await using world = await startProvisioner();
  const { runtimeID } = await provisioned(world);
  const first = await world.deprovision(runtimeID);
  await succeeds(world, first);
  const second = await world.deprovision(runtimeID);
  assert.notEqual(second, first);
  await succeeds(world, second);
  const upgrade = upgrading(runtimeID, { gardenerConfig: { autoScalerMax: 8 } });
  await refuses(world, upgrade, /has been deprovisioned/);
});

test('37: a deprovisioning that is repeated with its key is the same one', async () => {
  await using world = await startProvisioner();
  const { runtimeID } = await provisioned(world, order('azure'));
  const headers = { 'idempotency-key': 'removal-1' };
  const query = `mutation { result: deprovisionRuntime(id: "${runtimeID}") }`;
  const id = await world.result(query, headers);
  assert.equal(await world.result(query, headers), id);
  await succeeds(world, id);
  assert.equal(await world.result(query, headers), id);
});
