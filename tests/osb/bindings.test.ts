import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, test } from 'node:test';
import { z } from 'zod';
import { Kubeconfig, runtimeClusters } from '#clients';
import { minutes } from '#time';
import {
  orderOf,
  planIds,
  serviceId,
  startApi,
  type OsbAnswer,
} from '../../src/broker/api/testing.ts';
import { clusterOf, ownCluster, signal } from '../../src/broker/operations/testing.ts';

const bindings = { mostPerInstance: 100, waitAtMost: minutes(1) };
const world = await startApi({ withRealSteps: true, api: { bindings } });
after(() => world[Symbol.asyncDispose]());

const provisioned = async (order = orderOf()): Promise<string> => {
  const id = randomUUID();
  const operation = world.operationOf(await world.put(id, order));
  assert.equal((await world.pass(operation)).state, 'succeeded');
  return id;
};
const id = await provisioned();

const request = { service_id: serviceId, plan_id: planIds.azure };
const later = '?accepts_incomplete=true';
const deleting = `service_id=${serviceId}&plan_id=${planIds.azure}`;
const at = (binding: string, more = '', instance = id) =>
  `/v2/service_instances/${instance}/service_bindings/${encodeURIComponent(binding)}${more}`;
const bind = (binding: string, body: object = request, query = later, instance = id) =>
  world.call('PUT', at(binding, query, instance), { body });
const fetched = (binding: string, query = '') => world.call('GET', at(binding, query));
const unbind = (binding: string, more = '&accepts_incomplete=true', instance = id) =>
  world.call('DELETE', at(binding, `?${deleting}${more}`, instance));
const poll = (binding: string, query = '') =>
  world.call('GET', at(binding, `/last_operation${query}`));

/** A binding of a new id, made to its end. */
const bound = async (body: object = request) => {
  const binding = randomUUID();
  const { status, body: answer } = await bind(binding, body, '');
  assert.equal(status, 201, JSON.stringify(answer));
  return { binding, answer };
};
const end = async (answer: OsbAnswer) => (await world.pass(world.operationOf(answer))).state;
const kubeconfigIn = (body: OsbAnswer['body']) =>
  (body['credentials'] as { kubeconfig: string }).kubeconfig;

/** Whether somebody who has it gets in. */
const opens = async (kubeconfig: string): Promise<boolean> => {
  const cluster = runtimeClusters({})(new Kubeconfig(kubeconfig));
  try {
    await cluster.ensureNamespace('default', signal);
    return true;
  } catch (error) {
    assert.equal((error as { reason?: string }).reason, 'Unauthorized');
    return false;
  }
};

/** While it lasts, nobody gets into the cluster. */
const outage = () => {
  const fault = world.landscape.faults.add({
    system: 'provisioner',
    path: '^/clusters/',
    action: { kind: 'answer', status: 503 },
  });
  return { [Symbol.dispose]: () => world.landscape.faults.remove(fault) };
};

test('whoever accepts nothing incomplete gets the binding with the answer [BIND-04, BIND-26, BIND-42]', async () => {
  const { binding, answer } = await bound();
  assert.deepEqual(Object.keys(answer), ['credentials', 'metadata', 'endpoints']);
  assert.ok(await opens(kubeconfigIn(answer)));
  assert.equal((await unbind(binding, '')).status, 200);
});

test('whoever accepts it gets an operation, and nothing of the binding yet [BIND-27, BIND-29, BIND-39]', async () => {
  const answer = await bind('later');
  assert.equal(answer.status, 202);
  assert.deepEqual(Object.keys(answer.body), ['operation']);
  assert.match(world.operationOf(answer), /^[\w-]{36}$/);
  assert.equal(await end(answer), 'succeeded');
});

test('a binding can be fetched as soon as its operation has succeeded, with its parameters [BGET-02, BGET-09, BPOLL-03, BPOLL-04]', async () => {
  const answer = await bind('fetched', { ...request, parameters: { expiration_seconds: 900 } });
  await end(answer);
  for (const query of ['', '?operation=bind', `?operation=${world.operationOf(answer)}`]) {
    const { status, body, headers } = await poll('fetched', query);
    assert.deepEqual([status, body['state']], [200, 'succeeded']);
    assert.equal(headers.get('retry-after'), null);
  }
  const { status, body } = await fetched('fetched', '?service_id=x&plan_id=y');
  assert.equal(status, 200);
  assert.ok(await opens(kubeconfigIn(body)));
  assert.deepEqual(body['parameters'], { expiration_seconds: 900 });
});

