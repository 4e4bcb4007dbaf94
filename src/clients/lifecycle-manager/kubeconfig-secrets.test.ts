import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inspect } from 'node:util';
import { z } from 'zod';
import { lifecycleManagerFailsWith, signal, startControlPlane } from '../control-plane/testing.ts';
import { Kubeconfig } from '../provisioner/kubeconfig.ts';
import { failuresOf } from '../testing.ts';
import { kymaMetadata } from './kyma-resource.ts';
import { canary, facts, kubeconfig, place } from './testing.ts';

const { namespace } = place;
const metadata = kymaMetadata(facts);
const path = '/api/v1/namespaces/kyma-system/secrets/kubeconfig-runtime-1';
const Secret = z.object({
  metadata: z.object({
    labels: z.record(z.string(), z.string()),
    annotations: z.record(z.string(), z.string()),
  }),
  data: z.record(z.string(), z.string()),
});

test('a kubeconfig is stored under the labels of its Kyma, read back, and shows itself to nobody', async () => {
  await using controlPlane = await startControlPlane();
  const { lifecycleManager, connection } = controlPlane;
  assert.equal(await lifecycleManager.readKubeconfig(place, signal), undefined);
  await lifecycleManager.storeKubeconfig(namespace, metadata, kubeconfig, signal);
  const secret = await connection.request({
    method: 'GET',
    path,
    answer: Secret,
    what: 'look',
    signal,
  });
  assert.deepEqual(secret, {
    metadata: { labels: metadata.labels, annotations: metadata.annotations },
    data: { config: Buffer.from(kubeconfig.reveal()).toString('base64') },
  });
  const read = await lifecycleManager.readKubeconfig(place, signal);
  assert.equal(read?.reveal(), kubeconfig.reveal());
  assert.ok(!(inspect(read, { showHidden: true }) + JSON.stringify(read)).includes(canary));
});

test('storing it again replaces kubeconfig, labels and annotation', async () => {
  await using controlPlane = await startControlPlane();
  const { lifecycleManager, landscape } = controlPlane;
  await lifecycleManager.storeKubeconfig(namespace, metadata, kubeconfig, signal);
  const next = new Kubeconfig('kind: Config # the next one');
  const moved = kymaMetadata({ ...facts, region: 'eu-west-1', licenseType: undefined });
  await lifecycleManager.storeKubeconfig(namespace, moved, next, signal);
  assert.equal((await lifecycleManager.readKubeconfig(place, signal))?.reveal(), next.reveal());
  const secrets = landscape.inventory()['control-plane']?.['secrets'];
  assert.deepEqual(secrets, [
    {
      namespace,
      name: 'kubeconfig-runtime-1',
      labels: moved.labels,
      askedBy: 'kyma-control-plane',
    },
  ]);
});

test('one that is deleted while it is stored is created after all', async () => {
  await using controlPlane = await startControlPlane();
  const { lifecycleManager, landscape } = controlPlane;
  // As if somebody had deleted it between the two requests.
  landscape.faults.add({
    system: 'control-plane',
    method: 'POST',
    count: 1,
    action: {
      kind: 'answer',
      status: 409,
      body: '{"kind":"Status","reason":"AlreadyExists","code":409}',
    },
  });
  await lifecycleManager.storeKubeconfig(namespace, metadata, kubeconfig, signal);
  assert.ok(await lifecycleManager.readKubeconfig(place, signal));
});

test('a store whose answer is lost can be repeated', async () => {
  await using controlPlane = await startControlPlane();
  const { lifecycleManager, landscape } = controlPlane;
  const store = () => lifecycleManager.storeKubeconfig(namespace, metadata, kubeconfig, signal);
  landscape.faults.add({
    system: 'control-plane',
    method: 'POST',
    count: 1,
    action: { kind: 'lost answer' },
  });
  const unreachable = { temporary: true, reason: 'unreachable' };
  await assert.rejects(store(), failuresOf('lifecycle-manager', canary)(unreachable));
  await store();
  assert.equal(landscape.inventory()['control-plane']?.['secrets']?.length, 1);
});

test('deleting one that is gone is a success', async () => {
  await using controlPlane = await startControlPlane();
  const { lifecycleManager } = controlPlane;
  await lifecycleManager.deleteKubeconfig(place, signal);
  await lifecycleManager.storeKubeconfig(namespace, metadata, kubeconfig, signal);
  await lifecycleManager.deleteKubeconfig(place, signal);
  assert.equal(await lifecycleManager.readKubeconfig(place, signal), undefined);
});

for (const [status, reason, temporary] of [
  [403, 'Forbidden', false],
  [422, 'Invalid', false],
  [429, 'TooManyRequests', true],
  [500, 'InternalError', true],
] as const) {
  test(`status ${status} for a store is ${temporary ? 'temporary' : 'permanent'}, and the kubeconfig is not in the error`, async () => {
    await using controlPlane = await startControlPlane();
    // The real one, too, may repeat in its message what it was sent.
    const body = JSON.stringify({ kind: 'Status', reason, message: kubeconfig.reveal() });
    controlPlane.landscape.faults.add({
      system: 'control-plane',
      action: { kind: 'answer', status, body },
    });
    await assert.rejects(
      controlPlane.lifecycleManager.storeKubeconfig(namespace, metadata, kubeconfig, signal),
      failuresOf('lifecycle-manager', canary)({ temporary, reason, status }),
    );
  });
}

test('a namespace that does not exist is no place for a kubeconfig', async () => {
  await using controlPlane = await startControlPlane();
  await assert.rejects(
    controlPlane.lifecycleManager.storeKubeconfig('nowhere', metadata, kubeconfig, signal),
    lifecycleManagerFailsWith({ temporary: false, reason: 'NotFound', status: 404 }),
  );
});

test('a Secret without the kubeconfig names what is missing', async () => {
  await using controlPlane = await startControlPlane();
  const { connection, lifecycleManager } = controlPlane;
  const what = 'create it';
  const body = { metadata: { name: 'kubeconfig-runtime-1' }, stringData: { other: canary } };
  const all = '/api/v1/namespaces/kyma-system/secrets';
  await connection.request({ method: 'POST', path: all, body, what, signal });
  await assert.rejects(lifecycleManager.readKubeconfig(place, signal), (error: Error) => {
    assert.match(error.message, /data\.config/);
    return failuresOf('lifecycle-manager', canary)({ reason: 'wrong_answer' })(error);
  });
});
