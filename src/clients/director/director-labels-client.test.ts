import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inspect } from 'node:util';
import { director } from '../../landscape/director/testing.ts';
import { startLandscape, type Landscape } from '../../landscape/testing.ts';
import { directorClient } from './director-client.ts';
import { directorLabelsClient } from './director-labels-client.ts';
import { failuresOf } from '../testing.ts';

const { signal } = new AbortController();
const tenant = 'ga-1';
const canary = 'canary-secret';

const start = () => startLandscape({ systems: [director] });
const settingsOf = ({ url }: Landscape) => ({
  url: `${url}/director/graphql`,
  tokenUrl: `${url}/director/oauth2/token`,
  clientId: 'id',
  clientSecret: canary,
});
const clientOf = (landscape: Landscape) => directorLabelsClient(settingsOf(landscape));
const next = (landscape: Landscape, body: object) =>
  landscape.faults.add({
    system: 'director',
    path: 'graphql',
    count: 1,
    probability: 1,
    action: { kind: 'answer', status: 200, body: JSON.stringify(body), headers: {} },
  });

const failsWith = failuresOf('director', canary);

test('the console URL is awaited until the runtime has told it', async () => {
  await using landscape = await start();
  const provisioner = directorClient(settingsOf(landscape));
  const labels = { broker_instance_id: '1111', gardenerClusterDomain: 'c-1.example.com' };
  const id = await provisioner.registerRuntime(tenant, { name: 'demo', labels }, signal);
  const client = clientOf(landscape);
  const because = 'the runtime has not told its console URL';
  assert.deepEqual(await client.consoleUrl(tenant, id, signal), { state: 'awaited', because });
  const { token, connectorURL } = await provisioner.requestOneTimeToken(tenant, id, signal);
  await fetch(connectorURL, { method: 'POST', headers: { 'connector-token': token } }); // as its agent does
  assert.deepEqual(await client.consoleUrl(tenant, id, signal), {
    state: 'known',
    url: 'https://console.c-1.example.com',
  });
  const byInstance = { key: 'broker_instance_id', value: '1111' };
  assert.deepEqual(await client.findRuntimes(tenant, byInstance, signal), [id]);
});

test('a label is set, twice as well as once', async () => {
  await using landscape = await start();
  const provisioner = directorClient(settingsOf(landscape));
  const id = await provisioner.registerRuntime(tenant, { name: 'demo', labels: {} }, signal);
  const label = { key: 'operator_grafanaUrl', value: 'https://grafana.example.com/?a="b"' };
  for (let n = 0; n < 2; n += 1) await clientOf(landscape).setLabel(tenant, id, label, signal);
  const runtime = await provisioner.runtime(tenant, id, signal);
  assert.deepEqual(runtime?.labels, { [label.key]: label.value });
});

test('no refusal is permanent: the runtime may be registered late', async () => {
  await using landscape = await start();
  const label = { key: 'a', value: 'b' };
  await assert.rejects(
    clientOf(landscape).setLabel(tenant, 'R', label, signal),
    failsWith({ temporary: true, reason: 'NotFound' }),
  );
  await assert.rejects(
    clientOf(landscape).consoleUrl(tenant, 'R', signal),
    failsWith({ temporary: true, reason: 'err_director_nil_response' }),
  );
});

const labels = { runtime_consoleUrl: 'https://console.example.com' };
for (const [sentence, runtime, expected] of [
  ['without a status is awaited', { labels, status: null }, 'awaited'],
  [
    'in a condition that nobody knows tells its URL',
    { labels, status: { condition: 'NEW' } },
    'known',
  ],
  ['without labels is awaited', { labels: null, status: { condition: 'CONNECTED' } }, 'awaited'],
] as const) {
  test(`a runtime ${sentence}`, async () => {
    await using landscape = await start();
    next(landscape, { data: { result: { id: 'R', ...runtime } } });
    const { state } = await clientOf(landscape).consoleUrl(tenant, 'R', signal);
    assert.equal(state, expected);
  });
}

for (const [sentence, runtime, reason] of [
  ['a runtime that failed', { labels, status: { condition: 'FAILED' } }, 'runtime_failed'],
  ...[canary, 7, ['https://a.example.com'], `javascript:${canary}`].map(
    (url) =>
      [
        `the URL ${inspect(url)}`,
        { labels: { runtime_consoleUrl: url }, status: { condition: 'CONNECTED' } },
        'wrong_console_url',
      ] as const,
  ),
] as const) {
  test(`${sentence} is permanent`, async () => {
    await using landscape = await start();
    next(landscape, { data: { result: { id: 'R', ...runtime } } });
    await assert.rejects(
      clientOf(landscape).consoleUrl(tenant, 'R', signal),
      failsWith({ temporary: false, reason }),
    );
  });
}
