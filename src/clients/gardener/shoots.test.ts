import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inspect } from 'node:util';
import { z } from 'zod';
import { hours, minutes, seconds } from '#time';
import { kubernetesConnection } from '../kubernetes/kubernetes-connection.ts';
import { failsWith, shootOf, signal, startGardener } from './testing.ts';

const item = z.object({ metadata: z.object({ name: z.string() }) });
const namesIn = async (kubeconfig: string) => {
  const runtime = kubernetesConnection('gardener', { kubeconfig });
  const path = '/api/v1/namespaces';
  const all = await runtime.list({ path, item, what: 'list namespaces', signal });
  return all.map(({ metadata }) => metadata.name);
};

test('a shoot is created over some minutes, with growing progress', async () => {
  await using gardener = await startGardener();
  const { client, landscape } = gardener;
  const operation = async () => (await client.shoots.get('a', signal))?.status?.lastOperation;
  assert.equal(await client.shoots.get('a', signal), undefined);
  const created = await client.shoots.apply(shootOf('a'), signal);
  assert.equal(created.spec.dns, undefined);
  assert.partialDeepStrictEqual(await operation(), { type: 'Create', state: 'Processing' });
  landscape.time.advance(seconds(6));
  const { spec, status } = (await client.shoots.get('a', signal)) ?? {};
  assert.equal(spec?.dns?.domain, 'a.kyma.example.com');
  assert.equal(spec.seedName, 'azure-eu1');
  assert.equal(status?.lastOperation?.progress, 0);
  landscape.time.advance(minutes(2));
  assert.equal((await operation())?.progress, 40);
  landscape.time.advance(minutes(3));
  const finished = await client.shoots.get('a', signal);
  assert.partialDeepStrictEqual(finished?.status?.lastOperation, {
    type: 'Create',
    state: 'Succeeded',
    progress: 100,
  });
  assert.equal(finished?.status?.observedGeneration, finished?.metadata.generation);
  const { data } = await gardener.project.request({
    method: 'GET',
    path: '/api/v1/namespaces/garden-kyma/secrets/a.kubeconfig',
    answer: z.object({ data: z.object({ kubeconfig: z.base64() }) }),
    what: 'get the static kubeconfig',
    signal,
  });
  const kubeconfig = Buffer.from(data.kubeconfig, 'base64').toString();
  assert.deepEqual(await namesIn(kubeconfig), ['default', 'kube-system']);
});

test('what is applied again changes nothing; a new wish is seen a little later', async () => {
  await using gardener = await startGardener();
  const { client, landscape } = gardener;
  const read = async () => (await client.shoots.get('a', signal)) ?? assert.fail('it is gone');
  await client.shoots.apply(shootOf('a'), signal);
  landscape.time.advance(minutes(6));
  const { metadata } = await read();
  const same = await client.shoots.apply(shootOf('a'), signal);
  assert.equal(same.metadata.generation, metadata.generation);
  const { spec, ...others } = shootOf('a');
  const kubernetes = { version: '1.27.0' };
  const changed = await client.shoots.apply({ ...others, spec: { ...spec, kubernetes } }, signal);
  assert.notEqual(changed.metadata.generation, changed.status?.observedGeneration);
  assert.equal(changed.status?.lastOperation?.state, 'Succeeded');
  assert.equal(changed.spec.dns?.domain, 'a.kyma.example.com');
  landscape.time.advance(seconds(6));
  const seen = await read();
  assert.equal(seen.metadata.generation, seen.status?.observedGeneration);
  assert.partialDeepStrictEqual(seen.status?.lastOperation, {
    type: 'Reconcile',
    state: 'Processing',
  });
  landscape.time.advance(minutes(2));
  assert.equal((await read()).status?.lastOperation?.state, 'Succeeded');
});

