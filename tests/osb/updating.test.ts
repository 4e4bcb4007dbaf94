import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { orderOf, planIds, serviceId, startApi } from '../../src/broker/api/testing.ts';

const world = await startApi({ api: { maintenance: { version: '2.18.0' } } });
after(() => world[Symbol.asyncDispose]());

const stored = async (id: string) => {
  const { planId, parameters, context } = (await world.instance(id)) ?? assert.fail();
  return { planId, parameters, context };
};

test('a new context alone is stored at once, with or without accepts_incomplete [UPD-17, UPD-12, UPD-14]', async () => {
  const { id } = await world.instanceIn('ready');
  const before = await stored(id);
  for (const query of ['', '?accepts_incomplete=true']) {
    const license_type = `for ${query}`;
    const answer = await world.patch(id, { context: { license_type, name: 'ignored' } }, query);
    assert.deepEqual([answer.status, answer.body], [200, {}]);
    const context = { ...before.context, license_type };
    assert.deepEqual(await stored(id), { ...before, context });
  }
});

test('who ordered an instance, and for whom, is not changed by a context', async () => {
  const { id } = await world.instanceIn('ready');
  const before = await stored(id);
  const context = { globalaccount_id: 'ga-2', subaccount_id: 'sa-2', user_id: 'x', tenant_id: 't' };
  assert.equal((await world.patch(id, { context })).status, 200);
  assert.deepEqual(await stored(id), before);
});

test('new credentials are stored sealed', async () => {
  const { id } = await world.instanceIn('ready');
  const credentials = {
    clientid: 'c',
    clientsecret: 'canary-secret',
    sm_url: 'https://sm.example.test',
    url: 'https://auth.example.test',
    xsappname: 'app',
  };
  const context = { sm_operator_credentials: credentials };
  assert.equal((await world.patch(id, { context })).status, 200);
  const { rows } = await world.database.pool.query('select context from instances');
  assert.doesNotMatch(JSON.stringify(rows), /canary/);
  const sealed = (await stored(id)).context.sm_operator_credentials;
  assert.deepEqual(JSON.parse(sealed?.reveal() ?? ''), credentials);
  const broken = await world.patch(id, {
    context: { sm_operator_credentials: { ...credentials, url: 7, clientsecret: undefined } },
  });
  assert.equal(broken.status, 400);
  assert.match(broken.text, /sm_operator_credentials\.clientsecret missing/);
  assert.doesNotMatch(broken.text, /canary/);
});

test('an update that changes nothing is done at once', async () => {
  const { id } = await world.instanceIn('ready');
  for (const body of [
    {},
    { parameters: null, context: null },
    { parameters: {}, plan_id: planIds.azure },
    { previous_values: { plan_id: planIds.aws, maintenance_info: { version: '1.0.0' } } },
  ])
    assert.deepEqual(await world.patch(id, body, '').then(({ status, text }) => [status, text]), [
      200,
      '{}',
    ]);
});

test('the service is mandatory, the one that is offered, and so is a plan that is named [UPD-09, UPD-10, UPD-11]', async () => {
  const { id } = await world.instanceIn('ready');
  for (const service_id of [undefined, null, '', 7, 'another']) {
    const { status, body } = await world.patch(id, { service_id });
    assert.equal(status, 400);
    assert.match(String(body['description']), /service_id/);
  }
  const { status, body } = await world.patch(id, { plan_id: 'another' });
  assert.equal(status, 400);
  assert.match(String(body['description']), /plan_id is "another"/);
});

test('parameters cannot change at once [UPD-06, UPD-07]', async () => {
  const { id } = await world.instanceIn('ready');
  for (const query of ['', '?accepts_incomplete=false']) {
    const { status, body } = await world.patch(id, { parameters: { autoScalerMax: 30 } }, query);
    assert.deepEqual([status, body['error']], [422, 'AsyncRequired']);
  }
});

