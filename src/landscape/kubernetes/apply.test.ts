import assert from 'node:assert/strict';
import { test } from 'node:test';
import { kinds, startKubernetes, type KubernetesObject } from './testing.ts';

const path = '/apis/core.gardener.cloud/v1beta1/namespaces/garden-demo/shoots/a';
const place = { namespace: 'garden-demo', name: 'a' };
const shoot = (spec: object, metadata: object = {}) => ({
  apiVersion: 'core.gardener.cloud/v1beta1',
  kind: 'Shoot',
  metadata: { ...place, ...metadata },
  spec,
});

async function startToApply() {
  const kubernetes = await startKubernetes();
  const apply = (manager: string, body: unknown, more = '', at = path) =>
    kubernetes.call<KubernetesObject>('PATCH', `${at}?fieldManager=${manager}${more}`, body, {
      'content-type': 'application/apply-patch+yaml',
    });
  return Object.assign(kubernetes, { apply });
}

test('an apply creates what is not there, from YAML too', async () => {
  await using kubernetes = await startToApply();
  const yaml = [
    'apiVersion: core.gardener.cloud/v1beta1',
    'kind: Shoot',
    'metadata: {name: a}',
    'spec: {region: westeurope}',
  ].join('\n');
  const { status, body } = await kubernetes.apply('provisioner', yaml);
  assert.equal(status, 201);
  assert.partialDeepStrictEqual(body.metadata.managedFields, [
    {
      manager: 'provisioner',
      operation: 'Apply',
      fieldsV1: { 'f:spec': { 'f:region': {} } },
    },
  ]);
});

test('an apply sets what it names, leaves what others set, and takes back what it no longer names', async () => {
  await using kubernetes = await startToApply();
  await kubernetes.apply('provisioner', shoot({ region: 'a', purpose: 'b', dns: { domain: 'c' } }));
  kubernetes.api.patch(kinds.shoot, place, { spec: { seedName: 'd', dns: { provider: 'e' } } });
  const { status, body } = await kubernetes.apply('provisioner', shoot({ region: 'f' }));
  assert.equal(status, 200);
  assert.deepEqual(body['spec'], { region: 'f', seedName: 'd', dns: { provider: 'e' } });
  assert.equal(body.metadata.generation, 3);
});

test('the same apply once more changes nothing', async () => {
  await using kubernetes = await startToApply();
  await kubernetes.apply('provisioner', shoot({ region: 'a' }));
  kubernetes.api.patch(kinds.shoot, place, { spec: { seedName: 'b' } });
  const first = await kubernetes.apply('provisioner', shoot({ region: 'a' }));
  const second = await kubernetes.apply('provisioner', shoot({ region: 'a' }));
  assert.deepEqual(second.body, first.body);
});

test('to change what another one owns is a conflict, and takes force', async () => {
  await using kubernetes = await startToApply();
  await kubernetes.apply('first', shoot({ region: 'a' }));
  const wish = shoot({ region: 'b' });
  assert.partialDeepStrictEqual(await kubernetes.apply('second', wish), {
    status: 409,
    body: {
      reason: 'Conflict',
      message:
        'Apply failed with 1 conflict: conflict with "first" using core.gardener.cloud/v1beta1: .spec.region',
      details: { causes: [{ reason: 'FieldManagerConflict', field: '.spec.region' }] },
    },
  });
  const forced = await kubernetes.apply('second', wish, '&force=true');
  assert.partialDeepStrictEqual(forced, { status: 200, body: { spec: { region: 'b' } } });
  const owners = forced.body.metadata.managedFields?.map(({ manager }) => manager);
  assert.deepEqual(owners, ['second']);
});

test('what two agree on stays when one of them gives it up', async () => {
  await using kubernetes = await startToApply();
  await kubernetes.apply('first', shoot({ region: 'a', purpose: 'b' }));
  await kubernetes.apply('second', shoot({ region: 'a' }));
  const { body } = await kubernetes.apply('first', shoot({ purpose: 'b' }));
  assert.deepEqual(body['spec'], { region: 'a', purpose: 'b' });
});

test('finalizers and annotations of others stay', async () => {
  await using kubernetes = await startToApply();
  kubernetes.api.create(
    kinds.shoot,
    shoot({}, { finalizers: ['gardener'], annotations: { a: 'b' } }),
  );
  const confirmation = { 'confirmation.gardener.cloud/deletion': 'true' };
  const { body } = await kubernetes.apply(
    'provisioner',
    shoot({}, { annotations: confirmation, finalizers: ['mine'] }),
  );
  assert.deepEqual(body.metadata.annotations, { a: 'b', ...confirmation });
  assert.deepEqual(body.metadata.finalizers, ['gardener', 'mine']);
  const { body: less } = await kubernetes.apply('provisioner', shoot({}));
  assert.deepEqual(less.metadata.annotations, { a: 'b' });
  assert.deepEqual(less.metadata.finalizers, ['gardener']);
});

test('an apply needs a field manager, and no managed fields in the object', async () => {
  await using kubernetes = await startToApply();
  assert.equal((await kubernetes.apply('', shoot({}))).status, 422);
  const { body } = await kubernetes.apply('provisioner', shoot({}));
  const answer = await kubernetes.apply('provisioner', body);
  assert.partialDeepStrictEqual(answer, {
    status: 400,
    body: { message: 'metadata.managedFields must be nil' },
  });
});

test('a whole object as it was read can be applied, if its version is still the present one', async () => {
  await using kubernetes = await startToApply();
  const { body } = await kubernetes.apply('provisioner', shoot({ region: 'a' }));
  const { managedFields: _managedFields, ...metadata } = body.metadata;
  const changed = { ...body, metadata, spec: { region: 'b' } };
  assert.equal((await kubernetes.apply('provisioner', changed, '&force=true')).status, 200);
  assert.equal((await kubernetes.apply('provisioner', changed, '&force=true')).status, 409);
});

test('an applied status is kept apart from the rest', async () => {
  await using kubernetes = await startToApply();
  await kubernetes.apply('provisioner', {
    ...shoot({ region: 'a' }),
    status: { hibernated: true },
  });
  assert.equal('status' in (kubernetes.api.get(kinds.shoot, place) ?? {}), false);
  const wish = { ...shoot({ region: 'b' }), status: { hibernated: true } };
  const { status, body } = await kubernetes.apply('gardener', wish, '', `${path}/status`);
  assert.equal(status, 200);
  assert.partialDeepStrictEqual(body, { spec: { region: 'a' }, status: { hibernated: true } });
});
