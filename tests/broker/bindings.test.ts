import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { Kubeconfig, runtimeClusters } from '#clients';
import { minutes, seconds } from '#time';
import {
  orderOf,
  planIds,
  Refusal,
  serviceId,
  startApi,
  type ApiWorld,
  type ApiWorldOptions,
} from '../../src/broker/api/testing.ts';
import { signal } from '../../src/broker/operations/testing.ts';
import { eachStageTwice, objectsIn } from '../../src/broker/steps/testing.ts';
import { testDatabase } from '../../src/database/testing.ts';
import { startLandscape } from '../../src/landscape/testing.ts';

const request = (plan: keyof typeof planIds = 'azure') => ({
  service_id: serviceId,
  plan_id: planIds[plan],
});
const later = '?accepts_incomplete=true';
const deleting = `?service_id=${serviceId}&plan_id=${planIds.azure}`;

/** A broker with a runtime that can be bound. */
async function startBound(plan: keyof typeof planIds = 'azure', options: ApiWorldOptions = {}) {
  const world = await startApi({ withRealSteps: true, ...options });
  const id = randomUUID();
  const ordered = await world.put(id, orderOf({ plan_id: planIds[plan] }));
  assert.equal((await world.pass(world.operationOf(ordered))).state, 'succeeded');
  return { ...world, ...bindingsOf(world, id, plan), id };
}

const bindingsOf = (world: ApiWorld, id: string, plan: keyof typeof planIds = 'azure') => {
  const at = (binding: string, more = '') =>
    `/v2/service_instances/${id}/service_bindings/${binding}${more}`;
  return {
    bind: (binding: string, body: object = {}, query = '') =>
      world.call('PUT', at(binding, query), { body: { ...request(plan), ...body } }),
    fetched: (binding: string) => world.call('GET', at(binding)),
    unbind: (binding: string, more = '') => world.call('DELETE', at(binding, deleting + more)),
    pollBinding: (binding: string) => world.call('GET', at(binding, '/last_operation')),
    stored: () => world.services.bindings.ofInstance(world.database.pool, id),
    /** The accounts of bindings in the cluster. */
    accounts: async () => {
      const { shootName = '' } = (await world.instance(id)) ?? {};
      return objectsIn(world.landscape, shootName, 'serviceaccounts').map(({ name }) => name);
    },
    expiryOf: async (binding: string) => {
      const operations = await world.engine.ofSubject(`binding:${binding}`);
      return operations.find(({ type }) => type === 'expire_binding') ?? assert.fail();
    },
  };
};

const kubeconfigIn = ({ body }: { body: Readonly<Record<string, unknown>> }) =>
  (body['credentials'] as { kubeconfig: string }).kubeconfig;

const opens = (kubeconfig: string): Promise<boolean> =>
  runtimeClusters({})(new Kubeconfig(kubeconfig))
    .ensureNamespace('default', signal)
    .then(
      () => true,
      (error: unknown) => {
        assert.equal((error as { reason?: string }).reason, 'Unauthorized');
        return false;
      },
    );

test('a binding opens the runtime until its time is over, and then nothing of it is left', async () => {
  await using world = await startBound();
  const made = await world.bind('mine', { parameters: { expiration_seconds: 900 } });
  assert.equal(made.status, 201);
  assert.ok(await opens(kubeconfigIn(made)));
  assert.deepEqual(await world.accounts(), ['kyma-binding-mine']);

  world.advance(minutes(15) - seconds(30));
  assert.ok(await opens(kubeconfigIn(made)));
  assert.equal((await world.fetched('mine')).status, 200);

  // Nobody gets to it meanwhile: it is expired all the same.
  const fault = world.landscape.faults.add({
    system: 'provisioner',
    path: '^/clusters/.*/serviceaccounts/',
    action: { kind: 'answer', status: 503 },
  });
  world.advance(seconds(31));
  assert.equal(await opens(kubeconfigIn(made)), false);
  const { status, body } = await world.fetched('mine');
  assert.equal(status, 404);
  assert.match(String(body['description']), /has expired/);
  assert.equal((await world.bind('mine')).status, 409);

  world.landscape.faults.remove(fault);
  const { id } = await world.expiryOf('mine');
  await world.engine.wake(id);
  assert.equal((await world.pass(id)).state, 'succeeded');
  assert.deepEqual([await world.stored(), await world.accounts()], [[], []]);
  assert.equal((await world.unbind('mine')).status, 410);
  assert.equal((await world.pollBinding('mine')).body['state'], 'succeeded');
});

