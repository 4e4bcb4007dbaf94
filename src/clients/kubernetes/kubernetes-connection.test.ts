import assert from 'node:assert/strict';
import { test } from 'node:test';
import { z } from 'zod';
import { seconds } from '#time';
import { failsWith, shootOf, signal, startGardener } from '../gardener/testing.ts';
import { kubernetesConnection } from './kubernetes-connection.ts';

const token = 'token-of-the-kyma-project';

for (const [status, reason, temporary] of [
  [400, 'BadRequest', false],
  [401, 'Unauthorized', false],
  [403, 'Forbidden', false],
  [408, 'Timeout', true],
  [409, 'Conflict', true],
  [410, 'Expired', true],
  [422, 'Invalid', false],
  [429, 'TooManyRequests', true],
  [500, 'InternalError', true],
  [503, 'ServiceUnavailable', true],
] as const) {
  test(`status ${status} is ${temporary ? 'temporary' : 'permanent'}, and the reason that of the API`, async () => {
    await using gardener = await startGardener();
    gardener.landscape.faults.add({
      system: 'gardener',
      action: {
        kind: 'answer',
        status,
        body: JSON.stringify({ kind: 'Status', reason, code: status, message: token }),
        headers: status === 429 ? { 'retry-after': '7' } : {},
      },
    });
    await assert.rejects(
      gardener.client.shoots.get('a', signal),
      failsWith({ temporary, reason, status, ...(status === 429 && { retryAfter: seconds(7) }) }),
    );
  });
}

test('a 404 that the API machinery did not word is not taken for a missing object', async () => {
  await using gardener = await startGardener();
  const { project } = gardener;
  const answer = z.unknown();
  const ask = (path: string) => project.find({ method: 'GET', path, answer, what: 'ask', signal });
  assert.equal(await ask(project.pathOf('shoots', 'a')), undefined);
  const noSuchKind = failsWith({
    temporary: false,
    reason: 'err_k8s_no_match_error',
    status: 404,
  });
  await assert.rejects(ask('/apis/services.cloud.sap.com/v1/serviceinstances'), noSuchKind);
});

test('an answer of the wrong shape names the field, and is waited out', async () => {
  await using gardener = await startGardener();
  const answers = [
    ['{"metadata":{"name":7}}', /metadata\.name/],
    [`<html>${token}`, /the whole/],
  ] as const;
  for (const [body, message] of answers) {
    gardener.landscape.faults.add({
      system: 'gardener',
      count: 1,
      action: { kind: 'answer', status: 200, body, headers: {} },
    });
    await assert.rejects(gardener.client.shoots.get('a', signal), (error: Error) => {
      assert.match(error.message, message);
      return failsWith({ temporary: true, reason: 'wrong_answer' })(error);
    });
  }
});

test('lists are read to their end', async () => {
  await using gardener = await startGardener({ freeAccounts: 300 });
  const all = await gardener.project.list({
    path: gardener.project.pathOf('secretbindings'),
    item: z.object({ metadata: z.object({ name: z.string() }) }),
    what: 'list',
    signal,
  });
  assert.equal(new Set(all.map(({ metadata }) => metadata.name)).size, 4 * 303);
  const asked = gardener.landscape.requests.filter(({ path }) => path.startsWith('/apis'));
  assert.equal(asked.length, 3);
});

test('a connection that breaks is temporary', async () => {
  await using gardener = await startGardener();
  gardener.landscape.faults.add({ system: 'gardener', action: { kind: 'reset' } });
  await assert.rejects(
    gardener.client.shoots.get('a', signal),
    failsWith({ temporary: true, reason: 'unreachable' }),
  );
});

test('a call ends at its timeout and at its signal', async () => {
  await using gardener = await startGardener({ settings: { timeout: 20 } });
  const { shoots } = gardener.client;
  gardener.landscape.faults.add({ system: 'gardener', action: { kind: 'delay', for: 60_000 } });
  await assert.rejects(
    shoots.get('a', signal),
    failsWith({ temporary: true, reason: 'unreachable' }),
  );
  const reason = new Error('canceled');
  await assert.rejects(shoots.get('a', AbortSignal.abort(reason)), reason);
});

test('an API server that keeps failing is left alone for a while; conflicts are no failure of it', async () => {
  await using gardener = await startGardener({ settings: { breakAfter: 3 } });
  const { client, landscape } = gardener;
  const answering = (status: number) =>
    landscape.faults.add({
      system: 'gardener',
      count: 5,
      action: { kind: 'answer', status, body: '', headers: {} },
    });
  answering(409);
  for (let n = 0; n < 5; n += 1)
    await assert.rejects(client.shoots.apply(shootOf('a'), signal), failsWith({ status: 409 }));
  answering(503);
  for (let n = 0; n < 3; n += 1)
    await assert.rejects(client.shoots.get('a', signal), failsWith({ status: 503 }));
  const asked = landscape.requests.length;
  await assert.rejects(
    client.shoots.get('a', signal),
    failsWith({ temporary: true, reason: 'left_alone' }),
  );
  assert.equal(landscape.requests.length, asked);
});

test('a kubeconfig that cannot be used is refused without being quoted', async () => {
  const inTheClear = `
current-context: a
clusters: [{ name: a, cluster: { server: 'http://127.0.0.1:1' } }]
contexts: [{ name: a, context: { cluster: a, user: a } }]
users: [{ name: a, user: { token: ${token} } }]
`;
  const user = (how: string) =>
    inTheClear.replace('http:', 'https:').replace(`token: ${token}`, how);
  const foreign = [
    user(`exec: { apiVersion: v1, command: touch, args: [${token}] }`),
    user(`auth-provider: { name: oidc, config: { id-token: ${token} } }`),
    user('tokenFile: /etc/passwd'),
    user('token-file: /etc/passwd'),
    user('client-key: /etc/passwd'),
    user('client-certificate: /etc/passwd'),
    inTheClear.replace("'http://127.0.0.1:1'", "'https://127.0.0.1:1', certificate-authority: /a"),
    inTheClear.replace("'http://127.0.0.1:1'", "'https://127.0.0.1:1', proxy-url: 'http://a'"),
  ];
  for (const kubeconfig of ['', `{ ${token}`, `users: ${token}`, inTheClear, ...foreign]) {
    const connection = kubernetesConnection('gardener', { kubeconfig });
    await assert.rejects(
      connection.request({ method: 'GET', path: '/version', what: 'ask', signal }),
      failsWith({ temporary: false, reason: 'invalid_kubeconfig' }),
    );
  }
});
