import assert from 'node:assert/strict';
import { test } from 'node:test';
import { minutes, seconds } from '#time';
import { director } from '../../landscape/director/testing.ts';
import { startLandscape, type Landscape } from '../../landscape/testing.ts';
import { directorClient, isTenantNotFound } from './director-client.ts';
import type { DirectorSettings } from './director-connection.ts';
import { failuresOf } from '../testing.ts';

const { signal } = new AbortController();
const tenant = 'ga-1';
const canary = 'canary-secret';
const labels = { broker_instance_id: '1111', global_subaccount_id: 'sa-1' };
const demo = { name: 'demo', description: 'say "hi"', labels };

const start = () => startLandscape({ systems: [director] });
const clientOf = ({ url }: Landscape, more: Partial<DirectorSettings> = {}) =>
  directorClient({
    url: `${url}/director/graphql`,
    tokenUrl: `${url}/director/oauth2/token`,
    clientId: 'id',
    clientSecret: canary,
    ...more,
  });
const inventory = (landscape: Landscape) => landscape.inventory()['director']?.['runtimes'] ?? [];
const next = (landscape: Landscape, status: number, body: unknown, path = 'graphql') =>
  landscape.faults.add({
    system: 'director',
    path,
    count: 1,
    probability: 1,
    action: {
      kind: 'answer',
      status,
      body: typeof body === 'string' ? body : JSON.stringify(body),
      headers: {},
    },
  });
const refusal = (extensions: object) => ({ errors: [{ message: 'no', extensions }], data: null });

const failsWith = failuresOf('director', canary);

test('a runtime is registered, found, read, updated and unregistered', async () => {
  await using landscape = await start();
  const client = clientOf(landscape);
  const id = await client.registerRuntime(tenant, demo, signal);
  assert.deepEqual(await client.runtime(tenant, id, signal), { id, ...demo });
  const byInstance = { key: 'broker_instance_id', value: '1111' };
  assert.deepEqual(await client.findRuntimes(tenant, byInstance, signal), [id]);
  const other = { ...byInstance, value: '111' };
  assert.deepEqual(await client.findRuntimes(tenant, other, signal), []);

  const more = { ...labels, gardenerClusterName: 'c-1', gardenerClusterDomain: 'c-1.example.com' };
  const condition = 'PROVISIONING';
  await client.updateRuntime(tenant, id, { ...demo, labels: more, condition }, signal);
  const askedBy = 'kyma-control-plane';
  const summary = { id, tenant, name: 'demo', condition, labels: more, tokens: 0, askedBy };
  assert.deepEqual(inventory(landscape), [summary]);

  await client.unregisterRuntime(tenant, id, signal);
  assert.deepEqual(inventory(landscape), []);
  assert.equal(await client.runtime(tenant, id, signal), undefined);
});

test('a tenant does not see the runtimes of another', async () => {
  await using landscape = await start();
  const client = clientOf(landscape);
  const id = await client.registerRuntime(tenant, demo, signal);
  assert.equal(await client.runtime('ga-2', id, signal), undefined);
  await client.unregisterRuntime('ga-2', id, signal);
  assert.equal(inventory(landscape).length, 1);
});

test('unregistering what Director does not know, or for a tenant it does not know, is a success', async () => {
  await using landscape = await start();
  const client = clientOf(landscape);
  await client.unregisterRuntime(tenant, 'gone', signal);
  for (const error_code of [20, 24, 25]) {
    next(landscape, 200, refusal({ error_code }));
    await client.unregisterRuntime(tenant, 'gone', signal);
  }
  next(landscape, 200, refusal({ error_code: 27 }));
  await assert.rejects(client.unregisterRuntime(tenant, 'gone', signal), failsWith({ code: 27 }));
});

test('after a lost answer the runtime is there: it is found by its label, and a second call makes a second one', async () => {
  await using landscape = await start();
  const client = clientOf(landscape);
  const action = { kind: 'lost answer' } as const;
  landscape.faults.add({ system: 'director', path: 'graphql', count: 1, probability: 1, action });
  await assert.rejects(
    client.registerRuntime(tenant, demo, signal),
    failsWith({ temporary: true, reason: 'unreachable' }),
  );
  const byInstance = { key: 'broker_instance_id', value: '1111' };
  assert.equal((await client.findRuntimes(tenant, byInstance, signal)).length, 1);
  await client.registerRuntime(tenant, demo, signal);
  assert.equal((await client.findRuntimes(tenant, byInstance, signal)).length, 2);
});

test('an update takes the place of all labels', async () => {
  await using landscape = await start();
  const client = clientOf(landscape);
  const id = await client.registerRuntime(tenant, demo, signal);
  await client.updateRuntime(tenant, id, { name: 'demo', labels: { a: 'b' } }, signal);
  const runtime = await client.runtime(tenant, id, signal);
  assert.deepEqual(runtime, { id, name: 'demo', labels: { a: 'b' } });
});

