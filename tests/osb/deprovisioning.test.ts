import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { planIds, serviceId, startApi } from '../../src/broker/api/testing.ts';

const world = await startApi();
after(() => world[Symbol.asyncDispose]());

const both = `service_id=${serviceId}&plan_id=${planIds.azure}`;

test('a deprovisioning takes its time, and then the instance is gone [DEPR-13, DEPR-18]', async () => {
  const { id } = await world.instanceIn('ready');
  const answer = await world.delete(id);
  assert.deepEqual([answer.status, Object.keys(answer.body)], [202, ['operation']]);
  await world.pass(world.operationOf(answer));
  assert.equal((await world.poll(id)).body['state'], 'succeeded');
  assert.equal((await world.get(id)).status, 404);
  assert.equal((await world.delete(id)).status, 410);
  assert.equal((await world.delete('nothing')).status, 410);
});

test('nothing is removed at once: 200 is never given [DEPR-12]', async () => {
  const { id } = await world.instanceIn('ready');
  assert.equal((await world.delete(id)).status, 202);
  assert.notEqual((await world.delete(id)).status, 200);
});

test('the same again meanwhile gives the same operation [DEPR-14, DEPR-15]', async () => {
  const { id, operation } = await world.instanceIn('deprovisioning');
  for (const again of await Promise.all([world.delete(id), world.delete(id), world.delete(id)]))
    assert.deepEqual([again.status, world.operationOf(again)], [202, operation]);
});

test('many deletions at once, of one instance and of many, begin one removal each [DEPR-14]', async () => {
  const instances = await Promise.all(Array.from({ length: 30 }, () => world.instanceIn('ready')));
  for (const { id } of instances) world.steering.set(`deprovision ${id}`, 'hold');
  const answers = await Promise.all(
    instances.flatMap(({ id }) => [id, id]).map((id) => world.delete(id)),
  );
  assert.deepEqual([...new Set(answers.map(({ status }) => status))], [202]);
  assert.equal(new Set(answers.map(world.operationOf)).size, instances.length);
});

test('service and plan must be named [DEPR-06, DEPR-07, DEPR-16]', async () => {
  const { id } = await world.instanceIn('ready');
  for (const [query, missing] of [
    [`plan_id=${planIds.azure}`, 'service_id'],
    [`service_id=&plan_id=${planIds.azure}`, 'service_id'],
    [`service_id=${serviceId}`, 'plan_id'],
    [`service_id=${serviceId}&plan_id=`, 'plan_id'],
    [`${both}&plan_id=2`, 'plan_id'],
  ] as const) {
    const { status, body } = await world.delete(id, `${query}&accepts_incomplete=true`);
    assert.equal(status, 400, query);
    assert.match(String(body['description']), new RegExp(missing));
  }
  assert.equal((await world.delete(id, `${both}&accepts_incomplete=maybe`)).status, 400);
  assert.equal((await world.get(id)).status, 200);
});

test('wrong ids keep nothing alive', async () => {
  const { id } = await world.instanceIn('ready');
  assert.equal(
    (await world.delete(id, 'service_id=x&plan_id=y&accepts_incomplete=true')).status,
    202,
  );
});

test('without accepts_incomplete=true nothing is removed [DEPR-09, DEPR-10]', async () => {
  const { id } = await world.instanceIn('ready');
  for (const query of [both, `${both}&accepts_incomplete=false`]) {
    const { status, body } = await world.delete(id, query);
    assert.deepEqual([status, body['error']], [422, 'AsyncRequired']);
  }
  assert.equal((await world.delete('nothing', both)).status, 422);
  assert.equal((await world.get(id)).status, 200);
});

test('a deletion stops what goes on, and shows its own state from then on: it is never refused as busy [DEPR-03, DEPR-04, DEPR-19, DEPR-20]', async () => {
  const { id, operation: provision } = await world.instanceIn('provisioning');
  const removal = world.operationOf(await world.delete(id));
  assert.equal((await world.pass(provision)).state, 'canceled');
  await world.pass(removal);
  assert.equal((await world.poll(id)).body['state'], 'succeeded');
  assert.equal(await world.instance(id), undefined);

  const { id: updated } = await world.instanceIn('ready');
  const update = await world.beginUpdate(updated);
  const second = world.operationOf(await world.delete(updated));
  assert.equal((await world.pass(update)).state, 'canceled');
  assert.equal((await world.pass(second)).state, 'succeeded');
});

test('a deletion of what has failed begins anew, as often as it takes [ORPH-03, ORPH-06]', async () => {
  const { id: failed } = await world.instanceIn('failed');
  assert.equal(
    (await world.pass(world.operationOf(await world.delete(failed)))).state,
    'succeeded',
  );

  const { id, operation } = await world.instanceIn('deprovision failed');
  world.steering.delete(`deprovision ${id}`);
  const again = await world.delete(id);
  assert.equal(again.status, 202);
  assert.notEqual(world.operationOf(again), operation);
  assert.equal((await world.pass(world.operationOf(again))).state, 'succeeded');
  assert.equal((await world.delete(id)).status, 410);
});

test('a deletion may come with the headers of a body and without one', async () => {
  const { id } = await world.instanceIn('ready');
  const headers = { 'content-type': 'application/json' };
  assert.equal((await world.delete(id, undefined, { headers })).status, 202);
});

test('who removes an instance is on record with the operation', async () => {
  const { id } = await world.instanceIn('ready');
  const headers = { 'user-agent': 'accountcleanup-job' };
  const operation = world.operationOf(await world.delete(id, undefined, { headers }));
  assert.equal((await world.engine.get(operation))?.facts['userAgent'], 'accountcleanup-job');
});
