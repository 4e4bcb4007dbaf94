import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startKubernetes, type KubernetesObject } from './testing.ts';

const shoots = '/apis/core.gardener.cloud/v1beta1/namespaces/garden-demo/shoots';
const secrets = '/api/v1/namespaces/garden-demo/secrets';
const kymas = '/apis/operator.kyma-project.io/v1beta2/namespaces/default/kymas';

const shoot = (name: string, more: object = {}) => ({
  apiVersion: 'core.gardener.cloud/v1beta1',
  kind: 'Shoot',
  metadata: { name },
  spec: { region: 'westeurope' },
  ...more,
});
const secret = (name: string, more: object = {}) => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name },
  ...more,
});

test('a created object gets its identity, and is read back as it was answered', async () => {
  await using kubernetes = await startKubernetes();
  const { status, body } = await kubernetes.call<KubernetesObject>('POST', shoots, shoot('a'));
  assert.equal(status, 201);
  const { metadata } = body;
  assert.equal(metadata.namespace, 'garden-demo');
  assert.equal(metadata.generation, 1);
  assert.match(metadata.uid, /^[0-9a-f-]{36}$/);
  assert.match(metadata.creationTimestamp, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
  assert.deepEqual((await kubernetes.call('GET', `${shoots}/a`)).body, body);
});

test('a name can be left to the server, from its beginning', async () => {
  await using kubernetes = await startKubernetes();
  const wish = { ...secret(''), metadata: { generateName: 'token-' } };
  const { body } = await kubernetes.call<KubernetesObject>('POST', secrets, wish);
  assert.match(body.metadata.name, /^token-[a-z0-9]{5}$/);
});

test('what exists cannot be created again, and what does not exist is not found', async () => {
  await using kubernetes = await startKubernetes();
  await kubernetes.call('POST', shoots, shoot('a'));
  assert.deepEqual(await kubernetes.call('POST', shoots, shoot('a')), {
    status: 409,
    body: {
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Failure',
      message: 'shoots.core.gardener.cloud "a" already exists',
      reason: 'AlreadyExists',
      details: { name: 'a', group: 'core.gardener.cloud', kind: 'shoots' },
      code: 409,
    },
  });
  for (const [method, body] of [
    ['GET', undefined],
    ['PUT', secret('b')],
    ['DELETE', undefined],
  ] as const) {
    assert.partialDeepStrictEqual(await kubernetes.call(method, `${secrets}/b`, body), {
      status: 404,
      body: { reason: 'NotFound', message: 'secrets "b" not found', details: { kind: 'secrets' } },
    });
  }
});

test('a kind that is not served is a page that is not found, unlike an object', async () => {
  await using kubernetes = await startKubernetes();
  for (const path of [
    '/apis/example.com/v1/things',
    '/apis/core.gardener.cloud/v1beta1/things',
    '/apis/core.gardener.cloud/v9/shoots',
    '/api/v1/namespaces/default/namespaces',
    `${secrets}/a/status`,
  ]) {
    const answer = await kubernetes.call<string>('GET', path);
    assert.deepEqual(answer, { status: 404, body: '404 page not found\n' }, path);
  }
});

test('nothing is created in a namespace that does not exist', async () => {
  await using kubernetes = await startKubernetes();
  const elsewhere = secrets.replace('garden-demo', 'nowhere');
  assert.partialDeepStrictEqual(await kubernetes.call('POST', elsewhere, secret('a')), {
    status: 404,
    body: { message: 'namespaces "nowhere" not found' },
  });
  assert.equal((await kubernetes.call('POST', '/api/v1/secrets', secret('a'))).status, 405);
});

test('a body without its kind is taken for core kinds, and refused for custom ones', async () => {
  await using kubernetes = await startKubernetes();
  const body = { metadata: { name: 'a' } };
  const created = await kubernetes.call('POST', secrets, body);
  assert.partialDeepStrictEqual(created, {
    status: 201,
    body: { apiVersion: 'v1', kind: 'Secret' },
  });
  assert.equal((await kubernetes.call('POST', kymas, body)).status, 400);
});

for (const [what, body, status, reason] of [
  ['no name', secret(''), 422, 'Invalid'],
  ['a name with capitals', secret('Upper'), 422, 'Invalid'],
  ['another kind', shoot('a'), 400, 'BadRequest'],
  ['another namespace', secret('', { metadata: { name: 'a', namespace: 'b' } }), 400, 'BadRequest'],
  [
    'a label with spaces',
    secret('', { metadata: { name: 'a', labels: { b: 'c d' } } }),
    422,
    'Invalid',
  ],
  [
    'a label that is a number',
    secret('', { metadata: { name: 'a', labels: { b: 1 } } }),
    422,
    'Invalid',
  ],
  [
    'a version',
    secret('', { metadata: { name: 'a', resourceVersion: '1' } }),
    500,
    'InternalError',
  ],
  ['a list', [], 400, 'BadRequest'],
  ['no JSON', '{', 400, 'BadRequest'],
] as const) {
  test(`a create with ${what} is refused: ${reason}`, async () => {
    await using kubernetes = await startKubernetes();
    const answer = await kubernetes.call('POST', secrets, body);
    assert.partialDeepStrictEqual(answer, { status, body: { kind: 'Status', reason } });
    assert.deepEqual(kubernetes.api.inventory()['secrets'], undefined);
  });
}

test('a PUT with an old version is a conflict, and changes nothing', async () => {
  await using kubernetes = await startKubernetes();
  const { body } = await kubernetes.call<KubernetesObject>('POST', shoots, shoot('a'));
  const first = await kubernetes.call('PUT', `${shoots}/a`, { ...body, spec: { region: 'b' } });
  assert.partialDeepStrictEqual(first, { status: 200, body: { metadata: { generation: 2 } } });
  const second = await kubernetes.call('PUT', `${shoots}/a`, { ...body, spec: { region: 'c' } });
  assert.partialDeepStrictEqual(second, { status: 409, body: { reason: 'Conflict' } });
  assert.deepEqual((await kubernetes.call('GET', `${shoots}/a`)).body['spec'], { region: 'b' });
});

test('a PUT without a version is taken for core kinds, and refused for custom ones', async () => {
  await using kubernetes = await startKubernetes();
  await kubernetes.call('POST', secrets, secret('a'));
  const data = { b: 'Yw==' };
  assert.partialDeepStrictEqual(
    await kubernetes.call('PUT', `${secrets}/a`, secret('a', { data })),
    { status: 200, body: { data } },
  );
  const kyma = { apiVersion: 'operator.kyma-project.io/v1beta2', kind: 'Kyma' };
  await kubernetes.call('POST', kymas, { ...kyma, metadata: { name: 'a' } });
  assert.partialDeepStrictEqual(
    await kubernetes.call('PUT', `${kymas}/a`, { ...kyma, metadata: { name: 'a' } }),
    { status: 422, body: { details: { causes: [{ field: 'metadata.resourceVersion' }] } } },
  );
});

test('a PUT that changes nothing leaves the version alone', async () => {
  await using kubernetes = await startKubernetes();
  const { body } = await kubernetes.call('POST', shoots, shoot('a'));
  assert.deepEqual((await kubernetes.call('PUT', `${shoots}/a`, body)).body, body);
});

test('generations count the changes of what is wanted, not of labels', async () => {
  await using kubernetes = await startKubernetes();
  const { body } = await kubernetes.call<KubernetesObject>('POST', shoots, shoot('a'));
  const metadata = { ...body.metadata, labels: { account: 'ga-1' } };
  const labelled = await kubernetes.call('PUT', `${shoots}/a`, { ...body, metadata });
  assert.partialDeepStrictEqual(labelled.body, {
    metadata: { generation: 1, labels: { account: 'ga-1' } },
  });
});

test('status is written through its own path, and nothing else is', async () => {
  await using kubernetes = await startKubernetes();
  const status = { hibernated: true };
  const { body } = await kubernetes.call('POST', shoots, shoot('a', { status }));
  assert.equal('status' in body, false);
  const both = { ...body, status, spec: { region: 'elsewhere' } };
  const answer = await kubernetes.call<KubernetesObject>('PUT', `${shoots}/a/status`, both);
  assert.partialDeepStrictEqual(answer.body, {
    metadata: { generation: 1 },
    status,
    spec: { region: 'westeurope' },
  });
  const main = await kubernetes.call('PUT', `${shoots}/a`, {
    ...answer.body,
    status: {},
    spec: {},
  });
  assert.partialDeepStrictEqual(main.body, { metadata: { generation: 2 }, status, spec: {} });
  assert.deepEqual((await kubernetes.call('GET', `${shoots}/a/status`)).body, main.body);
});

test('a dry run answers, and does nothing', async () => {
  await using kubernetes = await startKubernetes();
  assert.equal((await kubernetes.call('POST', `${secrets}?dryRun=All`, secret('a'))).status, 201);
  assert.equal((await kubernetes.call('GET', `${secrets}/a`)).status, 404);
  await kubernetes.call('POST', secrets, secret('a'));
  await kubernetes.call('DELETE', `${secrets}/a?dryRun=All`);
  await kubernetes.call('DELETE', `${secrets}/a`, { dryRun: ['All'] });
  assert.equal((await kubernetes.call('GET', `${secrets}/a`)).status, 200);
});

test('secrets take plain text and give it back encoded, and their type stays', async () => {
  await using kubernetes = await startKubernetes();
  const wish = secret('a', { stringData: { key: 'value' } });
  const { body } = await kubernetes.call('POST', secrets, wish);
  assert.partialDeepStrictEqual(body, { type: 'Opaque', data: { key: 'dmFsdWU=' } });
  assert.equal('stringData' in body, false);
  const other = secret('a', { type: 'kubernetes.io/tls' });
  assert.equal((await kubernetes.call('PUT', `${secrets}/a`, other)).status, 422);
});

test('bodies may be YAML, and empty values in them are as good as none', async () => {
  await using kubernetes = await startKubernetes();
  const text = 'apiVersion: v1\nkind: Secret\nmetadata: {name: a, creationTimestamp: null}\n';
  const yaml = { 'content-type': 'application/yaml' };
  assert.equal((await kubernetes.call('POST', secrets, text, yaml)).status, 201);
  assert.equal((await kubernetes.call('POST', secrets, 'a: [', yaml)).status, 400);
  const protocolBuffers = { 'content-type': 'application/vnd.kubernetes.protobuf' };
  assert.partialDeepStrictEqual(await kubernetes.call('POST', secrets, 'k8s', protocolBuffers), {
    status: 415,
    body: { reason: 'UnsupportedMediaType' },
  });
});

test('the versions of a kind show the same objects', async () => {
  await using kubernetes = await startKubernetes();
  const older = { apiVersion: 'operator.kyma-project.io/v1beta1', kind: 'Kyma' };
  const path = kymas.replace('v1beta2', 'v1beta1');
  await kubernetes.call('POST', path, { ...older, metadata: { name: 'a' } });
  const newer = await kubernetes.call('GET', `${kymas}/a`);
  assert.equal(newer.body['apiVersion'], 'operator.kyma-project.io/v1beta2');
  assert.partialDeepStrictEqual((await kubernetes.call('GET', path)).body, {
    apiVersion: older.apiVersion,
    items: [older],
  });
});
