import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { planIds, serviceId, startApi } from '../../src/broker/api/testing.ts';

const world = await startApi();
after(() => world[Symbol.asyncDispose]());

const { id } = await world.instanceIn('ready');
const request = { service_id: serviceId, plan_id: planIds.azure };

test('a binding is refused, as the catalog says [BIND-34, BIND-35]', async () => {
  const { status, body } = await world.binding('PUT', id, '?accepts_incomplete=true', request);
  assert.deepEqual([status, body['error']], [400, undefined]);
  assert.match(String(body['description']), /instances of plan azure cannot be bound/);
  const unknown = await world.binding('PUT', 'nothing', '', request);
  assert.equal(unknown.status, 404);
});

test('service and plan of a binding must be named [BIND-18, BIND-19]', async () => {
  for (const field of ['service_id', 'plan_id']) {
    for (const value of [undefined, null, '']) {
      const answer = await world.binding('PUT', id, '', { ...request, [field]: value });
      assert.equal(answer.status, 400);
      assert.match(String(answer.body['description']), new RegExp(`${field} missing`));
    }
  }
  const unknown = await world.binding('PUT', id, '', { ...request, plan_id: 'another' });
  assert.equal(unknown.status, 400);
});

test('there is no binding to fetch or to poll [BGET-05, BPOLL-05, BPOLL-07]', async () => {
  assert.equal((await world.binding('GET', id)).status, 404);
  const polling = `/v2/service_instances/${id}/service_bindings/b-1/last_operation`;
  assert.equal((await world.call('GET', polling)).status, 404);
  assert.equal((await world.call('GET', `${polling}?operation=`)).status, 400);
});

test('there is no binding to delete; service and plan must be named all the same [UNB-06, UNB-07, UNB-16, UNB-18]', async () => {
  const query = `?service_id=${serviceId}&plan_id=${planIds.azure}`;
  assert.equal((await world.binding('DELETE', id, query)).status, 410);
  assert.equal((await world.binding('DELETE', 'nothing', query)).status, 410);
  assert.equal((await world.binding('DELETE', id, `?plan_id=${planIds.azure}`)).status, 400);
  assert.equal((await world.binding('DELETE', id, `?service_id=${serviceId}`)).status, 400);
});