test('while a binding is being made it is polled, not fetched, and the same request gets the same operation [BIND-28, BIND-30, BGET-06, BPOLL-15]', async () => {
  let first: OsbAnswer;
  {
    using _outage = outage();
    first = await bind('slow');
    await world.pass(world.operationOf(first), ({ because }) => because !== null);
    const { body, headers } = await poll('slow');
    assert.equal(body['state'], 'in progress');
    assert.match(String(body['description']), /^Check_Access waits/);
    assert.deepEqual(Object.keys(body), ['state', 'description']);
    assert.match(headers.get('retry-after') ?? '', /^\d+$/);
    assert.equal((await fetched('slow')).status, 404);
    const again = await bind('slow', { ...request, parameters: {} });
    assert.deepEqual([again.status, again.body], [202, first.body]);
    const other = await bind('slow', { ...request, parameters: { expiration_seconds: 601 } });
    assert.equal(other.status, 409);
  }
  assert.equal(await end(first), 'succeeded');
  assert.equal((await fetched('slow')).status, 200);
});

test('the same again is done already, with the same credentials [BIND-24]', async () => {
  const { binding, answer } = await bound();
  for (const query of ['', later]) {
    const same = { ...request, context: {}, parameters: null, bind_resource: null, x: 1 };
    const again = await bind(binding, same, query);
    assert.deepEqual([again.status, again.body], [200, answer]);
  }
});

test('anything else of that id is a conflict [BIND-33]', async () => {
  const { binding } = await bound({ ...request, bind_resource: { app_guid: 'a' } });
  const same = await bind(binding, { ...request, app_guid: 'a' });
  assert.equal(same.status, 200);
  for (const change of [
    { plan_id: planIds.aws },
    { parameters: { expiration_seconds: 7_200 } },
    { bind_resource: { app_guid: 'b' } },
    { bind_resource: { app_guid: 'a', route: 'r' } },
    { predecessor_binding_id: 'later' },
  ])
    assert.equal(
      (await bind(binding, { ...request, ...change })).status,
      409,
      JSON.stringify(change),
    );
  const another = await provisioned();
  assert.equal((await bind(binding, request, later, another)).status, 409);
  assert.equal((await unbind(binding, '', another)).status, 410);
});

test('each binding has credentials of its own [BIND-06]', async () => {
  const first = await bound();
  const second = await bound();
  assert.notEqual(kubeconfigIn(first.answer), kubeconfigIn(second.answer));
  assert.equal((await unbind(first.binding, '')).status, 200);
  assert.equal(await opens(kubeconfigIn(first.answer)), false);
  assert.ok(await opens(kubeconfigIn(second.answer)));
});

test('the endpoint is that of the API server, the only one there is [BIND-05, BIND-07, BIND-46, BIND-54, BGET-13]', async () => {
  const { binding, answer } = await bound();
  const [, host, port] = /server: https:\/\/([^:/]+):(\d+)/.exec(kubeconfigIn(answer)) ?? [];
  const endpoints = [{ host, ports: [port] }];
  assert.deepEqual(answer['endpoints'], endpoints);
  assert.deepEqual((await fetched(binding)).body['endpoints'], endpoints);
});

test('a binding says when it expires, and when to renew it, with time to spare [BIND-40, BIND-41, BIND-47, BIND-49, BIND-50, BIND-51, BGET-08]', async () => {
  const { answer } = await bound({ ...request, parameters: { expiration_seconds: 1_200 } });
  const metadata = answer['metadata'] as Record<'expires_at' | 'renew_before', string>;
  assert.deepEqual(Object.keys(metadata), ['expires_at', 'renew_before']);
  for (const time of Object.values(metadata))
    assert.match(time, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\dZ$/);
  const [expires, renew] = [Date.parse(metadata.expires_at), Date.parse(metadata.renew_before)];
  assert.equal(expires - renew, minutes(5));
  const left = expires - Date.now() - world.clock.offset;
  assert.ok(left <= minutes(20) && left > minutes(19), String(left));
});

