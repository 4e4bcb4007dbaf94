import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { orderOf, planIds, startApi } from '../../src/broker/api/testing.ts';
import { base64, kubeconfigText, smallestOrder } from '../../src/broker/plans/testing.ts';

const world = await startApi({ api: { maintenance: { version: '2.18.0' } } });
after(() => world[Symbol.asyncDispose]());

const credentials = {
  clientid: 'sm-client',
  clientsecret: 'canary-secret',
  sm_url: 'https://sm.example.test',
  url: 'https://auth.example.test',
  xsappname: 'app',
};
const ownCluster = (changes: object = {}) =>
  orderOf({
    plan_id: planIds.own_cluster,
    parameters: { ...smallestOrder('own_cluster'), ...changes },
  });

test('a provision stores an instance and begins its operation [PROV-01, PROV-18, ASY-03, ASY-13]', async () => {
  const { status, body } = await world.put('first');
  assert.equal(status, 202);
  const operation = await world.engine.get(world.operationOf({ body } as never));
  assert.deepEqual([operation?.type, operation?.subject], ['provision', 'first']);
  assert.equal((await world.instance('first'))?.planName, 'azure');
});

test('nothing is created at once: 201 is never given [PROV-17]', async () => {
  for (const name of ['azure', 'trial', 'own_cluster'] as const) {
    const parameters = {
      ...smallestOrder(name),
      ...(name === 'own_cluster' && { shootName: 'c-2' }),
    };
    const answer = await world.put(
      `never-201-${name}`,
      orderOf({ plan_id: planIds[name], parameters }),
    );
    assert.equal(answer.status, 202, name);
  }
});

test('a dashboard that knows the instance comes with the first answer [PROV-24, PROV-25, PROV-26]', async () => {
  const { body } = await world.put('with/dashboard');
  assert.equal(
    body['dashboard_url'],
    'https://dashboard.example.com/?kubeconfigID=with%2Fdashboard',
  );
  assert.deepEqual(body['metadata'], { labels: { Name: 'demo' } });
});

test('without accepts_incomplete=true nothing begins [PROV-04, PROV-05, ASY-09, ASY-10, ASY-11]', async () => {
  for (const query of ['', '?accepts_incomplete=false']) {
    const { status, body } = await world.put('at-once', orderOf(), {}, query);
    assert.deepEqual([status, body['error']], [422, 'AsyncRequired']);
  }
  const { status, body } = await world.put('at-once', orderOf(), {}, '?accepts_incomplete=yes');
  assert.equal(status, 400);
  assert.match(String(body['description']), /accepts_incomplete is "yes": allowed are true, false/);
  assert.equal(await world.instance('at-once'), undefined);
});

test('what is mandatory must be there, as a text that is not empty [PROV-07, PROV-08, PROV-09, PROV-10]', async () => {
  const { context: _, ...plain } = orderOf();
  for (const field of ['service_id', 'plan_id', 'organization_guid', 'space_guid']) {
    for (const value of [undefined, null, '', 7, {}]) {
      const { status, body } = await world.put('incomplete', { ...plain, [field]: value });
      assert.equal(status, 400, `${field}: ${JSON.stringify(value)}`);
      assert.match(String(body['description']), new RegExp(field));
    }
  }
  assert.equal(await world.instance('incomplete'), undefined);
});

test('organization and space stand in for the accounts of a platform that has none [PROV-13]', async () => {
  const { context: _, ...plain } = orderOf();
  for (const context of [undefined, null, { platform: 'cloudfoundry', instance_name: 'x' }]) {
    const id = `plain-${JSON.stringify(context)}`;
    assert.equal((await world.put(id, { ...plain, context })).status, 202);
    const instance = await world.instance(id);
    assert.deepEqual([instance?.globalAccount, instance?.subaccount], ['org-1', 'space-1']);
    assert.equal(instance?.context.user_id, 'unknown@platform.invalid');
  }
});

