import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { orderOf, planIds, Refusal, serviceId, startApi } from '../../src/broker/api/testing.ts';

const world = await startApi();
after(() => world[Symbol.asyncDispose]());

const id = 'some-instance';
const both = `service_id=${serviceId}&plan_id=${planIds.azure}`;
/** One request for each endpoint. */
const endpoints = [
  ['GET', '/v2/catalog'],
  ['PUT', `/v2/service_instances/${id}?accepts_incomplete=true`],
  ['GET', `/v2/service_instances/${id}`],
  ['PATCH', `/v2/service_instances/${id}`],
  ['DELETE', `/v2/service_instances/${id}?accepts_incomplete=true&${both}`],
  ['GET', `/v2/service_instances/${id}/last_operation`],
  ['PUT', `/v2/service_instances/${id}/service_bindings/b`],
  ['GET', `/v2/service_instances/${id}/service_bindings/b`],
  ['DELETE', `/v2/service_instances/${id}/service_bindings/b?${both}`],
  ['GET', `/v2/service_instances/${id}/service_bindings/b/last_operation`],
] as const;
const prefixes = ['', '/oauth', '/oauth/cf-eu10'];

test('a request without a version is refused, and told which one to send [HDR-01]', async () => {
  for (const [method, path] of endpoints) {
    for (const prefix of prefixes) {
      const answer = await world.call(method, path, {
        prefix,
        headers: { 'x-broker-api-version': null },
      });
      assert.equal(answer.status, 400, `${method} ${path}`);
      assert.match(String(answer.body['description']), /X-Broker-API-Version.*2\.17/);
    }
  }
});

test('a version of another kind is refused, every 2.x is served [HDR-02, HDR-03]', async () => {
  for (const version of ['1.17', '3.0', '2', '2.x', 'two', '2.1.0', '22.1']) {
    const headers = { 'x-broker-api-version': version };
    const { status, body } = await world.catalog({ headers });
    assert.equal(status, 412, version);
    assert.match(String(body['description']), /2\.17/);
  }
  for (const version of ['2.9', '2.13', '2.14', '2.17', '2.99']) {
    const { status } = await world.catalog({ headers: { 'x-broker-api-version': version } });
    assert.equal(status, 200, version);
  }
});

test('the identity of a request comes back with its answer, whatever that is [HDR-07]', async () => {
  const identity = { 'x-broker-api-request-identity': 'any text: 42' };
  const answers = [
    await world.catalog({ headers: identity }),
    await world.catalog({ headers: { ...identity, 'x-broker-api-version': null } }),
    await world.put(id, '{', { headers: identity }),
    await world.call('GET', '/nowhere', { headers: identity }),
    await world.call('GET', '/v2/service_instances/%zz', { headers: identity }),
    await world.put(id, 'x'.repeat(2 ** 21), { headers: identity }),
  ];
  assert.deepEqual(
    answers.map(({ status }) => status),
    [200, 400, 400, 404, 400, 413],
  );
  for (const { headers } of answers)
    assert.equal(headers.get('x-broker-api-request-identity'), 'any text: 42');
  assert.equal((await world.catalog()).headers.get('x-broker-api-request-identity'), null);
});

test('whoever cannot be read as originator stops nothing [HDR-05, HDR-06]', async () => {
  const unstorable = Buffer.from(String.raw`{"user_id":"a\u0000b"}`).toString('base64');
  for (const origin of [
    'nonsense',
    'cloudfoundry !!!',
    'cloudfoundry bm90IGpzb24=',
    'x e30=',
    `cloudfoundry ${unstorable}`,
  ]) {
    const headers = { 'x-broker-api-originating-identity': origin };
    const { context: _, ...plain } = orderOf();
    const { status } = await world.put(`by-${origin}`, plain, { headers });
    assert.equal(status, 202, origin);
  }
});