test('parameters are checked, names and values of a binding too [BIND-23]', async () => {
  for (const [parameters, why] of [
    [{ expiration_seconds: 599 }, /expiration_seconds/],
    [{ expiration_seconds: 7_201 }, /expiration_seconds/],
    [{ expiration_seconds: '600' }, /expiration_seconds/],
    [{ expires: 600 }, /expires is not allowed \(allowed: expiration_seconds\)/],
    ['text', /text|object/],
  ] as const) {
    const { status, body } = await bind('checked', { ...request, parameters });
    assert.equal(status, 400, JSON.stringify(parameters));
    assert.match(String(body['description']), why);
  }
  assert.equal((await fetched('checked')).status, 404);
});

test('no application is needed for a binding [BIND-34, BIND-35]', async () => {
  const { binding } = await bound({ ...request, bind_resource: { route: 'r', more: 1 } });
  assert.equal((await fetched(binding)).status, 200);
  for (const empty of [{ app_guid: '' }, { bind_resource: { app_guid: '' } }])
    assert.equal((await bind('empty', { ...request, ...empty })).status, 400);
});

test('service and plan of a binding must be named, and those of the instance [BIND-18, BIND-19, BIND-20]', async () => {
  for (const field of ['service_id', 'plan_id']) {
    for (const value of [undefined, null, '']) {
      const answer = await bind('unnamed', { ...request, [field]: value });
      assert.equal(answer.status, 400);
      assert.match(String(answer.body['description']), new RegExp(`${field} missing`));
    }
    assert.equal((await bind('unnamed', { ...request, [field]: 'another' })).status, 400);
  }
  const { status, body } = await bind('unnamed', { ...request, plan_id: planIds.aws });
  assert.equal(status, 400);
  assert.match(String(body['description']), /plan_id is .*: the instance .* has /);
});

test('what cannot be bound, at all or now, is refused', async () => {
  assert.equal((await bind('b', request, later, 'nothing')).status, 404);
  const own = await provisioned(
    orderOf({
      plan_id: planIds.own_cluster,
      parameters: { name: 'own', ...(await ownCluster(world, 'cluster-of-theirs')) },
    }),
  );
  const ofOwn = { ...request, plan_id: planIds.own_cluster };
  const { status, body } = await bind('b', ofOwn, later, own);
  assert.deepEqual([status, body['error']], [400, undefined]);
  assert.match(String(body['description']), /instances of plan own_cluster cannot be bound/);
  await using steered = await startApi();
  for (const [state, error] of [
    ['provisioning', 'ConcurrencyError'],
    ['deprovisioning', 'ConcurrencyError'],
    ['failed', undefined],
    ['deprovision failed', undefined],
  ] as const) {
    const { id: instance } = await steered.instanceIn(state);
    const refused = await steered.call('PUT', at('b', later, instance), { body: request });
    assert.deepEqual([refused.status, refused.body['error']], [422, error], state);
  }
  const { id: updating } = await steered.instanceIn('ready');
  await steered.beginUpdate(updating);
  const refused = await steered.call('PUT', at('b', later, updating), { body: request });
  assert.deepEqual([refused.status, refused.body['error']], [422, 'ConcurrencyError']);
});

test('several bindings of an instance are made at the same time: none is refused as busy [BIND-37]', async () => {
  const names = ['p-1', 'p-2', 'p-3', 'p-4'];
  const answers = await Promise.all(names.map((name) => bind(name, request, '')));
  assert.deepEqual(
    answers.map(({ status }) => status),
    [201, 201, 201, 201],
  );
});

test('the same ten times at once makes one binding', async () => {
  const answers = await Promise.all(Array.from({ length: 10 }, () => bind('once')));
  const operations = answers.map(({ body }) => body['operation']).filter(Boolean);
  assert.equal(new Set(operations).size, 1);
  for (const { status } of answers) assert.ok(status === 202 || status === 200, String(status));
});

test('what cannot be made at once is refused to whoever accepts nothing incomplete, and leaves nothing [BIND-15, BIND-16, ROT-09]', async () => {
  const { binding } = await bound();
  for (const body of [request, { predecessor_binding_id: binding }]) {
    {
      using _outage = outage();
      for (const query of ['', '?accepts_incomplete=false']) {
        const { status, body: answer } = await bind('at-once', body, query);
        assert.deepEqual([status, answer['error']], [422, 'AsyncRequired']);
      }
      assert.equal(await world.services.bindings.get(world.database.pool, 'at-once'), undefined);
    }
    assert.equal((await bind('at-once', body, '')).status, 201);
    assert.equal((await unbind('at-once', '')).status, 200);
  }
});

