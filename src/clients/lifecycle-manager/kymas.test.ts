import assert from 'node:assert/strict';
import { test } from 'node:test';
import { z } from 'zod';
import { hours, minutes, seconds } from '#time';
import { lifecycleManagerFailsWith, signal, startControlPlane } from '../control-plane/testing.ts';
import { noSuchKind } from '../kubernetes/kubernetes-answer.ts';
import type { KubernetesConnection } from '../kubernetes/kubernetes-connection.ts';
import { kymaMetadata, kymaResource } from './kyma-resource.ts';
import { facts, kubeconfig, place, template } from './testing.ts';

const resource = kymaResource(template, facts);
const { labels, annotations } = resource.metadata;
const path = '/apis/operator.kyma-project.io/v1beta2/namespaces/kyma-system/kymas/runtime-1';
const rawKyma = (connection: KubernetesConnection) =>
  connection.request({ method: 'GET', path, answer: z.unknown(), what: 'read it', signal });

test('a Kyma is created with its labels, and ready a while after its kubeconfig is there', async () => {
  await using controlPlane = await startControlPlane();
  const { lifecycleManager, landscape } = controlPlane;
  const metadata = kymaMetadata(facts);
  assert.equal(await lifecycleManager.kymaExists(place, signal), false);
  await lifecycleManager.storeKubeconfig(place.namespace, metadata, kubeconfig, signal);
  assert.deepEqual(await lifecycleManager.applyKyma(resource, signal), {
    apiVersion: 'operator.kyma-project.io/v1beta2',
    ...place,
    labels,
    annotations,
    isBeingDeleted: false,
    state: '',
    activeChannel: '',
    conditions: [],
    modules: [],
  });
  assert.equal(await lifecycleManager.kymaExists(place, signal), true);
  landscape.time.advance(seconds(2));
  assert.equal((await lifecycleManager.getKyma(place, signal))?.state, 'Processing');
  landscape.time.advance(minutes(1));
  const message = 'all modules are ready';
  const kyma = await lifecycleManager.getKyma(place, signal);
  assert.partialDeepStrictEqual(kyma, {
    state: 'Ready',
    activeChannel: 'stable',
    conditions: [{ type: 'Modules', status: 'True', reason: 'Ready', message }],
    modules: [
      { name: 'btp-operator', channel: 'stable', version: '1.0.0', state: 'Ready', message },
      { name: 'nats', channel: 'fast', version: '1.0.0', state: 'Ready', message },
    ],
  });
});

test('without a kubeconfig a Kyma gets a warning, and goes on when the kubeconfig comes', async () => {
  await using controlPlane = await startControlPlane();
  const { lifecycleManager, landscape } = controlPlane;
  const state = async () => (await lifecycleManager.getKyma(place, signal))?.state;
  await lifecycleManager.applyKyma(resource, signal);
  landscape.time.advance(minutes(2));
  assert.equal(await state(), 'Warning');
  const metadata = kymaMetadata(facts);
  await lifecycleManager.storeKubeconfig(place.namespace, metadata, kubeconfig, signal);
  landscape.time.advance(minutes(2));
  assert.equal(await state(), 'Ready');
  await lifecycleManager.deleteKubeconfig(place, signal);
  landscape.time.advance(minutes(2));
  assert.equal(await state(), 'Warning');
});

test('of a Kyma that is there only labels and annotations change, and those of others stay', async () => {
  await using controlPlane = await startControlPlane();
  const { lifecycleManager, connection, landscape } = controlPlane;
  await lifecycleManager.applyKyma(kymaResource(template, { ...facts, licenseType: '' }), signal);
  landscape.time.advance(minutes(2)); // by now it has a finalizer, a status and another version
  await connection.request({
    method: 'PATCH',
    path,
    contentType: 'application/merge-patch+json',
    body: { metadata: { labels: { 'operator.kyma-project.io/beta': 'true' } } },
    what: 'label it',
    signal,
  });
  const other = { ...template, spec: { channel: 'fast' } };
  const applied = await lifecycleManager.applyKyma(
    kymaResource(other, { ...facts, region: 'eu-west-1', shootDomain: 'moved.example.com' }),
    signal,
  );
  assert.deepEqual(applied.labels, {
    ...labels,
    'kyma-project.io/region': 'eu-west-1',
    'operator.kyma-project.io/beta': 'true',
  });
  assert.deepEqual(applied.annotations, { 'skr-domain': 'moved.example.com' });
  assert.equal(applied.activeChannel, 'stable');
  assert.equal(applied.state, 'Warning');
});

