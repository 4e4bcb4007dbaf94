import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { parse } from 'yaml';
import { Kubeconfig } from '#clients';
import { kubeconfigText, smallestOrder } from '../plans/testing.ts';
import { loginKubeconfig } from './login-kubeconfig.ts';
import { orderOf, planIds, startApi } from './testing.ts';

const allowed = 'https://dashboard.example.com';
const world = await startApi({ api: { kubeconfigOrigins: [allowed] } });
after(() => world[Symbol.asyncDispose]());

const asked = (id: string, headers = {}) =>
  world.call('GET', `/kubeconfig/${id}`, { headers: { 'x-broker-api-version': null, ...headers } });

test('the kubeconfig leads to the cluster by a login, and holds no secret of the admin', () => {
  const admin = new Kubeconfig(
    kubeconfigText({ cluster: { 'certificate-authority-data': 'Y2E=' } }),
  );
  const text = loginKubeconfig(admin, { issuerURL: 'https://idp.example.com', clientID: 'me' });
  assert.doesNotMatch(text, /canary/);
  const config = parse(text) as Record<string, unknown>;
  assert.partialDeepStrictEqual(config, {
    'current-context': 'mine',
    clusters: [
      {
        name: 'mine',
        cluster: { server: 'https://api.example.test', 'certificate-authority-data': 'Y2E=' },
      },
    ],
    contexts: [{ name: 'mine', context: { cluster: 'mine', user: 'mine' } }],
    users: [
      {
        name: 'mine',
        user: {
          exec: {
            apiVersion: 'client.authentication.k8s.io/v1beta1',
            command: 'kubectl-oidc_login',
            args: [
              'get-token',
              '--oidc-issuer-url=https://idp.example.com',
              '--oidc-client-id=me',
              '--oidc-extra-scope=email',
              '--oidc-extra-scope=openid',
            ],
          },
        },
      },
    ],
  });
});

test('what is no kubeconfig is told without a word of it', () => {
  for (const text of ['{canary', 'canary: [', '- canary'])
    assert.throws(
      () => loginKubeconfig(new Kubeconfig(text), { issuerURL: 'i', clientID: 'c' }),
      (error) => error instanceof Error && !/canary/.test(String(error)),
    );
});

test('where there is no cluster of ours there is no kubeconfig', async () => {
  const own = orderOf({
    plan_id: planIds.own_cluster,
    parameters: smallestOrder('own_cluster'),
  });
  for (const [id, why] of [
    ['', /instanceID is required/],
    ['nothing', /not found/],
    [(await world.instanceIn('provisioning')).id, /provisioning/],
    [(await world.instanceIn('failed')).id, /provision failed/],
    [(await world.instanceIn('ready')).id, /has no cluster/],
    [(await world.instanceIn('ready', own)).id, /customer's own/],
  ] as const) {
    const { status, body } = await asked(id);
    assert.equal(status, 404, id);
    assert.match(String(body['Error']), why);
  }
});

test('a provisioner that does not know the runtime is our problem, and is told as such', async () => {
  const { id } = await world.instanceIn('ready');
  await world.services.instances.setRuntime(world.database.pool, id, crypto.randomUUID());
  const { status, body } = await asked(id);
  assert.equal(status, 500);
  assert.match(String(body['Error']), /^cannot fetch SKR kubeconfig: /);
});

test('pages of allowed origins may read it', async () => {
  const headerFor = async (origin: string) =>
    (await asked('nothing', { origin })).headers.get('access-control-allow-origin');
  assert.equal(await headerFor(allowed), allowed);
  assert.equal(await headerFor('https://elsewhere.example.com'), null);
  await using open = await startApi();
  const answer = await open.call('GET', '/kubeconfig/nothing', {
    headers: { origin: 'https://elsewhere.example.com' },
  });
  assert.equal(answer.headers.get('access-control-allow-origin'), '*');
});

test('health, readiness and metrics need neither version nor right', async () => {
  await world.instanceIn('provisioning');
  const get = (path: string) =>
    world.call('GET', path, { headers: { 'x-broker-api-version': null } });
  assert.deepEqual([(await get('/healthz')).text, (await get('/readyz')).text], ['ok', 'ok']);
  const metrics = await get('/metrics');
  assert.match(
    metrics.text,
    /kcp_broker_open_operations\{type="provision",state="in progress"\} \d/,
  );
  assert.match(metrics.text, /process_cpu_seconds_total/);
});
