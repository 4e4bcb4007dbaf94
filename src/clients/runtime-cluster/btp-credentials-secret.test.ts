import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BtpCredentials, differingKeys } from './btp-credentials.ts';
import { credentials, named, signal, startRuntimes } from './testing.ts';

const secrets = '/api/v1/namespaces/kyma-system/secrets';
const secret = `${secrets}/sap-btp-manager`;
const broker = 'kcp-kyma-environment-broker';
const decoded = (data: unknown) =>
  Object.fromEntries(
    Object.entries(data as Record<string, string>).map(([key, value]) => [
      key,
      Buffer.from(value, 'base64').toString(),
    ]),
  );

test('the Secret is created with its namespace, five keys, labels and a warning', async () => {
  await using runtimes = await startRuntimes();
  const { cluster, get, requests } = await runtimes.newCluster();
  assert.equal(await cluster.btpCredentials.get(signal), undefined);
  const earlier = requests().length;
  assert.equal(await cluster.btpCredentials.ensure(credentials, signal), 'created');
  assert.deepEqual(requests().slice(earlier), [
    `GET ${secret}`,
    'POST /api/v1/namespaces',
    `POST ${secrets}`,
  ]);
  const { metadata, type, data } = (await get(secret)) ?? assert.fail('it is not there');
  assert.equal(type, 'Opaque');
  assert.deepEqual(metadata['labels'], {
    'app.kubernetes.io/managed-by': broker,
    'app.kubernetes.io/watched-by': broker,
  });
  assert.deepEqual(metadata['annotations'], {
    Warning: 'This secret is generated. Do not edit!',
  });
  assert.deepEqual(decoded(data), credentials.reveal());
});

test('what was written is read back, and a repetition changes nothing', async () => {
  await using runtimes = await startRuntimes();
  const { cluster, get } = await runtimes.newCluster();
  await cluster.btpCredentials.ensure(credentials, signal);
  const found = await cluster.btpCredentials.get(signal);
  assert.deepEqual(differingKeys(credentials, found), []);
  const before = await get(secret);
  assert.equal(await cluster.btpCredentials.ensure(credentials, signal), 'overwritten');
  assert.deepEqual(await get(secret), before);
});

test('a Secret of somebody else is overwritten: data, labels and annotations, but not its type', async () => {
  await using runtimes = await startRuntimes();
  const { cluster, create, get, requests } = await runtimes.newCluster();
  await create('/api/v1/namespaces', named('kyma-system'));
  await create(secrets, {
    metadata: {
      name: 'sap-btp-manager',
      labels: { team: 'a' },
      annotations: { note: 'mine' },
      finalizers: ['example.com/hold'],
    },
    type: 'example.com/mine',
    stringData: { clientid: 'client-1', clientsecret: 'theirs', extra: 'x' },
  });
  const found = await cluster.btpCredentials.get(signal);
  assert.deepEqual(differingKeys(credentials, found), [
    'clientsecret',
    'sm_url',
    'tokenurl',
    'cluster_id',
  ]);
  const earlier = requests().length;
  assert.equal(await cluster.btpCredentials.ensure(credentials, signal), 'overwritten');
  assert.deepEqual(requests().slice(earlier), [`GET ${secret}`, `PUT ${secret}`]);
  const { metadata, type, data } = (await get(secret)) ?? assert.fail('it is not there');
  assert.equal(type, 'example.com/mine');
  assert.deepEqual(Object.keys(metadata['annotations'] ?? {}), ['Warning']);
  assert.deepEqual(Object.values(metadata['labels'] ?? {}), [broker, broker]);
  assert.deepEqual(metadata['finalizers'], ['example.com/hold']);
  assert.deepEqual(decoded(data), credentials.reveal());
});

test('of two who create it at once, the second overwrites', async () => {
  await using runtimes = await startRuntimes();
  const { cluster, fault } = await runtimes.newCluster();
  await cluster.btpCredentials.ensure(credentials, signal);
  const status = { kind: 'Status', reason: 'NotFound', code: 404 };
  fault({
    request: `GET ${secret}`,
    count: 1,
    action: { kind: 'answer', status: 404, body: JSON.stringify(status) },
  });
  const others = new BtpCredentials({ ...credentials.reveal(), clientid: 'client-2' });
  assert.equal(await cluster.btpCredentials.ensure(others, signal), 'overwritten');
  assert.deepEqual(differingKeys(others, await cluster.btpCredentials.get(signal)), []);
});

test('a Secret that changes or goes between reading and writing is tried again later', async () => {
  await using runtimes = await startRuntimes();
  const { cluster, fault, failsWith } = await runtimes.newCluster();
  await cluster.btpCredentials.ensure(credentials, signal);
  for (const [status, reason] of [
    [409, 'Conflict'],
    [404, 'NotFound'],
  ] as const) {
    const body = JSON.stringify({ kind: 'Status', reason, code: status });
    fault({ request: `PUT ${secret}`, count: 1, action: { kind: 'answer', status, body } });
    await assert.rejects(
      cluster.btpCredentials.ensure(credentials, signal),
      failsWith({ temporary: true, reason: 'Conflict' }),
    );
  }
});

test('credentials with empty keys are refused by name, before anything is asked', async () => {
  await using runtimes = await startRuntimes();
  const { cluster, requests, failsWith } = await runtimes.newCluster();
  const incomplete = new BtpCredentials({ ...credentials.reveal(), sm_url: '', clientid: '' });
  const refused = failsWith({
    temporary: false,
    reason: 'invalid_credentials',
    message: 'runtime-cluster: cannot write the BTP credentials: empty: clientid, sm_url',
  });
  await assert.rejects(cluster.btpCredentials.ensure(incomplete, signal), refused);
  assert.deepEqual(requests(), []);
});

test('a Secret of the wrong shape is named by its field', async () => {
  await using runtimes = await startRuntimes();
  const { cluster, fault, failsWith } = await runtimes.newCluster();
  const body = JSON.stringify({
    metadata: { resourceVersion: '1' },
    data: { clientsecret: 'canary-of-btp' },
  });
  fault({ action: { kind: 'answer', status: 200, body } });
  await assert.rejects(cluster.btpCredentials.get(signal), (error: Error) => {
    assert.match(error.message, /data\.clientsecret/);
    return failsWith({ temporary: true, reason: 'wrong_answer' })(error);
  });
});
