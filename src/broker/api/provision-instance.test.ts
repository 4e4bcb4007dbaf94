import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, test } from 'node:test';
import { pino } from 'pino';
import { orderOf, planIds, startApi } from './testing.ts';
import { base64, kubeconfigText, smallestOrder } from '../plans/testing.ts';

const lines: string[] = [];
const log = pino({ level: 'trace' }, { write: (line) => void lines.push(line) });
const world = await startApi({
  log,
  api: {
    euAccess: { globalAccounts: new Set(['ga-eu']), rejection: 'ask the EU team' },
  },
});
after(() => world[Symbol.asyncDispose]());

const trialOf = (account: string) =>
  orderOf({
    plan_id: planIds.trial,
    context: { globalaccount_id: account, subaccount_id: 'sa', user_id: 'u' },
  });

test('an account gets one trial, however many are ordered at once', async () => {
  const answers = await Promise.all(
    Array.from({ length: 12 }, () => world.put(randomUUID(), trialOf('ga-trial'))),
  );
  const accepted = answers.filter(({ status }) => status === 202);
  assert.equal(accepted.length, 1);
  const [refused] = answers.filter(({ status }) => status === 400);
  assert.match(
    String(refused?.body['description']),
    /only one allowed \(globalaccount_id ga-trial\)/,
  );
  assert.equal((await world.put(randomUUID(), trialOf('ga-another'))).status, 202);
});

test('the same trial again is not a second one', async () => {
  world.steering.set('provision same-trial', 'hold');
  const [one, other] = await Promise.all([
    world.put('same-trial', trialOf('ga-same')),
    world.put('same-trial', trialOf('ga-same')),
  ]);
  assert.deepEqual([one.status, other.status], [202, 202]);
});

test('an account whose trial is gone may order another, and the switch lets it order more', async () => {
  const { id } = await world.instanceIn('ready', trialOf('ga-again'));
  assert.equal((await world.put(randomUUID(), trialOf('ga-again'))).status, 400);
  await world.pass(world.operationOf(await world.delete(id)));
  assert.equal((await world.put(randomUUID(), trialOf('ga-again'))).status, 202);

  await using generous = await startApi({ api: { onlyOneTrialPerAccount: false } });
  for (const id of ['one', 'two'])
    assert.equal((await generous.put(id, trialOf('ga'))).status, 202);
});

test('a cluster that somebody brings belongs to one instance', async () => {
  const parameters = smallestOrder('own_cluster');
  const order = orderOf({ plan_id: planIds.own_cluster, parameters });
  const { id } = await world.instanceIn('ready', order);
  const { status, body } = await world.put('second', order);
  assert.equal(status, 400);
  assert.match(String(body['description']), /shootName is c-1a2b3c4: another instance has it/);
  await world.pass(world.operationOf(await world.delete(id)));
  assert.equal((await world.put('second', order)).status, 202);
});

test('where data must stay in the EU, only accounts that are named may order', async () => {
  for (const [prefix, account, status] of [
    ['/oauth/cf-eu11', 'ga-1', 400],
    ['/oauth/cf-ch20', 'ga-1', 400],
    ['/oauth/cf-eu11', 'ga-eu', 202],
    ['/oauth/cf-eu10', 'ga-1', 202],
  ] as const) {
    const context = { globalaccount_id: account, subaccount_id: 'sa', user_id: 'u' };
    const answer = await world.put(`eu ${prefix} ${account}`, orderOf({ context }), { prefix });
    assert.equal(answer.status, status, `${prefix} ${account}`);
    if (status === 400) assert.equal(answer.body['description'], 'ask the EU team');
  }
});

test('the path says where the platform is; without it the default region counts', async () => {
  for (const [prefix, region, provider] of [
    ['', 'cf-eu10', 'unknown'],
    ['/oauth', 'cf-eu10', 'unknown'],
    ['/oauth/cf-eu20', 'cf-eu20', 'Azure'],
    ['/oauth/cf-us10', 'cf-us10', 'AWS'],
  ] as const) {
    const id = `from ${prefix}`;
    assert.equal((await world.put(id, orderOf(), { prefix })).status, 202);
    assert.deepEqual((await world.instance(id))?.platform, { region, provider });
  }
  const strange = await world.put('strange', orderOf(), { prefix: '/oauth/cf%20eu' });
  assert.equal(strange.status, 400);
  assert.match(String(strange.body['description']), /region is "cf eu"/);
});

test('nothing hostile gets further than a refusal', async () => {
  const deep = '['.repeat(100_000) + ']'.repeat(100_000);
  for (const body of [
    `{"service_id": ${deep}}`,
    JSON.stringify(orderOf({ context: { globalaccount_id: 'a\0b', subaccount_id: 's' } })),
    JSON.stringify(orderOf({ context: { globalaccount_id: 'x'.repeat(9_000) } })),
    `{"service_id": "\\ud800"}`,
    JSON.stringify(orderOf({ parameters: { name: 'demo', administrators: ['\0'] } })),
    JSON.stringify(orderOf({ parameters: { name: 'demo', $secret: 'x' } })),
    JSON.stringify(orderOf({ context: 'text' })),
    JSON.stringify(orderOf({ context: [] })),
    '{"__proto__": {"service_id": "x"}, "constructor": null}',
  ]) {
    const answer = await world.put('hostile', body);
    assert.equal(answer.status, 400, body.slice(0, 200));
  }
  const latin = await fetch(`${world.url}/v2/service_instances/hostile?accepts_incomplete=true`, {
    method: 'PUT',
    headers: { 'x-broker-api-version': '2.17', 'content-type': 'application/json' },
    body: Buffer.from(JSON.stringify(orderOf({ organization_guid: 'ä' })), 'latin1'),
  });
  assert.equal(latin.status, 400);
  assert.equal(await world.instance('hostile'), undefined);
});

test('neither answers nor logs show a secret of an order', async () => {
  const credentials = {
    clientid: 'c',
    clientsecret: 'canary-1',
    sm_url: 'u',
    url: 'u',
    xsappname: 'x',
  };
  const context = { ...orderOf().context, sm_operator_credentials: credentials };
  const kubeconfig = base64(kubeconfigText({ user: { token: 'canary-2' } }));
  const own = { ...smallestOrder('own_cluster'), kubeconfig, shootName: 'c-secret' };
  const order = orderOf({ plan_id: planIds.own_cluster, context, parameters: own });
  const { id } = await world.instanceIn('ready', order);
  const answers = [
    await world.put(id, order),
    await world.get(id),
    await world.poll(id),
    await world.put('other', { ...order, parameters: { ...own, kubeconfig: `${kubeconfig}!` } }),
    await world.put('other', JSON.stringify(order).slice(0, -1)),
    await world.put('other', orderOf({ context: { sm_operator_credentials: 'canary-3' } })),
  ];
  assert.deepEqual(
    answers.map(({ status }) => status),
    [200, 200, 200, 400, 400, 400],
  );
  const told = answers.map(({ text }) => text).join() + lines.join();
  assert.doesNotMatch(told, /canary/);
  assert.ok(!told.includes(kubeconfig));
});
