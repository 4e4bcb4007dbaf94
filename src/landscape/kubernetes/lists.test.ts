import assert from 'node:assert/strict';
import { test } from 'node:test';
import { kinds, startKubernetes, type KubernetesObject } from './testing.ts';

const bindings = '/apis/core.gardener.cloud/v1beta1/namespaces/garden-demo/secretbindings';
type List = { items: KubernetesObject[]; metadata: { resourceVersion: string; continue?: string } };

async function startWithPool() {
  const kubernetes = await startKubernetes({ namespaces: ['garden-demo', 'other'] });
  const pool: Record<string, Record<string, string>> = {
    'az-1': { hyperscalerType: 'azure' },
    'az-2': { hyperscalerType: 'azure', tenantName: 'ga-1' },
    'az-3': { hyperscalerType: 'azure', tenantName: 'ga-1', dirty: 'true' },
    'az-4': { hyperscalerType: 'azure', shared: 'true' },
    'gcp-1': { hyperscalerType: 'gcp', euAccess: 'true' },
  };
  for (const [name, labels] of Object.entries(pool)) {
    kubernetes.api.create(kinds.secretBinding, {
      metadata: { namespace: 'garden-demo', name, labels },
    });
  }
  kubernetes.api.create(kinds.secretBinding, { metadata: { namespace: 'other', name: 'az-9' } });
  const names = async (query: Record<string, string>, path = bindings) => {
    const answer = await kubernetes.call<List>(
      'GET',
      `${path}?${new URLSearchParams(query).toString()}`,
    );
    return answer.body.items.map(({ metadata }) => metadata.name);
  };
  return Object.assign(kubernetes, { names });
}

for (const [labelSelector, expected] of [
  ['tenantName=ga-1, hyperscalerType=azure, !dirty, !euAccess', ['az-2']],
  ['shared!=true, !tenantName, !dirty, hyperscalerType=azure, !euAccess', ['az-1']],
  ['shared=true,hyperscalerType=azure', ['az-4']],
  ['dirty', ['az-3']],
  ['hyperscalerType==gcp', ['gcp-1']],
  ['hyperscalerType in (gcp, aws),euAccess', ['gcp-1']],
  ['tenantName notin (ga-1),hyperscalerType in (azure)', ['az-1', 'az-4']],
  ['', ['az-1', 'az-2', 'az-3', 'az-4', 'gcp-1']],
] as const) {
  test(`the label selector '${labelSelector}' finds ${expected.join(' and ')}`, async () => {
    await using kubernetes = await startWithPool();
    assert.deepEqual(await kubernetes.names({ labelSelector }), expected);
  });
}

test('fields select by name and namespace, over all namespaces too', async () => {
  await using kubernetes = await startWithPool();
  const everywhere = '/apis/core.gardener.cloud/v1beta1/secretbindings';
  assert.deepEqual(await kubernetes.names({ fieldSelector: 'metadata.name=az-2' }), ['az-2']);
  assert.deepEqual(
    await kubernetes.names({ fieldSelector: 'metadata.namespace!=garden-demo' }, everywhere),
    ['az-9'],
  );
  assert.deepEqual(
    await kubernetes.names({ fieldSelector: 'status.phase=Active' }, '/api/v1/namespaces'),
    ['default', 'garden-demo', 'kube-system', 'other'],
  );
});

for (const query of [
  'labelSelector=a=b=c',
  'labelSelector=a in b',
  'fieldSelector=spec.region=a',
]) {
  test(`a list with ${query} is a bad request`, async () => {
    await using kubernetes = await startKubernetes();
    const answer = await kubernetes.call('GET', `${bindings}?${query}`);
    assert.partialDeepStrictEqual(answer, { status: 400, body: { reason: 'BadRequest' } });
  });
}

test('a list in pages gives everything once, and its first version throughout', async () => {
  await using kubernetes = await startWithPool();
  const first = await kubernetes.call<List>('GET', `${bindings}?limit=2`);
  assert.partialDeepStrictEqual(first.body.metadata, { remainingItemCount: 3 });
  kubernetes.api.delete(kinds.secretBinding, { namespace: 'garden-demo', name: 'az-1' });
  const token = first.body.metadata.continue ?? '';
  const second = await kubernetes.call<List>('GET', `${bindings}?limit=9&continue=${token}`);
  assert.deepEqual(
    [...first.body.items, ...second.body.items].map(({ metadata }) => metadata.name),
    ['az-1', 'az-2', 'az-3', 'az-4', 'gcp-1'],
  );
  assert.deepEqual(second.body.metadata, { resourceVersion: first.body.metadata.resourceVersion });
});

test('a page after too long a time has expired, and one that was never given is a bad request', async () => {
  await using kubernetes = await startWithPool();
  const { body } = await kubernetes.call<List>('GET', `${bindings}?limit=2`);
  kubernetes.api.create(kinds.secretBinding, { metadata: { namespace: 'other', name: 'b' } });
  kubernetes.api.forgetHistory();
  const late = await kubernetes.call('GET', `${bindings}?continue=${body.metadata.continue ?? ''}`);
  assert.partialDeepStrictEqual(late, { status: 410, body: { reason: 'Expired' } });
  assert.equal((await kubernetes.call('GET', `${bindings}?continue=x`)).status, 400);
});

test('items repeat their kind for custom resources alone', async () => {
  await using kubernetes = await startWithPool();
  kubernetes.api.create(kinds.kyma, { metadata: { namespace: 'default', name: 'a' } });
  const plain = await kubernetes.call<List>('GET', bindings);
  assert.equal(
    plain.body.items.some((item) => 'kind' in item || 'apiVersion' in item),
    false,
  );
  assert.partialDeepStrictEqual(plain.body, { kind: 'SecretBindingList' });
  const custom = await kubernetes.call('GET', '/apis/operator.kyma-project.io/v1beta2/kymas');
  assert.partialDeepStrictEqual(custom.body, { kind: 'KymaList', items: [{ kind: 'Kyma' }] });
});
