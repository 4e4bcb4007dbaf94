import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { inspect } from 'node:util';
import { minutes, seconds } from '#time';
import {
  serviceManager as simulated,
  type MakeSystem,
} from '../../landscape/service-manager/testing.ts';
import { startLandscape, type Landscape } from '../../landscape/testing.ts';
import {
  serviceManagerClient,
  serviceNotUnique,
  type OfferedService,
  type ServiceManagerSettings,
} from './service-manager-client.ts';
import { failuresOf } from '../testing.ts';

const { signal } = new AbortController();
const canary = 'canary-secret';
const start = () => startLandscape({ systems: [simulated] });

const clientOf = (landscape: Landscape, more: Partial<ServiceManagerSettings> = {}) =>
  serviceManagerClient({
    url: `${landscape.url}/service-manager/`,
    username: 'kyma',
    password: canary,
    ...more,
  });

const failsWith = failuresOf('service-manager', canary.slice(0, 6));

const answering = (landscape: Landscape, status: number, body = '', path = 'v1') =>
  landscape.faults.add({
    system: 'service-manager',
    path,
    probability: 1,
    action: {
      kind: 'answer',
      status,
      body,
      headers: status === 429 ? { 'retry-after': '7' } : {},
    },
  });

const instanceOf = (service: OfferedService) => ({ id: randomUUID(), service });
const anyInstance = instanceOf({ brokerId: 'b/1', serviceId: 's', planId: 'p' });
const held = (landscape: Landscape) => landscape.inventory()['service-manager']?.['instances'];

test('a service is found by the names of its offering and plan, and known by the ids of its broker', async () => {
  await using landscape = await start();
  assert.deepEqual(await clientOf(landscape).findService('xsuaa', 'application', signal), {
    brokerId: 'broker-security',
    serviceId: 'catalog-security-xsuaa',
    planId: 'catalog-security-xsuaa-application',
  });
});

for (const [offering, plan, problem] of [
  ['unheard-of', 'application', 'no offering has the name'],
  ['postgresql', 'small', 'two brokers sell an offering of the name'],
  ['xsuaa', 'unheard-of', 'no plan has the name'],
  ["x' or name eq 'xsuaa", 'application', 'the name would change the query'],
] as const) {
  test(`a service is not found, for good, when ${problem}`, async () => {
    await using landscape = await start();
    await assert.rejects(
      clientOf(landscape).findService(offering, plan, signal),
      failsWith({ temporary: false, reason: serviceNotUnique, status: undefined }),
    );
  });
}

test('a slow service is ordered, waited for, bound, unbound and given back', async () => {
  await using landscape = await start();
  const client = clientOf(landscape);
  const service = await client.findService('xsuaa', 'application', signal);
  const instance = instanceOf(service);

  const ordered = await client.provision(instance, { xsappname: 'kyma-1' }, signal);
  assert.ok(ordered.state === 'in progress' && ordered.operation);
  const stateNow = async (operation?: string) =>
    (await client.lastOperation(instance, operation, signal)).state;
  assert.equal(await stateNow(ordered.operation), 'in progress');
  landscape.time.advance(minutes(1));
  assert.equal(await stateNow(ordered.operation), 'succeeded');

  const { credentials } = await client.bind(instance, 'binding-1', {}, signal);
  assert.ok(credentials['clientsecret']);
  assert.deepEqual((await client.bind(instance, 'binding-1', {}, signal)).credentials, credentials);
  assert.deepEqual(held(landscape), [
    {
      id: instance.id,
      offering: 'xsuaa',
      plan: 'application',
      state: 'ready',
      bindings: ['binding-1'],
      askedBy: 'kyma-control-plane',
    },
  ]);
  await client.unbind(instance, 'binding-1', signal);

  const returned = await client.deprovision(instance, signal);
  assert.ok(returned.state === 'in progress');
  assert.equal(await stateNow(returned.operation), 'in progress');
  landscape.time.advance(minutes(1));
  assert.equal(await stateNow(returned.operation), 'gone');
  assert.deepEqual(held(landscape), []);
});