for (const version of ['v1beta1', 'v1beta2'] as const) {
  test(`a template of ${version} is applied, found and deleted as ${version}`, async () => {
    await using controlPlane = await startControlPlane();
    const { lifecycleManager, landscape } = controlPlane;
    const apiVersion = `operator.kyma-project.io/${version}` as const;
    const ofThis = kymaResource({ ...template, apiVersion }, facts);
    await lifecycleManager.applyKyma(ofThis, signal);
    assert.equal((await lifecycleManager.applyKyma(ofThis, signal)).apiVersion, apiVersion);
    await lifecycleManager.deleteKyma({ ...place, apiVersion }, signal);
    assert.equal(await lifecycleManager.kymaExists({ ...place, apiVersion }, signal), false);
    const asked = landscape.requests.filter((request) => request.path.startsWith('/apis'));
    assert.deepEqual(
      asked.map(({ method, status }) => `${method} ${status}`),
      ['GET 404', 'POST 201', 'GET 200', 'PUT 200', 'DELETE 200', 'GET 404'],
    );
    assert.ok(asked.every((request) => request.path.startsWith(`/apis/${apiVersion}/`)));
  });
}

test('an apply whose answer is lost can be repeated', async () => {
  await using controlPlane = await startControlPlane();
  const { lifecycleManager, landscape } = controlPlane;
  landscape.faults.add({
    system: 'control-plane',
    method: 'POST',
    count: 1,
    action: { kind: 'lost answer' },
  });
  const unreachable = lifecycleManagerFailsWith({ temporary: true, reason: 'unreachable' });
  await assert.rejects(lifecycleManager.applyKyma(resource, signal), unreachable);
  await lifecycleManager.applyKyma(resource, signal);
  const kymas = landscape.inventory()['control-plane']?.['kymas.operator.kyma-project.io'];
  assert.deepEqual(kymas, [{ ...place, labels, askedBy: 'kyma-control-plane' }]);
});

test('somebody else who writes at the same time is a conflict, and temporary', async () => {
  await using controlPlane = await startControlPlane();
  const { lifecycleManager, landscape, connection } = controlPlane;
  await lifecycleManager.applyKyma(resource, signal);
  const before = await rawKyma(connection);
  landscape.time.advance(seconds(2)); // the Lifecycle Manager has written
  landscape.faults.add({
    system: 'control-plane',
    method: 'GET',
    count: 1,
    action: { kind: 'answer', status: 200, body: JSON.stringify(before) },
  });
  await assert.rejects(
    lifecycleManager.applyKyma(kymaResource(template, { ...facts, region: 'eu-west-1' }), signal),
    lifecycleManagerFailsWith({ temporary: true, reason: 'Conflict', status: 409 }),
  );
});

test('one that goes between look and update is created anew', async () => {
  await using controlPlane = await startControlPlane();
  const { lifecycleManager, landscape, connection } = controlPlane;
  await lifecycleManager.applyKyma(resource, signal);
  const before = await rawKyma(connection);
  await lifecycleManager.deleteKyma(place, signal);
  landscape.faults.add({
    system: 'control-plane',
    method: 'GET',
    count: 1,
    action: { kind: 'answer', status: 200, body: JSON.stringify(before) },
  });
  await lifecycleManager.applyKyma(resource, signal);
  assert.equal(await lifecycleManager.kymaExists(place, signal), true);
});

test('a deleted Kyma is held until its modules are removed, and deleting it again is a success', async () => {
  await using controlPlane = await startControlPlane();
  const { lifecycleManager, landscape } = controlPlane;
  await lifecycleManager.deleteKyma(place, signal);
  await lifecycleManager.applyKyma(resource, signal);
  landscape.time.advance(minutes(2));
  await lifecycleManager.deleteKyma(place, signal);
  const held = await lifecycleManager.getKyma(place, signal);
  assert.partialDeepStrictEqual(held, { isBeingDeleted: true, state: 'Deleting' });
  assert.deepEqual(
    held?.modules.map(({ state }) => state),
    ['Deleting', 'Deleting'],
  );
  await lifecycleManager.deleteKyma(place, signal);
  landscape.time.advance(minutes(1));
  assert.equal(await lifecycleManager.kymaExists(place, signal), false);
  await lifecycleManager.deleteKyma(place, signal);
});