test('a runtime has so many bindings at most, however many are asked for at once; expired ones do not count', async () => {
  const bindings = { mostPerInstance: 3, waitAtMost: minutes(1) };
  await using world = await startBound('azure', { api: { bindings } });
  const all = await Promise.all(
    ['a', 'b', 'c', 'd', 'e'].map((name) => world.bind(name, {}, later)),
  );
  assert.deepEqual(
    all.map(({ status }) => status).toSorted((a, b) => a - b),
    [202, 202, 202, 400, 400],
  );
  const refused = all.find(({ status }) => status === 400);
  assert.match(String(refused?.body['description']), /has 3 bindings.*delete one/);
  for (const { status, body } of all)
    if (status === 202) await world.pass(String(body['operation']));
  const [first] = await world.stored();
  assert.equal((await world.unbind(first?.id ?? '')).status, 200);
  assert.equal((await world.bind('f')).status, 201);
  assert.equal((await world.bind('g')).status, 400);
  world.advance(minutes(11));
  assert.equal((await world.bind('g')).status, 201);
});

for (const [what, remove, plan] of [
  ['deleted', (world: ApiWorld, id: string) => world.delete(id), 'azure'],
  [
    'suspended',
    (world: ApiWorld, id: string) => world.patch(id, { context: { active: false } }),
    'trial',
  ],
] as const) {
  test(`bindings go with the runtime when the instance is ${what}, those in the making too`, async () => {
    await using world = await startBound(plan);
    const ready = await world.bind('ready');
    world.landscape.faults.add({
      system: 'provisioner',
      path: '/token$',
      action: { kind: 'answer', status: 503 },
    });
    const making = await world.bind('making', {}, later);
    await world.pass(world.operationOf(making), ({ step }) => step === 'Create_Binding');
    const removal = await remove(world, world.id);
    assert.equal(removal.status, 202);
    assert.deepEqual(await world.stored(), []);
    assert.equal((await world.fetched('ready')).status, 404);
    assert.equal((await world.unbind('ready')).status, 410);
    assert.equal((await world.bind('next')).status, 422);
    assert.equal((await world.pass(world.operationOf(making))).state, 'canceled');
    assert.equal((await world.pollBinding('making')).body['state'], 'failed');
    assert.equal((await world.pass((await world.expiryOf('ready')).id)).state, 'canceled');
    assert.deepEqual((await world.pass(world.operationOf(removal))).not_completed, []);
    await assert.rejects(opens(kubeconfigIn(ready)));
  });
}

test('operators see who has a way into a runtime, and get none themselves', async () => {
  const rights: unknown[] = [];
  await using world = await startBound('azure', {
    api: {
      async authorize({ url, headers }, right) {
        if (!url.startsWith('/runtimes')) return;
        rights.push(right);
        if (headers.authorization !== 'operator') throw new Refusal('FORBIDDEN', 'no');
      },
    },
  });
  await world.bind('first');
  await world.bind('second', { predecessor_binding_id: 'first' });
  const path = (id: string) => `/runtimes/${id}/bindings`;
  const headers = { authorization: 'operator' };
  const { status, body, text } = await world.call('GET', path(world.id), { headers });
  assert.equal(status, 200);
  assert.partialDeepStrictEqual(body, {
    data: [
      { id: 'first', state: 'ready', parameters: { expiration_seconds: 600 } },
      { id: 'second', state: 'ready', predecessorId: 'first' },
    ],
    totalCount: 2,
  });
  assert.doesNotMatch(text, /kubeconfig|token|credential/i);
  assert.equal((await world.call('GET', path(world.id))).status, 403);
  assert.equal((await world.call('GET', path('nothing'), { headers })).status, 404);
  assert.deepEqual(rights[0], { anyGroupOf: ['runtimeAdmin', 'runtimeOperator'] });
});

