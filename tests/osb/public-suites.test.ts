// What the public checkers for 2.13 and 2.14 ask of a broker, asked of ours: at /v2, without authentication and without a
// context. They wait for 412 where the specification says 400 since 2.16: there is a switch for it.
import assert from 'node:assert/strict';
import { after, suite, test } from 'node:test';
import { places, planIds, serviceId, startApi } from '../../src/broker/api/testing.ts';

const world = await startApi({ api: { missingVersionStatus: 412 } });
after(() => world[Symbol.asyncDispose]());

const ids = { service_id: serviceId, plan_id: planIds.azure };
const both = `service_id=${serviceId}&plan_id=${planIds.azure}`;
const order = { ...ids, ...places, parameters: { name: 'suite' } };

for (const version of ['2.13', '2.14']) {
  suite(`version ${version}`, () => {
    const id = `suite-${version}`;
    const at = `/v2/service_instances/${id}`;
    const ask = (method: string, path: string, body?: object) =>
      world.call(method, path, { body, headers: { 'x-broker-api-version': version } });

    test('every route wants a version', async () => {
      for (const [method, path] of [
        ['GET', '/v2/catalog'],
        ['PUT', `${at}?accepts_incomplete=true`],
        ['PATCH', `${at}?accepts_incomplete=true`],
        ['GET', `${at}/last_operation`],
        ['DELETE', `${at}?accepts_incomplete=true&${both}`],
        ['PUT', `${at}/service_bindings/b`],
        ['DELETE', `${at}/service_bindings/b?${both}`],
      ] as const) {
        const headers = { 'x-broker-api-version': null };
        const { status } = await world.call(method, path, { headers });
        assert.equal(status, 412, `${method} ${path}`);
      }
    });

    test('the catalog has services with plans', async () => {
      const { status, body } = await ask('GET', '/v2/catalog');
      assert.equal(status, 200);
      const [service] = body['services'] as { plans: { id: string }[] }[];
      assert.ok(service?.plans.some(({ id: plan }) => plan === planIds.azure));
    });

    test('a provision, an update and a deletion want accepts_incomplete', async () => {
      assert.equal((await ask('PUT', at, order)).status, 422);
      assert.equal(
        (await ask('PATCH', at, { ...ids, parameters: { autoScalerMax: 30 } })).status,
        422,
      );
      assert.equal((await ask('DELETE', `${at}?${both}`)).status, 422);
    });

    test('a provision without what it needs, or of what is not offered, is refused', async () => {
      for (const changes of [
        { service_id: undefined },
        { plan_id: undefined },
        { organization_guid: undefined },
        { space_guid: undefined },
        { service_id: 'xxxx-xxxx' },
        { plan_id: 'xxxx-xxxx' },
        { parameters: { unknown: true } },
      ]) {
        const answer = await ask('PUT', `${at}?accepts_incomplete=true`, { ...order, ...changes });
        assert.equal(answer.status, 400, JSON.stringify(changes));
      }
    });

    test('a provision is accepted, polled until it has succeeded, and then known', async () => {
      const accepted = await ask('PUT', `${at}?accepts_incomplete=true`, order);
      assert.equal(accepted.status, 202);
      await world.pass(world.operationOf(accepted));
      for (const operation of ['provision', world.operationOf(accepted)]) {
        const query = `?operation=${operation}&${both}`;
        const polled = await ask('GET', `${at}/last_operation${query}`);
        assert.deepEqual([polled.status, polled.body['state']], [200, 'succeeded']);
      }
      assert.equal((await ask('PUT', `${at}?accepts_incomplete=true`, order)).status, 200);
    });

    test('another one of the same id is a conflict', async () => {
      const other = { ...order, plan_id: planIds.aws };
      assert.equal((await ask('PUT', `${at}?accepts_incomplete=true`, other)).status, 409);
    });

    test('an update wants a service that is offered', async () => {
      const path = `${at}?accepts_incomplete=true`;
      assert.equal((await ask('PATCH', path, { plan_id: planIds.azure })).status, 400);
      assert.equal((await ask('PATCH', path, { service_id: 'xxxx-xxxx' })).status, 400);
      assert.equal((await ask('PATCH', path, { ...ids })).status, 200);
    });

    test('a deletion without what it needs is refused', async () => {
      const path = `${at}?accepts_incomplete=true`;
      assert.equal((await ask('DELETE', `${path}&plan_id=${planIds.azure}`)).status, 400);
      assert.equal((await ask('DELETE', `${path}&service_id=${serviceId}`)).status, 400);
    });

    test('a deletion is accepted, polled until it has succeeded, and a second one finds nothing', async () => {
      const path = `${at}?accepts_incomplete=true&${both}`;
      const accepted = await ask('DELETE', path);
      assert.equal(accepted.status, 202);
      await world.pass(world.operationOf(accepted));
      const polled = await ask('GET', `${at}/last_operation?operation=deprovision`);
      assert.deepEqual([polled.status, polled.body['state']], [200, 'succeeded']);
      assert.equal((await ask('DELETE', path)).status, 410);
    });
  });
}