test('a successor needs its predecessor alone, and takes over what it does not say [ROT-04, ROT-03, ROT-07]', async () => {
  const resource = { bind_resource: { app_guid: 'a' }, parameters: { expiration_seconds: 900 } };
  const { binding, answer } = await bound({ ...request, ...resource });
  const rotation = { predecessor_binding_id: binding };
  const successor = await bind('successor', rotation, '');
  assert.equal(successor.status, 201);
  assert.notEqual(kubeconfigIn(successor.body), kubeconfigIn(answer));
  const stored = await world.services.bindings.get(world.database.pool, 'successor');
  assert.partialDeepStrictEqual(stored, {
    predecessorId: binding,
    parameters: { expiration_seconds: 900 },
    bindResource: { app_guid: 'a' },
  });
  assert.equal((await bind('successor', rotation)).status, 200);
  assert.equal((await bind('successor', { ...request, ...resource })).status, 409);
  const longer = { ...rotation, parameters: { expiration_seconds: 1_800 } };
  assert.equal((await bind('longer', longer, '')).status, 201);
});

test('a rotation revokes nothing: both are good until they are deleted [ROT-06]', async () => {
  const { binding, answer } = await bound();
  const successor = await bind('good', { predecessor_binding_id: binding }, '');
  assert.ok(await opens(kubeconfigIn(answer)));
  assert.equal((await unbind(binding, '')).status, 200);
  assert.equal(await opens(kubeconfigIn(answer)), false);
  assert.ok(await opens(kubeconfigIn(successor.body)));
  assert.equal((await bind('good', { predecessor_binding_id: binding })).status, 200);
});

test('what cannot be replaced is refused by name [ROT-05, ROT-02]', async () => {
  const { binding } = await bound();
  const another = await provisioned();
  for (const [predecessor, instance] of [
    ['', id],
    ['nothing', id],
    ['itself', id],
    [binding, another],
  ] as const) {
    const rotation = { predecessor_binding_id: predecessor };
    const { status, body } = await bind('itself', rotation, later, instance);
    assert.equal(status, 400, predecessor);
    assert.match(String(body['description']), /predecessor_binding_id/);
  }
  const wrong = { predecessor_binding_id: binding, plan_id: planIds.aws };
  assert.equal((await bind('itself', wrong)).status, 400);
  let making: OsbAnswer;
  {
    using _outage = outage();
    making = await bind('in-the-making');
    const { status, body } = await bind('next', { predecessor_binding_id: 'in-the-making' });
    assert.deepEqual([status, body['error']], [422, 'ConcurrencyError']);
  }
  await end(making);
});

test('there is nothing to fetch, to poll or to delete where nothing was bound [BGET-05, BPOLL-05, BPOLL-07, UNB-18]', async () => {
  assert.equal((await fetched('nothing')).status, 404);
  assert.equal((await poll('nothing')).status, 404);
  assert.equal((await unbind('nothing')).status, 410);
  assert.equal((await unbind('nothing', '', 'nobody')).status, 410);
  const { binding } = await bound();
  for (const query of ['?operation=', '?service_id=', '?plan_id='])
    assert.equal((await poll(binding, query)).status, 400);
  assert.equal((await fetched(binding, '?plan_id=')).status, 400);
  for (const operation of [randomUUID(), 'nonsense']) {
    const { status, body } = await poll(binding, `?operation=${operation}`);
    assert.equal(status, 400);
    assert.match(String(body['description']), /operation is .*: expected one that/);
  }
});

test('service and plan must be named to delete a binding; wrong ones keep no orphan alive [UNB-06, UNB-07, UNB-16]', async () => {
  const { binding } = await bound();
  for (const query of [
    `?plan_id=${planIds.azure}`,
    `?service_id=${serviceId}`,
    '?service_id=&plan_id=',
  ])
    assert.equal((await world.call('DELETE', at(binding, query))).status, 400);
  assert.equal((await unbind(binding, '&accepts_incomplete=maybe')).status, 400);
  const wrong = await world.call('DELETE', at(binding, '?service_id=x&plan_id=y'));
  assert.deepEqual([wrong.status, wrong.body], [200, {}]);
});