test('a shoot that was read, edited and applied keeps what others wrote', async () => {
  await using gardener = await startGardener();
  const { shoots } = gardener.client;
  await shoots.apply(shootOf('a'), signal);
  gardener.landscape.time.advance(minutes(6));
  const read = (await shoots.get('a', signal)) ?? assert.fail('it is gone');
  const edited = await shoots.apply(
    { ...read, spec: { ...read.spec, purpose: 'testing' } },
    signal,
  );
  assert.equal(edited.spec['purpose'], 'testing');
  assert.equal(edited.spec.seedName, 'azure-eu1');
  const conflict = failsWith({ temporary: true, reason: 'Conflict', status: 409 });
  await assert.rejects(shoots.apply({ ...read, spec: read.spec }, signal), conflict);
});

test('a creation whose answer is lost can be repeated', async () => {
  await using gardener = await startGardener();
  const { client, landscape } = gardener;
  landscape.faults.add({ system: 'gardener', count: 1, action: { kind: 'lost answer' } });
  const unreachable = failsWith({ temporary: true, reason: 'unreachable' });
  await assert.rejects(client.shoots.apply(shootOf('a'), signal), unreachable);
  await client.shoots.apply(shootOf('a'), signal);
  assert.equal((await client.shoots.list(signal)).length, 1);
});

test('a shoot is found by the runtime that it is', async () => {
  await using gardener = await startGardener();
  const { shoots } = gardener.client;
  const old = { 'compass.provisioner.kyma-project.io/runtime-id': 'runtime-old' };
  const { metadata, spec } = shootOf('b');
  await shoots.apply(shootOf('a'), signal);
  await shoots.apply({ metadata: { ...metadata, annotations: old }, spec }, signal);
  const find = async (account: string, runtimeId: string) =>
    (await shoots.findByRuntimeId(account, runtimeId, signal))?.metadata.name;
  assert.equal(await find('ga-1', 'runtime-a'), 'a');
  assert.equal(await find('ga-1', 'runtime-old'), 'b');
  assert.equal(await find('ga-2', 'runtime-a'), undefined);
});

test('a shoot goes over some minutes, and deleting it again is a success', async () => {
  await using gardener = await startGardener();
  const { client, landscape } = gardener;
  await client.shoots.delete('a', {}, signal);
  await client.shoots.apply(shootOf('a'), signal);
  landscape.time.advance(minutes(6));
  await client.shoots.delete('a', { 'kcp.provisioner.kyma-project.io/operation-id': 'o' }, signal);
  landscape.time.advance(seconds(6));
  const shoot = await client.shoots.get('a', signal);
  assert.ok(shoot?.metadata.deletionTimestamp);
  assert.equal(shoot.metadata.annotations?.['kcp.provisioner.kyma-project.io/operation-id'], 'o');
  assert.partialDeepStrictEqual(shoot.status?.lastOperation, {
    type: 'Delete',
    state: 'Processing',
  });
  await client.shoots.delete('a', {}, signal);
  landscape.time.advance(minutes(4));
  assert.equal(await client.shoots.get('a', signal), undefined);
  await client.shoots.delete('a', {}, signal);
  assert.deepEqual(landscape.inventory()['gardener']?.['runtimes'], []);
});

test('Gardener refuses a deletion that is not confirmed', async () => {
  await using gardener = await startGardener();
  await gardener.client.shoots.apply(shootOf('a'), signal);
  await assert.rejects(
    gardener.project.request({
      method: 'DELETE',
      path: gardener.project.pathOf('shoots', 'a'),
      what: 'delete it',
      signal,
    }),
    failsWith({ temporary: false, reason: 'Forbidden', status: 403 }),
  );
});

test('a shoot needs an account that exists', async () => {
  await using gardener = await startGardener();
  await assert.rejects(
    gardener.client.shoots.apply(shootOf('a', 'none'), signal),
    failsWith({ temporary: false, reason: 'Forbidden', status: 403 }),
  );
});