test('a quick service is there and gone at once', async () => {
  await using landscape = await start();
  const client = clientOf(landscape);
  const instance = instanceOf(
    await client.findService('connectivity', 'connectivity_proxy', signal),
  );
  assert.deepEqual(await client.provision(instance, {}, signal), { state: 'succeeded' });
  assert.equal((await client.lastOperation(instance, undefined, signal)).state, 'succeeded');
  assert.deepEqual(await client.deprovision(instance, signal), { state: 'succeeded' });
});

test('a service that cannot be made says why', async () => {
  await using landscape = await start();
  const client = clientOf(landscape);
  const service = await client.findService('xsuaa', 'application', signal);
  await client.provision(instanceOf(service), { xsappname: 'kyma-1' }, signal);
  const second = instanceOf(service);
  await client.provision(second, { xsappname: 'kyma-1' }, signal);
  landscape.time.advance(minutes(1));
  assert.deepEqual(await client.lastOperation(second, undefined, signal), {
    state: 'failed',
    description: 'the xsappname is in use',
  });
});

test('an order whose answer was lost can be repeated: it is the same instance', async () => {
  await using landscape = await start();
  const client = clientOf(landscape);
  const instance = instanceOf(await client.findService('xsuaa', 'application', signal));
  landscape.faults.add({
    system: 'service-manager',
    method: 'PUT',
    count: 1,
    probability: 1,
    action: { kind: 'lost answer' },
  });
  await assert.rejects(
    client.provision(instance, {}, signal),
    failsWith({ temporary: true, reason: 'unreachable' }),
  );
  const again = await client.provision(instance, {}, signal);
  assert.deepEqual(await client.provision(instance, {}, signal), again);
  assert.equal(held(landscape)?.length, 1);
  const different = client.provision(instance, { xsappname: 'other' }, signal);
  await assert.rejects(different, failsWith({ temporary: false, status: 409 }));
});

test('what never existed, or is gone, counts as unbound and deprovisioned', async () => {
  await using landscape = await start();
  const client = clientOf(landscape);
  const instance = instanceOf(await client.findService('xsuaa', 'application', signal));
  await client.unbind(instance, 'binding-1', signal);
  assert.deepEqual(await client.deprovision(instance, signal), { state: 'succeeded' });
});

test('an instance is not bound before it is ready, and not deprovisioned before it is unbound', async () => {
  await using landscape = await start();
  const client = clientOf(landscape);
  const instance = instanceOf(await client.findService('xsuaa', 'application', signal));
  await client.provision(instance, {}, signal);
  await assert.rejects(
    client.bind(instance, 'binding-1', {}, signal),
    failsWith({ temporary: false, status: 422 }),
  );
  landscape.time.advance(minutes(1));
  await client.bind(instance, 'binding-1', {}, signal);
  await assert.rejects(
    client.deprovision(instance, signal),
    failsWith({ temporary: false, status: 400 }),
  );
});

for (const [status, temporary] of [
  [302, false],
  [400, false],
  [401, false],
  [408, true],
  [410, false],
  [429, true],
  [500, false],
  [502, true],
  [503, true],
] as const) {
  test(`status ${status} for an order is ${temporary ? 'temporary' : 'permanent'}`, async () => {
    await using landscape = await start();
    answering(landscape, status, canary);
    await assert.rejects(
      clientOf(landscape).provision(anyInstance, { password: canary }, signal),
      failsWith({
        temporary,
        reason: 'err_http_status_code',
        status,
        ...(status === 429 && { retryAfter: seconds(7) }),
      }),
    );
  });
}

test('an answer that is no JSON, or lacks a field, is permanent and names the field, not what it held', async () => {
  await using landscape = await start();
  const client = clientOf(landscape);
  const wrong = failsWith({ temporary: false, reason: 'wrong_answer' });
  const bind = () => client.bind(anyInstance, 'binding-1', {}, signal);
  const bodies = answering(landscape, 200, canary);
  await assert.rejects(bind(), wrong);
  await assert.rejects(client.unbind(anyInstance, 'binding-1', signal), wrong);
  landscape.faults.remove(bodies);
  answering(landscape, 200, JSON.stringify({ credentials: canary }));
  await assert.rejects(bind(), wrong);
  await assert.rejects(bind(), /credentials/);
});

