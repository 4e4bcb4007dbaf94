import assert from 'node:assert/strict';
import { test } from 'node:test';
import { configuration, signal, startRuntimes } from './testing.ts';

const secrets = '/api/v1/namespaces/kyma-system/secrets';
const secret = `${secrets}/compass-agent-configuration`;
const inBase64 = (text: string) => Buffer.from(text).toString('base64');

test('the agent gets its configuration in a Secret of kyma-system', async () => {
  await using runtimes = await startRuntimes();
  const { cluster, get, requests } = await runtimes.newCluster();
  await cluster.ensureAgentConfiguration(configuration, signal);
  assert.deepEqual(requests(), ['POST /api/v1/namespaces', `POST ${secrets}`]);
  const { data } = (await get(secret)) ?? assert.fail('it is not there');
  assert.deepEqual(data, {
    CONNECTOR_URL: inBase64('https://connector.example.com'),
    RUNTIME_ID: inBase64('runtime-1'),
    TENANT: inBase64('tenant-1'),
    TOKEN: inBase64('canary-of-agent'),
  });
});

test('a later configuration takes the place of the earlier one', async () => {
  await using runtimes = await startRuntimes();
  const { cluster, get, requests } = await runtimes.newCluster();
  await cluster.ensureAgentConfiguration({ ...configuration, token: 'used' }, signal);
  const earlier = requests().length;
  await cluster.ensureAgentConfiguration(configuration, signal);
  assert.deepEqual(requests().slice(earlier), [
    'POST /api/v1/namespaces',
    `POST ${secrets}`,
    `GET ${secret}`,
    `PUT ${secret}`,
  ]);
  const { data } = (await get(secret)) ?? assert.fail('it is not there');
  assert.partialDeepStrictEqual(data, { TOKEN: inBase64('canary-of-agent') });
});

test('a Secret that goes while it is overwritten is tried again later', async () => {
  await using runtimes = await startRuntimes();
  const { cluster, fault, failsWith } = await runtimes.newCluster();
  await cluster.ensureAgentConfiguration(configuration, signal);
  const body = JSON.stringify({ kind: 'Status', reason: 'NotFound', code: 404 });
  fault({ request: `GET ${secret}`, count: 1, action: { kind: 'answer', status: 404, body } });
  await assert.rejects(
    cluster.ensureAgentConfiguration(configuration, signal),
    failsWith({ temporary: true, reason: 'Conflict' }),
  );
});