test('a context with accounts needs no organization, and its user is written in small letters', async () => {
  const context = { globalaccount_id: 'ga-9', subaccount_id: 'sa-9', user_id: 'Some@Example.com' };
  const order = { ...orderOf({ context }), organization_guid: undefined, space_guid: undefined };
  assert.equal((await world.put('accounts', order)).status, 202);
  const instance = await world.instance('accounts');
  assert.deepEqual([instance?.globalAccount, instance?.subaccount], ['ga-9', 'sa-9']);
  assert.equal(instance?.context.user_id, 'some@example.com');
});

test('the user is the one that the platform names as originator, if its context names none', async () => {
  const { context: _, ...plain } = orderOf();
  for (const [platform, identity] of [
    ['cloudfoundry', { user_id: 'Cloud-User' }],
    ['kubernetes', { username: 'Cloud-User', uid: '1', groups: [], extra: {} }],
  ] as const) {
    const encoded = Buffer.from(JSON.stringify(identity)).toString('base64');
    const headers = { 'x-broker-api-originating-identity': `${platform} ${encoded}` };
    assert.equal((await world.put(platform, plain, { headers })).status, 202);
    assert.equal((await world.instance(platform))?.context.user_id, 'cloud-user');
  }
});

test('parameters are checked, names and values, and the refusal says what is allowed [PROV-14]', async () => {
  for (const [parameters, why] of [
    [undefined, /name is required/],
    [{}, /name is required/],
    [{ name: 'demo', region: 'atlantis' }, /region.*westeurope.*got "atlantis"/],
    [{ name: 'demo', unknown: 1 }, /unknown is not allowed \(allowed: name, /],
    [{ name: 'demo', autoScalerMin: 9, autoScalerMax: 4 }, /AutoScalerMax 4.*AutoScalerMin 9/],
    ['text', /expected an object, got string/],
  ] as const) {
    const { status, body } = await world.put('wrong', orderOf({ parameters }));
    assert.equal(status, 400);
    assert.match(String(body['description']), why);
  }
  assert.equal(await world.instance('wrong'), undefined);
});

test('the same again while it is being made gives the same operation [PROV-19, PROV-20]', async () => {
  const { id, operation } = await world.instanceIn('provisioning');
  for (const repeated of await Promise.all([world.put(id), world.put(id), world.put(id)])) {
    assert.equal(repeated.status, 202);
    assert.equal(world.operationOf(repeated), operation);
  }
  assert.equal((await world.engine.ofSubject(id)).length, 1);
});

test('the same twenty times at once makes one instance with one operation [PROV-19]', async () => {
  world.steering.set('provision race', 'hold');
  const answers = await Promise.all(Array.from({ length: 20 }, () => world.put('race')));
  assert.deepEqual([...new Set(answers.map(({ status }) => status))], [202]);
  assert.equal(new Set(answers.map(world.operationOf)).size, 1);
  assert.equal((await world.engine.ofSubject('race')).length, 1);
});

test('the same again once it is there is done already [PROV-15, ASY-02]', async () => {
  const { id } = await world.instanceIn('ready');
  const { status, body } = await world.put(id);
  assert.equal(status, 200);
  assert.deepEqual(Object.keys(body), ['dashboard_url', 'metadata']);
});

test('the order of members does not matter, nor who asks, nor names that change', async () => {
  const order = orderOf({
    parameters: { name: 'demo', region: 'westeurope', administrators: ['a', 'b'] },
  });
  const { id } = await world.instanceIn('ready', order);
  const same = {
    ...order,
    parameters: { administrators: ['a', 'b'], region: 'westeurope', name: 'demo' },
    context: { instance_name: 'renamed', ...order.context, user_id: 'another@example.com' },
  };
  assert.equal((await world.put(id, same)).status, 200);
});

test('anything else of that id is a conflict, made or in the making [PROV-23]', async () => {
  const { context } = orderOf();
  const changes = {
    plan_id: planIds.aws,
    organization_guid: 'org-2',
    space_guid: 'space-2',
    parameters: { name: 'other' },
    context: { ...context, subaccount_id: 'sa-2' },
  };
  for (const state of ['ready', 'provisioning', 'failed', 'deprovisioning'] as const) {
    const { id } = await world.instanceIn(state);
    for (const [field, value] of Object.entries(changes)) {
      const { status, body } = await world.put(id, orderOf({ [field]: value }));
      assert.equal(status, 409, `${state}, ${field}`);
      assert.ok(body['description']);
    }
    const elsewhere = await world.put(id, orderOf(), { prefix: '/oauth/cf-us10' });
    assert.equal(elsewhere.status, 409);
  }
});

test('secrets are compared too, and neither shown nor stored in the clear', async () => {
  const { context } = orderOf();
  const withCredentials = (clientsecret: string) =>
    orderOf({ context: { ...context, sm_operator_credentials: { ...credentials, clientsecret } } });
  const { id } = await world.instanceIn('ready', withCredentials('canary-secret'));
  assert.equal((await world.put(id, withCredentials('canary-secret'))).status, 200);
  assert.equal((await world.put(id, withCredentials('another'))).status, 409);
  assert.equal((await world.put(id, orderOf())).status, 409);

  const { id: own } = await world.instanceIn('ready', ownCluster());
  assert.equal((await world.put(own, ownCluster())).status, 200);
  const another = { kubeconfig: base64(kubeconfigText({ user: { token: 'another' } })) };
  assert.equal((await world.put(own, ownCluster(another))).status, 409);

  const { rows } = await world.database.pool.query('select * from instances');
  const shown = [await world.get(id), await world.get(own)].map(({ text }) => text).join();
  for (const text of [JSON.stringify(rows), shown]) assert.doesNotMatch(text, /canary/);
});

test('what has failed must be deleted first', async () => {
  const { id } = await world.instanceIn('failed');
  const { status, body } = await world.put(id);
  assert.equal(status, 409);
  assert.match(String(body['description']), /delete it first/);
  await world.pass(world.operationOf(await world.delete(id)));
  assert.equal((await world.put(id)).status, 202);
});

test('what is being removed is busy until it is gone; then its id is free [CON-02, CON-03]', async () => {
  const { id, operation } = await world.instanceIn('deprovisioning');
  const { status, body } = await world.put(id);
  assert.deepEqual([status, body['error']], [422, 'ConcurrencyError']);
  await world.release(operation, `deprovision ${id}`);
  const again = await world.put(id, orderOf({ parameters: { name: 'another' } }));
  assert.equal(again.status, 202);
  assert.equal((await world.pass(world.operationOf(again))).state, 'succeeded');
  assert.equal((await world.get(id)).status, 200);
});

test('an id is not free before its removal has ended, even if the row is gone', async () => {
  const { id, operation } = await world.instanceIn('deprovisioning');
  await world.database.pool.query('delete from instances where id = $1', [id]);
  const { status, body } = await world.put(id);
  assert.deepEqual([status, body['error']], [422, 'ConcurrencyError']);
  assert.equal(await world.instance(id), undefined);
  assert.equal(world.operationOf(await world.delete(id)), operation);
});

test("a provision of a version that is not today's is a conflict [MNT-05, MNT-06]", async () => {
  for (const version of ['2.17.0', '2.18.0+build', 'Invalid']) {
    const { status, body } = await world.put('old', orderOf({ maintenance_info: { version } }));
    assert.deepEqual([status, body['error']], [422, 'MaintenanceInfoConflict']);
  }
  const current = orderOf({ maintenance_info: { version: '2.18.0', description: 'any' } });
  assert.equal((await world.put('current', current)).status, 202);
  const none = await world.put('old', orderOf({ maintenance_info: {} }));
  assert.equal(none.status, 400);
});

test('an order that was accepted before is recognised whatever the catalog says today', async () => {
  const { id, operation } = await world.instanceIn('provisioning');
  const repeated = await world.put(id, orderOf({ maintenance_info: { version: '2.17.0' } }));
  assert.deepEqual([repeated.status, world.operationOf(repeated)], [202, operation]);
});

test('answers come at once, however long the work takes [ASY-01]', async () => {
  const before = performance.now();
  await world.instanceIn('provisioning');
  assert.ok(performance.now() - before < 10_000);
});