test('a Kyma that is stuck stays for hours, and goes when it is let go', async () => {
  await using controlPlane = await startControlPlane();
  const { lifecycleManager, landscape } = controlPlane;
  await lifecycleManager.applyKyma(resource, signal);
  landscape.time.advance(minutes(2));
  await controlPlane.stage('runtime-1', { isStuck: true });
  await lifecycleManager.deleteKyma(place, signal);
  landscape.time.advance(hours(5));
  assert.equal((await lifecycleManager.getKyma(place, signal))?.state, 'Deleting');
  await controlPlane.stage('runtime-1', { isStuck: false });
  landscape.time.advance(minutes(1));
  assert.equal(await lifecycleManager.kymaExists(place, signal), false);
});

test('a state can be staged, and stays', async () => {
  await using controlPlane = await startControlPlane();
  const { lifecycleManager, landscape } = controlPlane;
  await lifecycleManager.applyKyma(resource, signal);
  await controlPlane.stage('runtime-1', { state: 'Error' });
  landscape.time.advance(hours(1));
  assert.equal((await lifecycleManager.getKyma(place, signal))?.state, 'Error');
});

test('states nobody has heard of are passed on, and what Go leaves empty is empty', async () => {
  await using controlPlane = await startControlPlane();
  const { lifecycleManager, landscape } = controlPlane;
  const metadata = { ...place, resourceVersion: '7' };
  const status = { state: 'Unmanaged', conditions: null, modules: [{ name: 'a', state: null }] };
  const { apiVersion } = template;
  landscape.faults.add({
    system: 'control-plane',
    action: { kind: 'answer', status: 200, body: JSON.stringify({ apiVersion, metadata, status }) },
  });
  assert.partialDeepStrictEqual(await lifecycleManager.getKyma(place, signal), {
    state: 'Unmanaged',
    conditions: [],
    modules: [{ name: 'a', state: '' }],
  });
});

test('in a cluster without the Lifecycle Manager the kind is unknown, which is not the same as a Kyma that is gone', async () => {
  await using controlPlane = await startControlPlane({ hasLifecycleManager: false });
  const { lifecycleManager } = controlPlane;
  const unknown = lifecycleManagerFailsWith({ temporary: false, reason: noSuchKind, status: 404 });
  await assert.rejects(lifecycleManager.applyKyma(resource, signal), unknown);
  await assert.rejects(lifecycleManager.getKyma(place, signal), unknown);
  await assert.rejects(lifecycleManager.kymaExists(place, signal), unknown);
  await assert.rejects(lifecycleManager.deleteKyma(place, signal), unknown);
});

test('a namespace that does not exist and a spec that the kind refuses are permanent', async () => {
  await using controlPlane = await startControlPlane();
  const { lifecycleManager } = controlPlane;
  const elsewhere = { ...template, metadata: { namespace: 'nowhere' } };
  await assert.rejects(
    lifecycleManager.applyKyma(kymaResource(elsewhere, facts), signal),
    lifecycleManagerFailsWith({ temporary: false, reason: 'NotFound', status: 404 }),
  );
  const wrong = { ...template, spec: { channel: 'No' } };
  await assert.rejects(
    lifecycleManager.applyKyma(kymaResource(wrong, facts), signal),
    lifecycleManagerFailsWith({ temporary: false, reason: 'Invalid', status: 422 }),
  );
});

test('a Kyma without a name or namespace is refused before all of them are deleted', async () => {
  await using controlPlane = await startControlPlane();
  const { lifecycleManager, landscape } = controlPlane;
  const asked = landscape.requests.length;
  for (const field of ['name', 'namespace']) {
    const nowhere = { ...place, [field]: '' };
    await assert.rejects(
      lifecycleManager.deleteKyma(nowhere, signal),
      new RegExp(`${field} is empty`),
    );
    await assert.rejects(
      lifecycleManager.deleteKubeconfig(nowhere, signal),
      new RegExp(`${field} is empty`),
    );
  }
  assert.equal(landscape.requests.length, asked);
});
