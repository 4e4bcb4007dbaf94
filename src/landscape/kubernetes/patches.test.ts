import assert from 'node:assert/strict';
import { test } from 'node:test';
import { kinds, startKubernetes, type KubernetesObject } from './testing.ts';

const path = '/apis/core.gardener.cloud/v1beta1/namespaces/garden-demo/shoots/a';
const start = {
  metadata: {
    namespace: 'garden-demo',
    name: 'a',
    labels: { account: 'ga-1' },
    finalizers: ['gardener'],
  },
  spec: { region: 'westeurope', purpose: 'production', zones: ['1', '2'] },
};

async function startWithShoot() {
  const kubernetes = await startKubernetes();
  kubernetes.api.create(kinds.shoot, start);
  const patch = (type: string, body: unknown, at = path) =>
    kubernetes.call<KubernetesObject>('PATCH', at, body, {
      'content-type': `application/${type}+json`,
    });
  return Object.assign(kubernetes, { patch });
}

test('a merge patch merges maps, replaces lists and removes what is null', async () => {
  await using kubernetes = await startWithShoot();
  const { status, body } = await kubernetes.patch('merge-patch', {
    metadata: { labels: { subaccount: 'sa-1' }, finalizers: ['other'] },
    spec: { purpose: null, zones: ['3'] },
  });
  assert.equal(status, 200);
  assert.deepEqual(body['spec'], { region: 'westeurope', zones: ['3'] });
  assert.partialDeepStrictEqual(body.metadata, {
    generation: 2,
    labels: { account: 'ga-1', subaccount: 'sa-1' },
    finalizers: ['other'],
  });
});

test('a strategic merge patch keeps finalizers and owners that it does not name', async () => {
  await using kubernetes = await startWithShoot();
  const owner = (uid: string) => ({ apiVersion: 'v1', kind: 'Secret', name: uid, uid });
  await kubernetes.patch('strategic-merge-patch', { metadata: { ownerReferences: [owner('1')] } });
  const { body } = await kubernetes.patch('strategic-merge-patch', {
    metadata: {
      finalizers: ['other'],
      '$setElementOrder/finalizers': ['other', 'gardener'],
      ownerReferences: [owner('2')],
    },
    spec: { zones: ['3'], purpose: null },
  });
  assert.deepEqual(body.metadata.finalizers, ['gardener', 'other']);
  assert.deepEqual(body.metadata.ownerReferences, [owner('1'), owner('2')]);
  assert.deepEqual(body['spec'], { region: 'westeurope', zones: ['3'] });
  const less = await kubernetes.patch('strategic-merge-patch', {
    metadata: {
      '$deleteFromPrimitiveList/finalizers': ['other'],
      ownerReferences: [{ $patch: 'delete', uid: '1' }],
    },
    spec: { $patch: 'replace', region: 'eastus' },
  });
  assert.deepEqual(less.body.metadata.finalizers, ['gardener']);
  assert.deepEqual(less.body.metadata.ownerReferences, [owner('2')]);
  assert.deepEqual(less.body['spec'], { region: 'eastus' });
});

test('custom resources know no strategic merge patch', async () => {
  await using kubernetes = await startWithShoot();
  kubernetes.api.create(kinds.kyma, { metadata: { namespace: 'default', name: 'a' } });
  const kyma = '/apis/operator.kyma-project.io/v1beta2/namespaces/default/kymas/a';
  const answer = await kubernetes.patch('strategic-merge-patch', { spec: {} }, kyma);
  assert.equal(answer.status, 415);
});

test('a JSON patch does its operations in order', async () => {
  await using kubernetes = await startWithShoot();
  const { status, body } = await kubernetes.patch('json-patch', [
    { op: 'test', path: '/spec/region', value: 'westeurope' },
    { op: 'add', path: '/spec/zones/-', value: '3' },
    { op: 'add', path: '/spec/zones/0', value: '0' },
    { op: 'remove', path: '/spec/zones/1' },
    { op: 'replace', path: '/spec/region', value: 'eastus' },
    { op: 'move', from: '/spec/purpose', path: '/spec/formerPurpose' },
    { op: 'copy', from: '/spec/zones/0', path: '/spec/firstZone' },
    { op: 'add', path: '/metadata/annotations', value: {} },
    { op: 'add', path: '/metadata/annotations/a.b~1c', value: 'd' },
  ]);
  assert.equal(status, 200);
  assert.deepEqual(body['spec'], {
    region: 'eastus',
    zones: ['0', '2', '3'],
    formerPurpose: 'production',
    firstZone: '0',
  });
  assert.deepEqual(body.metadata.annotations, { 'a.b/c': 'd' });
});

for (const [what, operation, status] of [
  ['a test that fails', { op: 'test', path: '/spec/region', value: 'x' }, 422],
  ['a path that is not there', { op: 'remove', path: '/spec/none' }, 422],
  ['a parent that is not there', { op: 'add', path: '/none/none', value: 1 }, 422],
  ['an index beyond the list', { op: 'replace', path: '/spec/zones/2', value: 1 }, 422],
  ['an unknown operation', { op: 'turn', path: '/spec' }, 400],
  ['another name for the object', { op: 'replace', path: '/metadata/name', value: 'b' }, 400],
] as const) {
  test(`a JSON patch with ${what} does nothing at all`, async () => {
    await using kubernetes = await startWithShoot();
    const first = { op: 'add', path: '/spec/purpose', value: 'changed' };
    assert.equal((await kubernetes.patch('json-patch', [first, operation])).status, status);
    assert.partialDeepStrictEqual((await kubernetes.call('GET', path)).body, start);
  });
}

test('a patch that names a version is a conflict when it is not the present one', async () => {
  await using kubernetes = await startWithShoot();
  const answer = await kubernetes.patch('merge-patch', { metadata: { resourceVersion: '1' } });
  assert.partialDeepStrictEqual(answer, { status: 409, body: { reason: 'Conflict' } });
});

test('a patch of the status changes the status alone', async () => {
  await using kubernetes = await startWithShoot();
  const change = { status: { hibernated: true }, spec: { region: 'x' } };
  const { body } = await kubernetes.patch('merge-patch', change, `${path}/status`);
  assert.partialDeepStrictEqual(body, { status: { hibernated: true }, spec: start.spec });
  const main = await kubernetes.patch('merge-patch', { status: { hibernated: false } });
  assert.deepEqual(main.body, body);
});

test('a patch of an unknown type is refused with those that are known', async () => {
  await using kubernetes = await startWithShoot();
  const { status, body } = await kubernetes.call('PATCH', path, {});
  assert.equal(status, 415);
  assert.match(String(body['message']), /application\/merge-patch\+json/);
});
