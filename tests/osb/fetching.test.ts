import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { orderOf, planIds, serviceId, startApi } from '../../src/broker/api/testing.ts';

const world = await startApi();
after(() => world[Symbol.asyncDispose]());

test('an instance can be fetched as soon as its provision has succeeded [GET-02, GET-10, HDR-13]', async () => {
  const { id } = await world.instanceIn('provisioning');
  const first = await world.put(id);
  await world.release(world.operationOf(first), `provision ${id}`);
  assert.equal((await world.poll(id)).body['state'], 'succeeded');
  const { status, body } = await world.get(id);
  assert.equal(status, 200);
  const { parameters, ...rest } = body;
  assert.deepEqual(rest, {
    service_id: serviceId,
    plan_id: planIds.azure,
    dashboard_url: first.body['dashboard_url'],
    metadata: { labels: { Name: 'demo' } },
  });
  assert.deepEqual(parameters, {
    plan_id: planIds.azure,
    service_id: serviceId,
    ers_context: { ...orderOf().context, organization_guid: 'org-1', space_guid: 'space-1' },
    parameters: { name: 'demo' },
    platform_region: 'cf-eu10',
    platform_provider: 'unknown',
  });
});

test('what is not there, not yet, or never came about cannot be fetched [GET-06, GET-07]', async () => {
  assert.equal((await world.get('nothing')).status, 404);
  for (const state of ['provisioning', 'failed'] as const) {
    const { id } = await world.instanceIn(state);
    const { status, body } = await world.get(id);
    assert.equal(status, 404, state);
    assert.ok(body['description']);
  }
});

test('what is being changed or removed cannot be fetched now [GET-08, GET-09]', async () => {
  const { id: updating } = await world.instanceIn('ready');
  await world.beginUpdate(updating);
  const { id: removing } = await world.instanceIn('deprovisioning');
  for (const id of [updating, removing]) {
    const { status, body } = await world.get(id);
    assert.deepEqual([status, body['error']], [422, 'ConcurrencyError']);
  }
});

test('hints are not needed, and empty ones are malformed', async () => {
  const { id } = await world.instanceIn('ready');
  assert.equal((await world.get(id, `?service_id=${serviceId}&plan_id=any`)).status, 200);
  for (const query of ['?service_id=', '?plan_id=', '?plan_id=1&plan_id=2'])
    assert.equal((await world.get(id, query)).status, 400, query);
});

test('an instance whose deprovisioning has failed is still there; one that left something behind is not', async () => {
  const { id: failed } = await world.instanceIn('deprovision failed');
  assert.equal((await world.get(failed)).status, 200);
  const { id } = await world.instanceIn('ready');
  world.steering.set(`deprovision ${id}`, 'leave');
  await world.pass(world.operationOf(await world.delete(id)));
  assert.ok((await world.instance(id))?.deletedAt);
  assert.equal((await world.get(id)).status, 404);
  assert.equal((await world.patch(id, {})).status, 404);
  assert.equal((await world.put(id)).status, 409);
  world.steering.delete(`deprovision ${id}`);
  const again = await world.delete(id);
  assert.equal(again.status, 202);
  await world.pass(world.operationOf(again));
  assert.equal((await world.delete(id)).status, 410);
});
