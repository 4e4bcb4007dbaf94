import assert from 'node:assert/strict';
import { test } from 'node:test';
import { kinds, startKubernetes } from './testing.ts';

test('groups, versions and kinds can be discovered', async () => {
  await using kubernetes = await startKubernetes();
  const { call } = kubernetes;
  assert.partialDeepStrictEqual((await call('GET', '/version')).body, { major: '1' });
  assert.partialDeepStrictEqual((await call('GET', '/api')).body, { versions: ['v1'] });
  assert.partialDeepStrictEqual((await call('GET', '/apis')).body, {
    kind: 'APIGroupList',
    groups: [{ name: 'core.gardener.cloud' }],
  });
  assert.partialDeepStrictEqual((await call('GET', '/apis/operator.kyma-project.io')).body, {
    kind: 'APIGroup',
    versions: [{ version: 'v1beta2' }, { version: 'v1beta1' }],
    preferredVersion: { version: 'v1beta2' },
  });
  assert.partialDeepStrictEqual((await call('GET', '/api/v1')).body, {
    groupVersion: 'v1',
    resources: [{ name: 'namespaces', namespaced: false, shortNames: ['ns'] }],
  });
  assert.partialDeepStrictEqual((await call('GET', '/apis/core.gardener.cloud/v1beta1')).body, {
    resources: [
      { name: 'shoots', singularName: 'shoot', namespaced: true, kind: 'Shoot' },
      { name: 'shoots/status' },
    ],
  });
  assert.deepEqual(await call('GET', '/readyz'), { status: 200, body: 'ok' });
});

test('a kind that is added later is discovered and served, and is unknown after its removal', async () => {
  await using kubernetes = await startKubernetes({ kinds: [kinds.secret] });
  const { api, call } = kubernetes;
  const version = '/apis/services.cloud.sap.com/v1';
  const status = async (path: string) => (await call('GET', path)).status;
  assert.equal(await status(version), 404);
  assert.equal(await status(`${version}/servicebindings`), 404);
  api.addKind(kinds.serviceBinding);
  api.create(kinds.serviceBinding, {
    metadata: { namespace: 'default', name: 'a', finalizers: ['b'] },
  });
  assert.equal(await status(version), 200);
  assert.partialDeepStrictEqual((await call('GET', `${version}/servicebindings`)).body, {
    items: [{ metadata: { name: 'a' } }],
  });
  api.removeKind(kinds.serviceBinding);
  assert.equal(await status(`${version}/servicebindings`), 404);
  assert.equal(api.inventory()['servicebindings.services.cloud.sap.com'], undefined);
});

test('the OpenAPI documents name every kind, and that the server checks fields', async () => {
  await using kubernetes = await startKubernetes();
  const { call } = kubernetes;
  const group = 'apis/core.gardener.cloud/v1beta1';
  const { body } = await call<{ paths: Record<string, { serverRelativeURL: string }> }>(
    'GET',
    '/openapi/v3',
  );
  const document = await call('GET', body.paths[group]?.serverRelativeURL ?? '');
  const shoots = `/${group}/namespaces/{namespace}/shoots/{name}`;
  assert.partialDeepStrictEqual(document.body, {
    paths: {
      [shoots]: {
        patch: {
          parameters: [{ name: 'dryRun' }, { name: 'fieldManager' }, { name: 'fieldValidation' }],
          'x-kubernetes-group-version-kind': { group: 'core.gardener.cloud', kind: 'Shoot' },
        },
      },
    },
  });
  assert.partialDeepStrictEqual((await call('GET', '/openapi/v2')).body, { swagger: '2.0' });
});