test('an operation can fail with codes, and go on after a retry', async () => {
  await using gardener = await startGardener();
  const { client, landscape } = gardener;
  await client.shoots.apply(shootOf('a'), signal);
  const codes = ['ERR_INFRA_QUOTA_EXCEEDED'];
  await gardener.stage('a', { state: 'Failed', errors: [{ description: 'no quota', codes }] });
  landscape.time.advance(hours(1));
  const failed = await client.shoots.get('a', signal);
  assert.equal(failed?.status?.lastOperation?.state, 'Failed');
  assert.deepEqual(failed?.status?.lastErrors?.[0]?.codes, codes);
  const { metadata, spec } = shootOf('a');
  const annotations = { ...metadata.annotations, 'gardener.cloud/operation': 'retry' };
  await client.shoots.apply({ metadata: { ...metadata, annotations }, spec }, signal);
  landscape.time.advance(minutes(6));
  const { status } = (await client.shoots.get('a', signal)) ?? {};
  assert.partialDeepStrictEqual(status?.lastOperation, { type: 'Create', state: 'Succeeded' });
  assert.equal(status?.lastErrors, undefined);
});

test('the admin kubeconfig opens the runtime for as long as it is good, and shows itself to nobody', async () => {
  await using gardener = await startGardener();
  const { client, landscape } = gardener;
  assert.equal(await client.shoots.adminKubeconfig('a', signal), undefined);
  await client.shoots.apply(shootOf('a'), signal);
  const tooEarly = failsWith({ temporary: false, reason: 'Invalid', status: 422 });
  await assert.rejects(client.shoots.adminKubeconfig('a', signal), tooEarly);
  landscape.time.advance(minutes(6));
  const admin = await client.shoots.adminKubeconfig('a', signal, hours(1));
  assert.ok(admin);
  assert.doesNotMatch(inspect(admin) + JSON.stringify(admin), /token/);
  const kubeconfig = admin.kubeconfig.reveal();
  assert.deepEqual(await namesIn(kubeconfig), ['default', 'kube-system']);
  landscape.time.advance(hours(2));
  assert.ok(admin.expiresAt < landscape.time.date());
  const refused = failsWith({ temporary: false, reason: 'Unauthorized', status: 401 });
  await assert.rejects(namesIn(kubeconfig), refused);
  await client.shoots.delete('a', {}, signal);
  landscape.time.advance(minutes(5));
  const gone = failsWith({ temporary: true, reason: 'unreachable' });
  await assert.rejects(namesIn(kubeconfig), gone);
});

test('in the runtime, what was ordered at BTP takes a while to go', async () => {
  await using gardener = await startGardener();
  const { client, landscape } = gardener;
  await client.shoots.apply(shootOf('a'), signal);
  landscape.time.advance(minutes(6));
  const admin = (await client.shoots.adminKubeconfig('a', signal)) ?? assert.fail('no shoot');
  const runtime = kubernetesConnection('gardener', { kubeconfig: admin.kubeconfig.reveal() });
  const path = '/apis/services.cloud.sap.com/v1/namespaces/default/serviceinstances';
  const body = {
    apiVersion: 'services.cloud.sap.com/v1',
    kind: 'ServiceInstance',
    metadata: { name: 'b' },
  };
  await runtime.request({ method: 'POST', path, body, what: 'order it', signal });
  await runtime.request({ method: 'DELETE', path: `${path}/b`, what: 'delete it', signal });
  const left = () => runtime.list({ path, item, what: 'list instances', signal });
  assert.equal((await left()).length, 1);
  landscape.time.advance(seconds(31));
  assert.deepEqual(await left(), []);
});

test('a shoot can be checked without being created, and is refused as it would be', async () => {
  await using gardener = await startGardener();
  const { shoots } = gardener.client;
  await shoots.check(shootOf('a'), signal);
  assert.equal(await shoots.get('a', signal), undefined);
  await assert.rejects(
    shoots.check(shootOf('a', ''), signal),
    failsWith({ temporary: false, reason: 'Invalid' }),
  );
});

test('a seed tells its infrastructure, and none is known of a seed that is not there', async () => {
  await using gardener = await startGardener();
  assert.equal(await gardener.client.seedProvider('azure-eu1', signal), 'azure');
  assert.equal(await gardener.client.seedProvider('nowhere', signal), undefined);
  assert.equal(await gardener.client.seedProvider('', signal), undefined);
});