test('parameters are checked, names and values [UPD-13]', async () => {
  const { id } = await world.instanceIn('ready');
  for (const [parameters, why] of [
    [{ region: 'westeurope' }, /region is not allowed \(allowed: machineType, /],
    [{ machineType: 'huge' }, /machineType.*got "huge"/],
    [{ autoScalerMax: 1 }, /autoScalerMax/],
    ['text', /expected an object, got string/],
  ] as const) {
    const { status, body } = await world.patch(id, { parameters });
    assert.equal(status, 400, JSON.stringify(parameters));
    assert.match(String(body['description']), why);
  }
});

test('what this broker cannot change is refused, and will be refused again [UPD-05, UPD-26, UPD-29]', async () => {
  const { id } = await world.instanceIn('ready');
  const before = await stored(id);
  for (const [body, why] of [
    [{ plan_id: planIds.aws }, /plan azure cannot change to aws \(allowed: none\)/],
    [{ parameters: { autoScalerMax: 30 } }, /changes nothing of an instance but its context/],
    [{ maintenance_info: { version: '2.18.0' } }, /changes nothing of an instance but its context/],
    [{ parameters: { autoScalerMax: 30 }, context: { license_type: 'x' } }, /nothing/],
  ] as const) {
    const answer = await world.patch(id, body);
    assert.equal(answer.status, 422);
    assert.equal(answer.body['update_repeatable'], false);
    assert.match(String(answer.body['description']), why);
  }
  assert.deepEqual(await stored(id), before);
});

test('what has failed, is in the making or on its way out cannot change [UPD-27, CON-02, CON-03]', async () => {
  for (const [state, error] of [
    ['provisioning', 'ConcurrencyError'],
    ['deprovisioning', 'ConcurrencyError'],
    ['failed', undefined],
    ['deprovision failed', undefined],
  ] as const) {
    const { id } = await world.instanceIn(state);
    const { status, body } = await world.patch(id, { context: { license_type: 'x' } });
    assert.deepEqual([status, body['error']], [422, error], state);
  }
  const { id } = await world.instanceIn('ready');
  await world.beginUpdate(id);
  const { status, body } = await world.patch(id, { context: { license_type: 'x' } });
  assert.deepEqual([status, body['error']], [422, 'ConcurrencyError']);
  assert.equal((await world.patch('nothing', {})).status, 404);
});

test("an update to a version that is not today's is a conflict [MNT-07, MNT-08]", async () => {
  const { id } = await world.instanceIn('ready');
  for (const version of ['2.17.0', 'Invalid']) {
    const { status, body } = await world.patch(id, { maintenance_info: { version } });
    assert.deepEqual([status, body['error']], [422, 'MaintenanceInfoConflict']);
  }
});

test('a suspension is more than a context: it takes an operation, and whoever asks again gets the same', async () => {
  const trial = orderOf({ plan_id: planIds.trial });
  const { id } = await world.instanceIn('ready', trial);
  assert.equal((await world.patch(id, { context: { active: true } })).status, 200);
  const context = { active: false };
  const atOnce = await world.patch(id, { context }, '');
  assert.deepEqual([atOnce.status, atOnce.body['error']], [422, 'AsyncRequired']);
  world.steering.set(`deprovision ${id}`, 'hold');
  const first = await world.patch(id, { context });
  assert.equal(first.status, 202);
  assert.deepEqual((await world.patch(id, { context })).body, first.body);
  assert.equal((await world.poll(id)).body['state'], 'in progress');
});

test('an update that takes its time is accepted with its operation, the dashboard and the labels [UPD-20, UPD-30, UPD-31, UPD-34]', async () => {
  const asked: object[] = [];
  await using updating = await startApi({
    api: {
      startUpdate({ engine }, { id }, update, db) {
        asked.push(update);
        return engine.start('update', id, {}, { onlyIfFree: true, db });
      },
    },
  });
  const { id } = await updating.instanceIn('ready');
  updating.steering.set(`update ${id}`, 'hold');
  const { status, body } = await updating.patch(id, {
    parameters: { autoScalerMax: 30 },
    context: { license_type: 'x' },
  });
  assert.equal(status, 202);
  assert.match(String(body['operation']), /^[\w-]{36}$/);
  assert.match(String(body['dashboard_url']), new RegExp(id));
  assert.deepEqual(body['metadata'], { labels: { Name: 'demo' } });
  assert.partialDeepStrictEqual(asked, [
    { parameters: { autoScalerMax: 30 }, context: { license_type: 'x' } },
  ]);
  assert.equal(
    (await updating.poll(id, `operation=${String(body['operation'])}`)).body['state'],
    'in progress',
  );
  assert.equal((await updating.put(id)).status, 200);
  const another = await updating.patch(id, { parameters: { autoScalerMax: 31 } });
  assert.deepEqual([another.status, another.body['error']], [422, 'ConcurrencyError']);
  const onlyContext = await updating.patch(id, { context: { origin: 'x' } }, '');
  assert.deepEqual([onlyContext.status, onlyContext.body['error']], [422, 'AsyncRequired']);
});

test('an update is understood whatever order it comes in, by its service alone', async () => {
  const { id } = await world.instanceIn('ready');
  const { status } = await world.call('PATCH', `/v2/service_instances/${id}`, {
    body: { service_id: serviceId },
    prefix: '/oauth/cf-us10',
  });
  assert.equal(status, 200);
});
