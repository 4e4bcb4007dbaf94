import assert from 'node:assert/strict';
import { test } from 'node:test';
import { seconds } from '#time';
import { startLandscape } from '../landscape.ts';
import {
  caller,
  forbidden,
  kinds,
  KubernetesApi,
  openWatch,
  serveKubernetes,
  startKubernetes,
  type KubernetesObject,
} from './testing.ts';

const shoots = '/apis/core.gardener.cloud/v1beta1/namespaces/garden-demo/shoots';
const place = { namespace: 'garden-demo', name: 'a' };
const shoot = {
  apiVersion: 'core.gardener.cloud/v1beta1',
  kind: 'Shoot',
  metadata: { name: 'a' },
  spec: { region: 'westeurope' },
};
const merge = { 'content-type': 'application/merge-patch+json' };

test('admission can refuse a delete, and simulators are not asked for it', async () => {
  await using kubernetes = await startKubernetes();
  const { api, call } = kubernetes;
  const confirmation = 'confirmation.gardener.cloud/deletion';
  api.hook(kinds.shoot, {
    admit(change) {
      if (change.operation !== 'DELETE') return;
      const { name, annotations } = change.before.metadata;
      if (annotations?.[confirmation] !== 'true') throw forbidden(kinds.shoot, name, 'confirm it');
    },
  });
  await call('POST', shoots, shoot);
  assert.partialDeepStrictEqual(await call('DELETE', `${shoots}/a`), {
    status: 403,
    body: {
      reason: 'Forbidden',
      message: 'shoots.core.gardener.cloud "a" is forbidden: confirm it',
    },
  });
  assert.ok(api.get(kinds.shoot, place));
  const confirmed = { metadata: { annotations: { [confirmation]: 'true' } } };
  await call('PATCH', `${shoots}/a`, confirmed, merge);
  assert.equal((await call('DELETE', `${shoots}/a`)).status, 200);
  api.create(kinds.shoot, { metadata: place });
  assert.equal(api.delete(kinds.shoot, place), true);
});

test('admission can amend what is created and updated', async () => {
  await using kubernetes = await startKubernetes();
  kubernetes.api.hook(kinds.shoot, {
    admit(change) {
      if (change.operation === 'CREATE') change.object.metadata.finalizers = ['gardener'];
      if (change.operation === 'UPDATE') change.object['spec'] = change.before['spec'];
    },
  });
  const { body } = await kubernetes.call<KubernetesObject>('POST', shoots, shoot);
  assert.deepEqual(body.metadata.finalizers, ['gardener']);
  const change = { spec: { region: 'b' } };
  const patched = await kubernetes.call('PATCH', `${shoots}/a`, change, merge);
  assert.deepEqual(patched.body['spec'], shoot.spec);
});

test('a simulator hears of every change, and acts on it when its time has come', async () => {
  await using kubernetes = await startKubernetes();
  const { api, call, time } = kubernetes;
  const heard: string[] = [];
  api.hook(kinds.shoot, {
    onCreate({ metadata }) {
      heard.push('created');
      api.patch(kinds.shoot, metadata, {
        metadata: { finalizers: ['gardener'] },
        status: { lastOperation: { state: 'Processing' } },
      });
      time.after(seconds(600), () =>
        api.patch(kinds.shoot, metadata, { status: { lastOperation: { state: 'Succeeded' } } }),
      );
    },
    onUpdate({ metadata }, before) {
      heard.push('updated');
      if (!metadata.deletionTimestamp || before.metadata.deletionTimestamp) return;
      time.after(seconds(60), () =>
        api.patch(kinds.shoot, metadata, { metadata: { finalizers: null } }),
      );
    },
    onDelete: () => heard.push('deleted'),
  });
  const created = await call('POST', shoots, shoot);
  assert.equal('status' in created.body, false);
  const state = async () => (await call('GET', `${shoots}/a`)).body['status'];
  assert.deepEqual(await state(), { lastOperation: { state: 'Processing' } });
  time.advance(seconds(601));
  assert.deepEqual(await state(), { lastOperation: { state: 'Succeeded' } });
  await call('DELETE', `${shoots}/a`);
  assert.equal((await call('GET', `${shoots}/a`)).status, 200);
  time.advance(seconds(61));
  assert.equal((await call('GET', `${shoots}/a`)).status, 404);
  assert.deepEqual(heard, ['created', 'updated', 'updated', 'updated', 'deleted']);
});