test('a state nobody has heard of is passed on', async () => {
  await using landscape = await start();
  answering(landscape, 200, JSON.stringify({ state: 'pondering' }));
  assert.deepEqual(await clientOf(landscape).lastOperation(anyInstance, 'op', signal), {
    state: 'pondering',
    description: '',
  });
});

test('orders go to the right place, with the ids of the service', async () => {
  await using landscape = await start();
  answering(landscape, 200, JSON.stringify({ state: 'succeeded', credentials: {} }));
  const client = clientOf(landscape);
  await client.provision(anyInstance, {}, signal);
  await client.lastOperation(anyInstance, 'op 1', signal);
  await client.bind(anyInstance, 'x', {}, signal);
  await client.unbind(anyInstance, 'x', signal);
  await client.deprovision(anyInstance, signal);
  const instance = `/v1/osb/b%2F1/v2/service_instances/${anyInstance.id}`;
  assert.deepEqual(
    landscape.requests.map(({ method, path }) => `${method} ${path}`),
    [
      `PUT ${instance}?accepts_incomplete=true`,
      `GET ${instance}/last_operation?accepts_incomplete=true&service_id=s&plan_id=p&operation=op+1`,
      `PUT ${instance}/service_bindings/x`,
      `DELETE ${instance}/service_bindings/x?service_id=s&plan_id=p`,
      `DELETE ${instance}?service_id=s&plan_id=p&accepts_incomplete=true`,
    ],
  );
});

test('an order says all that a broker wants to know, the same each time', async () => {
  const seen: { headers: object; body: unknown }[] = [];
  const listener: MakeSystem = () => ({
    name: 'service-manager',
    inventory: () => ({}),
    serve(app) {
      app.put('*', async ({ headers, body }) => {
        seen.push({ headers, body });
        return {};
      });
    },
  });
  await using landscape = await startLandscape({ systems: [listener] });
  const client = clientOf(landscape);
  await client.provision(anyInstance, { xsappname: 'kyma-1' }, signal);
  await client.provision(anyInstance, { xsappname: 'kyma-1' }, signal);
  const [first, second] = seen;
  assert.deepEqual(first?.body, second?.body);
  assert.partialDeepStrictEqual(first?.headers, {
    authorization: `Basic ${Buffer.from(`kyma:${canary}`).toString('base64')}`,
    'content-type': 'application/json',
    'x-broker-api-version': '2.16',
  });
  const uuid = /^[\da-f]{8}-[\da-f]{4}-8[\da-f]{3}-8[\da-f]{3}-[\da-f]{12}$/;
  const { organization_guid, space_guid, ...body } = (first?.body ?? {}) as Record<string, unknown>;
  assert.match(String(organization_guid), uuid);
  assert.match(String(space_guid), uuid);
  assert.notEqual(organization_guid, space_guid);
  assert.deepEqual(body, {
    service_id: 's',
    plan_id: 'p',
    parameters: { xsappname: 'kyma-1' },
    context: { platform: 'kubernetes' },
    ID: anyInstance.id,
  });
});

test('wrong credentials are permanent and stay unseen', async () => {
  await using landscape = await start();
  const client = clientOf(landscape, { username: '' });
  await assert.rejects(
    client.findService('xsuaa', 'application', signal),
    failsWith({ temporary: false, status: 401 }),
  );
  assert.doesNotMatch(inspect([client, landscape.inventory()], { depth: 9 }), /canary/);
});

test('a call ends at its timeout and at its signal', async () => {
  await using landscape = await start();
  landscape.faults.add({
    system: 'service-manager',
    probability: 1,
    action: { kind: 'delay', for: 60_000 },
  });
  const client = clientOf(landscape, { timeout: 20 });
  await assert.rejects(
    client.deprovision(anyInstance, signal),
    failsWith({ temporary: true, reason: 'unreachable' }),
  );
  const reason = new Error('canceled');
  await assert.rejects(client.deprovision(anyInstance, AbortSignal.abort(reason)), reason);
});