test('with a one-time token the agent of the runtime connects, once, and tells its URLs', async () => {
  await using landscape = await start();
  const client = clientOf(landscape);
  const withDomain = { ...demo, labels: { gardenerClusterDomain: 'c-1.example.com' } };
  const id = await client.registerRuntime(tenant, withDomain, signal);
  const { token, connectorURL } = await client.requestOneTimeToken(tenant, id, signal);
  assert.match(connectorURL, /^http.+\/director\/connector\/graphql$/);
  assert.doesNotMatch(JSON.stringify(inventory(landscape)), new RegExp(token));
  landscape.time.advance(minutes(1));
  assert.partialDeepStrictEqual(inventory(landscape), [{ condition: 'INITIAL', tokens: 1 }]);
  const headers = { 'connector-token': token };
  const connect = async () =>
    JSON.stringify(await (await fetch(connectorURL, { method: 'POST', headers })).json());
  assert.doesNotMatch(await connect(), /Unauthorized/);
  assert.partialDeepStrictEqual(inventory(landscape), [{ condition: 'CONNECTED' }]);
  const runtime = await client.runtime(tenant, id, signal);
  assert.equal(runtime?.labels['runtime_consoleUrl'], 'https://console.c-1.example.com');
  assert.match(await connect(), /Unauthorized/);
});

for (const [code, name, temporary] of [
  [10, 'InternalError', true],
  [11, 'UnknownError', true],
  [20, 'NotFound', false],
  [21, 'NotUnique', false],
  [22, 'InvalidData', false],
  [23, 'InsufficientScopes', true],
  [24, 'TenantRequired', false],
  [25, 'TenantNotFound', false],
  [26, 'Unauthorized', true],
  [27, 'InvalidOperation', false],
  [28, 'OperationTimeout', true],
  [31, 'NotUniqueName', true],
  [32, 'ConcurrentOperation', true],
] as const) {
  test(`code ${code} is ${temporary ? 'temporary' : 'permanent'}, ${name}`, async () => {
    await using landscape = await start();
    next(landscape, 200, refusal({ error_code: code, error: name }));
    await assert.rejects(clientOf(landscape).runtime(tenant, 'R', signal), (error) => {
      assert.equal(isTenantNotFound(error), code === 24 || code === 25);
      const component = 'compass director';
      return failsWith({ temporary, reason: name, code, component })(error);
    });
  });
}

test('an error without a code is temporary, also for a document that does not fit the schema', async () => {
  await using landscape = await start();
  const client = clientOf(landscape);
  next(landscape, 200, refusal({}));
  const unknown = failsWith({ temporary: true, reason: 'UnknownError' });
  await assert.rejects(client.runtime(tenant, 'R', signal), unknown);
  const condition = 'SLEEPING' as 'FAILED'; // as a caller would who is newer than the schema
  await assert.rejects(
    client.updateRuntime(tenant, 'R', { ...demo, condition }, signal),
    failsWith({ temporary: true, reason: 'UnknownError', status: 422 }),
  );
});

test('names that Director does not take are refused for good', async () => {
  await using landscape = await start();
  await assert.rejects(
    clientOf(landscape).registerRuntime(tenant, { ...demo, name: 'two words' }, signal),
    failsWith({ temporary: false, reason: 'InvalidData', code: 22 }),
  );
});

test('null instead of a result, and the answer for another runtime, are errors of their own', async () => {
  await using landscape = await start();
  const client = clientOf(landscape);
  next(landscape, 200, { data: { result: null } });
  await assert.rejects(
    client.registerRuntime(tenant, demo, signal),
    failsWith({ temporary: true, reason: 'err_director_nil_response' }),
  );
  const mismatch = failsWith({ temporary: true, reason: 'err_director_runtime_id_mismatch' });
  for (const call of [
    () => client.runtime(tenant, 'R', signal),
    () => client.updateRuntime(tenant, 'R', demo, signal),
    () => client.unregisterRuntime(tenant, 'R', signal),
  ]) {
    next(landscape, 200, { data: { result: { id: 'other', name: 'other' } } });
    await assert.rejects(call(), mismatch);
  }
});

test('a page of a gateway is temporary, and no runtime that is gone', async () => {
  await using landscape = await start();
  next(landscape, 502, '<html>bad gateway</html>');
  await assert.rejects(
    clientOf(landscape).runtime(tenant, 'R', signal),
    failsWith({ temporary: true, reason: 'err_http_status_code', status: 502 }),
  );
});

test('one token serves many calls and is fetched anew when it is refused', async () => {
  await using landscape = await start();
  const client = clientOf(landscape);
  const issued = () => landscape.requests.filter(({ path }) => path === '/oauth2/token').length;
  await Promise.all(['a', 'b', 'c'].map((id) => client.runtime(tenant, id, signal)));
  assert.equal(issued(), 1);
  landscape.time.advance(seconds(3601)); // for the simulated system alone: the client still trusts it
  await client.runtime(tenant, 'a', signal);
  assert.equal(issued(), 2);
});

test('a token server that refuses is waited out: the operator has to mend it', async () => {
  await using landscape = await start();
  landscape.faults.add({
    system: 'director',
    path: 'oauth2',
    probability: 1,
    action: { kind: 'answer', status: 401, body: canary, headers: {} },
  });
  await assert.rejects(
    clientOf(landscape).runtime(tenant, 'R', signal),
    failsWith({ temporary: true, status: 401 }),
  );
});

test('a token that has expired when it comes is an error that may pass', async () => {
  await using landscape = await start();
  const expired = { access_token: canary, token_type: 'bearer', expires_in: 0 };
  for (let n = 0; n < 2; n += 1) next(landscape, 200, expired, 'oauth2');
  const client = clientOf(landscape);
  const refused = failsWith({ temporary: true, status: 401 });
  await assert.rejects(client.runtime(tenant, 'R', signal), refused);
  assert.equal(await client.runtime(tenant, 'R', signal), undefined);
});