test('a deleted binding is gone, and everything of it [UNB-02, UNB-12]', async () => {
  const cluster = await clusterOf(world, id);
  const names = async () => {
    const item = z.object({ metadata: z.object({ name: z.string() }) });
    const path = '/apis/rbac.authorization.k8s.io/v1/clusterrolebindings';
    return JSON.stringify(await cluster.list({ path, item, what: 'look', signal }));
  };
  const { binding, answer } = await bound();
  assert.match(await names(), new RegExp(binding));
  const { status, body } = await unbind(binding, '');
  assert.deepEqual([status, body], [200, {}]);
  assert.doesNotMatch(await names(), new RegExp(binding));
  assert.equal(await opens(kubeconfigIn(answer)), false);
  assert.equal((await fetched(binding)).status, 404);
  assert.equal((await unbind(binding, '')).status, 410);
  assert.equal((await bind(binding, request, '')).status, 201);
});

test('a deletion that takes its time is accepted once, and its end is remembered [UNB-13, UNB-14, UNB-15, UNB-22, BPOLL-16]', async () => {
  const { binding } = await bound();
  let first: OsbAnswer;
  {
    using _outage = outage();
    first = await unbind(binding);
    assert.equal(first.status, 202);
    assert.match(world.operationOf(first), /^[\w-]{36}$/);
    const again = await unbind(binding);
    assert.deepEqual([again.status, again.body], [202, first.body]);
    assert.equal((await fetched(binding)).status, 404);
    const { status, body } = await bind(binding);
    assert.deepEqual([status, body['error']], [422, 'ConcurrencyError']);
  }
  assert.equal(await end(first), 'succeeded');
  for (const query of ['', '', `?operation=${world.operationOf(first)}`])
    assert.equal((await poll(binding, query)).body['state'], 'succeeded');
  assert.equal((await poll(binding, '?operation=bind')).body['state'], 'succeeded');
});

test('a deletion stops what goes on, and is never refused as busy [UNB-03, UNB-04, UNB-19, UNB-20]', async () => {
  let making: OsbAnswer;
  let removal: OsbAnswer;
  {
    using _outage = outage();
    making = await bind('stopped');
    await world.pass(world.operationOf(making), ({ because }) => because !== null);
    removal = await unbind('stopped');
    assert.equal(removal.status, 202);
  }
  assert.equal((await poll('stopped', '?operation=unbind')).status, 200);
  assert.equal(await end(removal), 'succeeded');
  assert.equal((await poll('stopped')).body['state'], 'succeeded');
});

test('a deletion at once shows the creation that it has stopped as failed [UNB-05]', async () => {
  const fault = world.landscape.faults.add({
    system: 'provisioner',
    method: 'POST',
    path: '/token$',
    action: { kind: 'answer', status: 503 },
  });
  const making = await bind('half-made');
  await world.pass(
    world.operationOf(making),
    ({ step, because }) => step === 'Create_Binding' && because !== null,
  );
  assert.equal((await unbind('half-made', '')).status, 200);
  world.landscape.faults.remove(fault);
  const { body } = await poll('half-made', `?operation=${world.operationOf(making)}`);
  assert.equal(body['state'], 'failed');
  assert.equal((await unbind('half-made', '')).status, 410);
});

test('what cannot be removed at once stays for whoever accepts nothing incomplete [UNB-09, UNB-10]', async () => {
  const { binding, answer } = await bound();
  {
    using _outage = outage();
    const { status, body } = await unbind(binding, '');
    assert.deepEqual([status, body['error']], [422, 'AsyncRequired']);
    assert.deepEqual((await fetched(binding)).body['credentials'], answer['credentials']);
  }
  assert.ok(await opens(kubeconfigIn(answer)));
  assert.equal((await unbind(binding, '')).status, 200);
});

test('what the runtime refuses is no fault of the platform: it gets 5xx, and nothing is left', async () => {
  const fault = world.landscape.faults.add({
    system: 'provisioner',
    method: 'POST',
    path: '/serviceaccounts$',
    action: { kind: 'answer', status: 403 },
  });
  const { status, body } = await bind('refused', request, '');
  assert.equal(status, 502);
  assert.match(String(body['description']), /the binding refused failed: .*403/);
  world.landscape.faults.remove(fault);
  const [removal] = await world.engine.ofSubject('binding:refused');
  assert.equal(removal?.type, 'unbind');
  assert.equal((await world.pass(removal.id)).state, 'succeeded');
  assert.equal((await unbind('refused')).status, 410);
});
