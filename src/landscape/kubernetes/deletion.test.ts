import assert from 'node:assert/strict';
import { test } from 'node:test';
import { kinds, startKubernetes, type KubernetesObject } from './testing.ts';

const kymas = '/apis/operator.kyma-project.io/v1beta2/namespaces/default/kymas';
const kyma = (name: string, more: object = {}) => ({
  metadata: { namespace: 'default', name, ...more },
});
const merge = { 'content-type': 'application/merge-patch+json' };

test('a deleted object is gone at once, and the answer says so', async () => {
  await using kubernetes = await startKubernetes();
  const { metadata } = kubernetes.api.create(kinds.kyma, kyma('a'));
  assert.deepEqual(await kubernetes.call('DELETE', `${kymas}/a`), {
    status: 200,
    body: {
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Success',
      details: {
        name: 'a',
        group: 'operator.kyma-project.io',
        kind: 'kymas',
        uid: metadata.uid,
      },
    },
  });
  assert.equal((await kubernetes.call('GET', `${kymas}/a`)).status, 404);
});

test('finalizers hold a deleted object until the last of them is removed', async () => {
  await using kubernetes = await startKubernetes();
  kubernetes.api.create(kinds.kyma, kyma('a', { finalizers: ['b', 'c'] }));
  const answer = await kubernetes.call<KubernetesObject>('DELETE', `${kymas}/a`);
  assert.equal(answer.status, 200);
  assert.ok(answer.body.metadata.deletionTimestamp);
  assert.equal(answer.body.metadata.generation, 2);
  assert.deepEqual((await kubernetes.call('DELETE', `${kymas}/a`)).body, answer.body);
  const less = { metadata: { finalizers: ['c'] } };
  await kubernetes.call('PATCH', `${kymas}/a`, less, merge);
  assert.equal((await kubernetes.call('GET', `${kymas}/a`)).status, 200);
  await kubernetes.call('PATCH', `${kymas}/a`, { metadata: { finalizers: null } }, merge);
  assert.equal((await kubernetes.call('GET', `${kymas}/a`)).status, 404);
});

test('a deleted object takes no new finalizers, and its deletion is not taken back', async () => {
  await using kubernetes = await startKubernetes();
  kubernetes.api.create(kinds.kyma, kyma('a', { finalizers: ['b'] }));
  const { body } = await kubernetes.call<KubernetesObject>('DELETE', `${kymas}/a`);
  const more = { metadata: { finalizers: ['b', 'c'] } };
  assert.equal((await kubernetes.call('PATCH', `${kymas}/a`, more, merge)).status, 422);
  const undo = { metadata: { deletionTimestamp: null } };
  assert.deepEqual((await kubernetes.call('PATCH', `${kymas}/a`, undo, merge)).body, body);
});

test('a delete can insist on the object that it means', async () => {
  await using kubernetes = await startKubernetes();
  const { metadata } = kubernetes.api.create(kinds.kyma, kyma('a'));
  const { uid } = metadata;
  for (const preconditions of [{ uid: 'other' }, { uid, resourceVersion: '1' }]) {
    const answer = await kubernetes.call('DELETE', `${kymas}/a`, { preconditions });
    assert.partialDeepStrictEqual(answer, { status: 409, body: { reason: 'Conflict' } });
  }
  const options = { preconditions: { uid }, propagationPolicy: 'Background' };
  assert.equal((await kubernetes.call('DELETE', `${kymas}/a`, options)).status, 200);
});

test('a collection is deleted by its labels', async () => {
  await using kubernetes = await startKubernetes();
  const path = '/apis/rbac.authorization.k8s.io/v1/clusterrolebindings';
  for (const [name, labels] of [
    ['l2-operator', { app: 'kyma' }],
    ['system:mine', {}],
  ] as const) {
    kubernetes.api.create(kinds.clusterRoleBinding, { metadata: { name, labels } });
  }
  const answer = await kubernetes.call('DELETE', `${path}?labelSelector=app=kyma`);
  assert.partialDeepStrictEqual(answer, {
    status: 200,
    body: { kind: 'ClusterRoleBindingList', items: [{ metadata: { name: 'l2-operator' } }] },
  });
  const left = kubernetes.api.list(kinds.clusterRoleBinding);
  assert.deepEqual(
    left.map(({ metadata }) => metadata.name),
    ['system:mine'],
  );
});

test('a namespace goes with what is in it, and waits for what is held', async () => {
  await using kubernetes = await startKubernetes({ namespaces: ['doomed'] });
  const { api, call } = kubernetes;
  api.create(kinds.secret, { metadata: { namespace: 'doomed', name: 'a' } });
  api.create(kinds.kyma, { metadata: { namespace: 'doomed', name: 'b', finalizers: ['c'] } });
  const answer = await call('DELETE', '/api/v1/namespaces/doomed');
  assert.partialDeepStrictEqual(answer, {
    status: 200,
    body: { status: { phase: 'Terminating' } },
  });
  assert.equal(api.get(kinds.secret, { namespace: 'doomed', name: 'a' }), undefined);
  const late = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'd' } };
  assert.partialDeepStrictEqual(await call('POST', '/api/v1/namespaces/doomed/secrets', late), {
    status: 403,
    body: { details: { causes: [{ reason: 'NamespaceTerminating' }] } },
  });
  api.patch(kinds.kyma, { namespace: 'doomed', name: 'b' }, { metadata: { finalizers: null } });
  assert.equal((await call('GET', '/api/v1/namespaces/doomed')).status, 404);
});

test('an empty namespace is gone after its deletion', async () => {
  await using kubernetes = await startKubernetes({ namespaces: ['empty'] });
  await kubernetes.call('DELETE', '/api/v1/namespaces/empty');
  assert.equal((await kubernetes.call('GET', '/api/v1/namespaces/empty')).status, 404);
});