test('a kind can have a subresource of its own', async () => {
  await using kubernetes = await startKubernetes();
  const { api, call } = kubernetes;
  api.hook(kinds.shoot, {
    subresources: {
      adminkubeconfig: ({ metadata }, body) => ({ shoot: metadata.name, request: body }),
    },
  });
  api.create(kinds.shoot, { metadata: place });
  const request = { kind: 'AdminKubeconfigRequest' };
  assert.deepEqual(await call('POST', `${shoots}/a/adminkubeconfig`, request), {
    status: 201,
    body: { shoot: 'a', request },
  });
  assert.equal((await call('GET', `${shoots}/a/adminkubeconfig`)).status, 405);
  assert.equal((await call('POST', `${shoots}/b/adminkubeconfig`, request)).status, 404);
  assert.equal((await call('POST', `${shoots}/a/other`, request)).status, 404);
});

test('where tokens are checked, only the right one is let in', async () => {
  await using kubernetes = await startKubernetes({ acceptsToken: (token) => token === 'right' });
  const status = async (path: string, authorization?: string) =>
    (await kubernetes.call('GET', path, undefined, authorization ? { authorization } : {})).status;
  assert.equal(await status('/api/v1/namespaces', 'Bearer right'), 200);
  assert.equal(await status('/api/v1/namespaces', 'Bearer wrong'), 401);
  assert.equal(await status('/api/v1/namespaces'), 401);
  assert.equal(await status('/version'), 200);
});

test('what simulators read is theirs: changing it changes nothing', async () => {
  await using kubernetes = await startKubernetes();
  const { api } = kubernetes;
  api.create(kinds.shoot, { metadata: place, spec: { region: 'a' } });
  for (const object of [api.get(kinds.shoot, place), ...api.list(kinds.shoot)]) {
    if (object) object['spec'] = {};
  }
  assert.deepEqual(api.get(kinds.shoot, place)?.['spec'], { region: 'a' });
});

test('a simulator updates everything, status included, and also meets conflicts', async () => {
  await using kubernetes = await startKubernetes();
  const { api } = kubernetes;
  const old = api.create(kinds.shoot, { metadata: place });
  const status = { hibernated: true };
  assert.deepEqual(api.update(kinds.shoot, { ...old, status })['status'], status);
  assert.throws(() => api.update(kinds.shoot, old), { name: 'StatusError', reason: 'Conflict' });
});

test('the inventory names objects and shows nothing of what is in them', async () => {
  await using kubernetes = await startKubernetes();
  const labels = { 'runtime-override': 'true' };
  kubernetes.api.create(kinds.secret, {
    metadata: { ...place, labels, annotations: { note: 'canary' } },
    stringData: { password: 'canary' },
  });
  const inventory = kubernetes.landscape.inventory()['kubernetes'];
  assert.deepEqual(inventory?.['secrets'], [{ ...place, labels }]);
  assert.doesNotMatch(JSON.stringify(inventory), /canary/);
});

test('many servers can be mounted, come and go; one that is not there does not answer', async () => {
  const runtimes = new Map<string, KubernetesApi>();
  await using landscape = await startLandscape({
    systems: [
      () => ({
        name: 'runtimes',
        serve: (app) =>
          serveKubernetes(app, '/:runtime', ({ runtime = '' }) => runtimes.get(runtime)),
        inventory: () => ({}),
      }),
    ],
  });
  const call = caller(`${landscape.url}/runtimes`);
  await assert.rejects(call('GET', '/one/version'));
  const one = new KubernetesApi({ kinds: [kinds.secret] });
  runtimes.set('one', one).set('two', new KubernetesApi({ kinds: [kinds.secret] }));
  one.create(kinds.secret, { metadata: { namespace: 'default', name: 'a' } });
  const secret = '/api/v1/namespaces/default/secrets/a';
  assert.equal((await call('GET', `/one${secret}`)).status, 200);
  assert.equal((await call('GET', `/two${secret}`)).status, 404);
  await using watch = await openWatch(`${landscape.url}/runtimes/one/api/v1/secrets?watch=1`);
  assert.equal((await watch.next()).type, 'ADDED');
  one.close();
  assert.deepEqual(await watch.rest(), []);
});