test('unknown fields change nothing, wherever they are [HDR-10, HDR-11, HDR-14]', async () => {
  const strange = { 'x-strange': { deep: [1, 2] }, strange: null };
  const order = orderOf();
  const more = {
    ...order,
    ...strange,
    context: { ...order.context, ...strange },
    maintenance_info: undefined,
  };
  const known = await world.put('known', order);
  const unknown = await world.put('unknown', more);
  assert.deepEqual([known.status, unknown.status], [202, 202]);
  assert.deepEqual(Object.keys(unknown.body), Object.keys(known.body));
  const repeated = await world.put('known', more);
  assert.ok(repeated.status === 202 || repeated.status === 200);
  const patched = await world.patch('nobody', { ...strange, previous_values: strange });
  assert.equal(patched.status, 404);
  const polled = await world.poll('known', 'strange=1');
  assert.equal(polled.status, 200);
});

test('every answer is JSON, errors too [HDR-15]', async () => {
  for (const [method, path] of endpoints) {
    const answer = await world.call(method, path, { ...(method !== 'GET' && { body: '{}' }) });
    assert.match(answer.headers.get('content-type') ?? '', /^application\/json/);
    assert.equal(typeof JSON.parse(answer.text), 'object');
  }
});

test('a body of another content type, or one that is no JSON object, is refused as malformed [HDR-17, PROV-21, UPD-23, BIND-31]', async () => {
  const paths = [
    ['PUT', `/v2/service_instances/${id}?accepts_incomplete=true`],
    ['PATCH', `/v2/service_instances/${id}`],
    ['PUT', `/v2/service_instances/${id}/service_bindings/b`],
  ] as const;
  for (const [method, path] of paths) {
    const asForm = await world.call(method, path, {
      body: 'service_id=1',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    });
    assert.equal(asForm.status, 400);
    for (const body of ['', '{', 'null', '[]', '"text"', '7', '{"service_id": {}}']) {
      const answer = await world.call(method, path, { body });
      assert.equal(answer.status, 400, `${method} ${body}`);
      assert.ok(answer.body['description']);
    }
  }
});

test('a body without a content type is read all the same [HDR-16]', async () => {
  const response = await fetch(`${world.url}/v2/service_instances/plain?accepts_incomplete=true`, {
    method: 'PUT',
    headers: { 'x-broker-api-version': '2.17' },
    body: new Blob([JSON.stringify(orderOf())]),
  });
  assert.equal(response.status, 202);
});

test('ids are any text, percent-encoded: what comes out is what went in [HDR-19]', async () => {
  for (const odd of ['a/b', 'ä ö', '100%', 'a?b=c&d', '日本', 'x'.repeat(255)]) {
    const { status } = await world.put(odd);
    assert.equal(status, 202, odd);
    assert.equal((await world.instance(odd))?.id, odd);
    assert.equal((await world.poll(odd)).status, 200, odd);
  }
  for (const bad of ['a\0b', 'x'.repeat(256)]) assert.equal((await world.put(bad)).status, 400);
});

test('what the broker invents needs no encoding in a URL [HDR-18, PROV-28, DEPR-23]', async () => {
  const { id: instance, operation } = await world.instanceIn('ready');
  assert.match(operation, /^[\w.~-]{1,100}$/);
  assert.match(world.operationOf(await world.delete(instance)), /^[\w.~-]{1,100}$/);
});

test('whoever may not ask gets 401, at every endpoint, and nothing is done [SEC-05, SEC-06]', async () => {
  const rights: unknown[] = [];
  await using closed = await startApi({
    api: {
      async authorize({ headers }, right) {
        rights.push(right);
        if (headers.authorization !== 'Bearer good') throw new Refusal('UNAUTHORIZED', 'no token');
      },
    },
  });
  for (const [method, path] of endpoints) {
    for (const authorization of [null, 'Bearer bad', 'Basic Zm9v']) {
      const answer = await closed.call(method, path, {
        headers: { authorization, 'x-broker-api-version': null },
        ...(method !== 'GET' && { body: orderOf() }),
      });
      assert.deepEqual([answer.status, answer.body], [401, { description: 'no token' }]);
    }
  }
  assert.deepEqual([...new Set(rights)], [{ scope: 'broker:write' }]);
  assert.equal(await closed.instance(id), undefined);
  const { status } = await closed.catalog({ headers: { authorization: 'Bearer good' } });
  assert.equal(status, 200);
});
