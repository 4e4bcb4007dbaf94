import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { startApi } from '../../src/broker/api/testing.ts';

const world = await startApi();
after(() => world[Symbol.asyncDispose]());

test('an operation can be polled as soon as it was accepted, with or without its id [POLL-02, POLL-03]', async () => {
  const { id, operation } = await world.instanceIn('provisioning');
  for (const query of [
    '',
    `operation=${operation}`,
    `operation=${operation}&service_id=x&plan_id=y`,
  ]) {
    const { status, body } = await world.poll(id, query);
    assert.deepEqual([status, body['state']], [200, 'in progress']);
  }
});

test('a poll says what the operation waits for, in words [POLL-13, ASY-14]', async () => {
  const { id, operation } = await world.instanceIn('provisioning');
  await world.pass(operation, ({ because }) => because !== null);
  const { body } = await world.poll(id);
  // It may have fallen due in the meantime: then it goes on, for the same reason.
  assert.match(String(body['description']), /Steered_By_Test.*: the test wants it so$/);
});

test('the platform is told in how many seconds to ask again, until the end [POLL-17, POLL-18]', async () => {
  const { id, operation } = await world.instanceIn('provisioning');
  assert.equal((await world.poll(id)).headers.get('retry-after'), '10');
  await world.release(operation, `provision ${id}`);
  assert.equal((await world.poll(id)).headers.get('retry-after'), null);
});

test('a poll of what was never there finds nothing [POLL-07]', async () => {
  assert.equal((await world.poll('nothing')).status, 404);
});

test('an operation of nobody, or of somebody else, is refused by name [POLL-05, POLL-06]', async () => {
  const { id } = await world.instanceIn('ready');
  const { operation: another } = await world.instanceIn('ready');
  for (const operation of ['', 'nonsense', crypto.randomUUID(), another]) {
    const { status, body } = await world.poll(id, `operation=${operation}`);
    assert.equal(status, 400, operation);
    assert.match(String(body['description']), /operation is/);
  }
  assert.equal((await world.poll(id, 'service_id=')).status, 400);
  assert.equal((await world.poll(id, 'plan_id=')).status, 400);
});

test('the kind of an operation stands for the last one of it', async () => {
  const { id } = await world.instanceIn('deprovision failed');
  assert.equal((await world.poll(id, 'operation=provision')).body['state'], 'succeeded');
  assert.equal((await world.poll(id, 'operation=deprovision')).body['state'], 'failed');
  assert.equal((await world.poll(id, 'operation=update')).status, 400);
});

test('the end of an operation can be asked for again, and stays what it was [POLL-04, POLL-19]', async () => {
  const { id, operation } = await world.instanceIn('ready');
  const first = await world.poll(id);
  assert.deepEqual(first.body, { state: 'succeeded', description: 'succeeded' });
  await world.pass(world.operationOf(await world.delete(id)));
  const later = await world.poll(id, `operation=${operation}`);
  assert.deepEqual(later.body, first.body);
  for (let times = 0; times < 2; times += 1)
    assert.deepEqual(await world.poll(id).then(({ status, body }) => [status, body['state']]), [
      200,
      'succeeded',
    ]);
});

test('only a failed update or deprovisioning says what that means for the instance [POLL-14, POLL-15, POLL-16]', async () => {
  const told = async (id: string) => {
    const { body } = await world.poll(id);
    const { state, instance_usable: usable, update_repeatable: repeatable } = body;
    return [state, usable, repeatable];
  };
  const { id: made } = await world.instanceIn('provisioning');
  assert.deepEqual(await told(made), ['in progress', undefined, undefined]);
  const { id: failed } = await world.instanceIn('failed');
  assert.deepEqual(await told(failed), ['failed', undefined, undefined]);
  const { id: ready } = await world.instanceIn('ready');
  assert.deepEqual(await told(ready), ['succeeded', undefined, undefined]);
  await world.pass(await world.beginUpdate(ready, 'fail'));
  assert.deepEqual(await told(ready), ['failed', true, true]);
  const { id: halfRemoved } = await world.instanceIn('deprovision failed');
  assert.deepEqual(await told(halfRemoved), ['failed', false, undefined]);
});

test('what was stopped for a deletion goes on until it has stopped, and then has failed', async () => {
  const { id, operation } = await world.instanceIn('provisioning');
  const removal = world.operationOf(await world.delete(id));
  await world.pass(operation);
  assert.equal((await world.poll(id, `operation=${operation}`)).body['state'], 'failed');
  await world.pass(removal);
  assert.equal((await world.poll(id)).body['state'], 'succeeded');
});