test('credentials are stored sealed, and stand in no operation', async () => {
  await using world = await startBound();
  const made = await world.bind('sealed');
  const [, token = 'none'] = /token: (\S+)/.exec(kubeconfigIn(made)) ?? [];
  const { rows } = await world.database.pool.query(
    `select (select json_agg(b)::text from bindings b) || (select json_agg(o)::text from operations o)
         || (select json_agg(s)::text from step_runs s) as everything`,
  );
  const text = JSON.stringify(rows);
  assert.match(text, /\$secret/);
  assert.ok(!text.includes(token));
});

test('a binding waits for what fails, is made once that is back, and loses nothing with an answer', async (t) => {
  await using world = await startBound();
  const { faults } = world.landscape;
  for (const [what, where, step] of [
    ['the provisioner', { field: 'runtimeStatus' }, 'Check_Access'],
    ['the cluster', { path: '^/clusters/.*/version' }, 'Check_Access'],
    ['its namespaces', { method: 'POST', path: '^/clusters/.*/namespaces$' }, 'Create_Binding'],
    ['its accounts', { method: 'POST', path: '^/clusters/.*/serviceaccounts$' }, 'Create_Binding'],
    ['its roles', { method: 'POST', path: '^/clusters/.*/clusterrolebindings$' }, 'Create_Binding'],
    ['its tokens', { method: 'POST', path: '^/clusters/.*/token$' }, 'Create_Binding'],
  ] as const)
    await t.test(what, async () => {
      faults.add({ system: 'provisioner', ...where, action: { kind: 'answer', status: 503 } });
      const asked = await world.bind('mine', {}, later);
      const operation = world.operationOf(asked);
      await world.pass(operation, (each) => each.step === step && each.because !== null);
      faults.remove();
      faults.add({ system: 'provisioner', count: 1, ...where, action: { kind: 'lost answer' } });
      assert.equal((await world.pass(operation)).state, 'succeeded');
      assert.ok(await opens(kubeconfigIn(await world.fetched('mine'))));
      assert.deepEqual(await world.accounts(), ['kyma-binding-mine']);

      faults.remove();
      const gone = { system: 'provisioner', method: 'DELETE', path: '^/clusters/' };
      faults.add({ ...gone, count: 2, action: { kind: 'reset' } });
      faults.add({ ...gone, count: 1, action: { kind: 'lost answer' } });
      const removal = await world.unbind('mine', '&accepts_incomplete=true');
      assert.equal((await world.pass(world.operationOf(removal))).state, 'succeeded');
      assert.deepEqual([await world.stored(), await world.accounts()], [[], []]);
    });
});

test('a cluster that stays away fails the binding, which can be deleted then', async () => {
  await using world = await startBound();
  const fault = world.landscape.faults.add({
    system: 'provisioner',
    path: '/token$',
    action: { kind: 'answer', status: 503 },
  });
  const asked = await world.bind('mine', {}, later);
  assert.equal((await world.pass(world.operationOf(asked))).error?.reason, 'time_limit');
  assert.equal((await world.pollBinding('mine')).body['state'], 'failed');
  assert.equal((await world.fetched('mine')).status, 404);
  assert.equal((await world.bind('mine')).status, 409);
  assert.equal((await world.unbind('mine')).status, 200);
  world.landscape.faults.remove(fault);
  assert.deepEqual(await world.accounts(), []);
  assert.equal((await world.bind('mine')).status, 201);
});

test('a cluster that stays away fails the removal of a binding, which is asked for again, or done when its time is over', async () => {
  await using world = await startBound();
  for (const [name, parameters] of [
    ['deleted', {}],
    ['forgotten', { expiration_seconds: 7200 }],
  ] as const)
    assert.equal((await world.bind(name, { parameters })).status, 201);
  const fault = world.landscape.faults.add({
    system: 'provisioner',
    method: 'DELETE',
    path: '^/clusters/',
    action: { kind: 'answer', status: 503 },
  });
  const asked = await world.unbind('deleted', '&accepts_incomplete=true');
  const late = await world.pass(world.operationOf(asked));
  assert.deepEqual([late.state, late.error?.reason], ['failed', 'time_limit']);
  assert.equal((await world.pollBinding('deleted')).body['state'], 'failed');
  assert.equal((await world.accounts()).length, 2);

  // Its hour was over long ago when the cluster can be entered again.
  const { id } = await world.expiryOf('forgotten');
  await world.pass(id, ({ step, because }) => step === 'Revoke_Binding' && because !== null);
  assert.equal((await world.fetched('forgotten')).status, 404);
  world.landscape.faults.remove(fault);
  assert.equal((await world.pass(id)).state, 'succeeded');
  assert.equal((await world.unbind('deleted')).status, 200);
  assert.deepEqual([await world.stored(), await world.accounts()], [[], []]);
});

test('a binding is the same if every stage of its operations starts over', async () => {
  await using world = await startBound('azure', { disturb: eachStageTwice });
  const asked = await world.bind('mine', {}, later);
  assert.equal((await world.pass(world.operationOf(asked))).state, 'succeeded');
  assert.ok(await opens(kubeconfigIn(await world.fetched('mine'))));
  assert.deepEqual(await world.accounts(), ['kyma-binding-mine']);
  assert.equal((await world.pass((await world.expiryOf('mine')).id)).state, 'succeeded');
  assert.deepEqual([await world.stored(), await world.accounts()], [[], []]);
});

test('operations on bindings go on after a restart of the broker, in whichever stage they were', async () => {
  await using database = await testDatabase({ migrations: ['engine', 'audit', 'broker'] });
  await using landscape = await startLandscape();
  const api: ApiWorldOptions = { withRealSteps: true, database, landscape };
  let first = await startBound('azure', api);
  await using _last = { [Symbol.asyncDispose]: () => first[Symbol.asyncDispose]() };
  const { id } = first;

  /** The operation is held up in that step, by a fault; then the broker ends, and another one begins. */
  const restartIn = async (
    step: string,
    where: { method?: string; path: string },
    operation: string,
  ) => {
    const held = landscape.faults.add({
      system: 'provisioner',
      ...where,
      action: { kind: 'answer', status: 503 },
    });
    await first.pass(operation, (each) => each.step === step && each.because !== null);
    await restart();
    landscape.faults.remove(held);
  };
  const restart = async () => {
    const { offset } = first.clock;
    await first[Symbol.asyncDispose]();
    const next = await startApi(api);
    next.clock.advance(offset);
    first = { ...next, ...bindingsOf(next, id), id };
  };
  const passed = async (operation: string) => {
    await first.engine.wake(operation);
    assert.equal((await first.pass(operation)).state, 'succeeded');
  };

  const hold = landscape.faults.add({
    system: 'provisioner',
    path: '^/clusters/',
    action: { kind: 'answer', status: 503 },
  });
  const bind = first.operationOf(await first.bind('mine', {}, later));
  await restartIn('Check_Access', { path: '/version$' }, bind);
  landscape.faults.remove(hold);
  const token = landscape.faults.add({
    system: 'provisioner',
    path: '/token$',
    action: { kind: 'answer', status: 503 },
  });
  await first.engine.wake(bind);
  await restartIn('Create_Binding', { path: '/token$' }, bind);
  landscape.faults.remove(token);
  await passed(bind);
  assert.ok(await opens(kubeconfigIn(await first.fetched('mine'))));

  await restart(); // while it waits for its expiry
  assert.equal((await first.bind('other')).status, 201);
  const gone = landscape.faults.add({
    system: 'provisioner',
    method: 'DELETE',
    path: '^/clusters/',
    action: { kind: 'answer', status: 503 },
  });
  const unbind = first.operationOf(await first.unbind('other', '&accepts_incomplete=true'));
  await restartIn('Revoke_Binding', { method: 'DELETE', path: '^/clusters/' }, unbind);
  landscape.faults.remove(gone);
  await passed(unbind);

  const expiry = (await first.expiryOf('mine')).id;
  first.advance(minutes(11));
  await passed(expiry);
  assert.deepEqual([await first.stored(), await first.accounts()], [[], []]);
});
