import assert from 'node:assert/strict';
import { test } from 'node:test';
import { named, signal, startRuntimes } from './testing.ts';

const configMaps = '/api/v1/namespaces/kyma-system/configmaps';
const clusterInfo = `${configMaps}/cluster-info`;
const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

test('a cluster gets an id when it is first asked for, and keeps it', async () => {
  await using runtimes = await startRuntimes();
  const { cluster, get } = await runtimes.newCluster();
  const id = await cluster.clusterId(signal);
  assert.match(id, uuid);
  assert.deepEqual((await get(clusterInfo))?.['data'], { id });
  assert.equal(await cluster.clusterId(signal), id);
  const { cluster: other } = await runtimes.newCluster();
  assert.notEqual(await other.clusterId(signal), id);
});

test('an id that is there is taken as it is', async () => {
  await using runtimes = await startRuntimes();
  const { cluster, create, requests } = await runtimes.newCluster();
  await create('/api/v1/namespaces', named('kyma-system'));
  await create(configMaps, { ...named('cluster-info'), data: { id: 'theirs', more: 'x' } });
  const earlier = requests().length;
  assert.equal(await cluster.clusterId(signal), 'theirs');
  assert.deepEqual(requests().slice(earlier), [`GET ${clusterInfo}`]);
});

for (const data of [undefined, { more: 'x' }, { more: 'x', id: '' }]) {
  test(`an id is added where the ConfigMap has ${JSON.stringify(data) ?? 'no data'}`, async () => {
    await using runtimes = await startRuntimes();
    const { cluster, create, get } = await runtimes.newCluster();
    await create('/api/v1/namespaces', named('kyma-system'));
    await create(configMaps, { ...named('cluster-info'), data });
    const id = await cluster.clusterId(signal);
    assert.match(id, uuid);
    assert.deepEqual((await get(clusterInfo))?.['data'], { ...data, id });
  });
}

test('all who ask at once get the same id', async () => {
  await using runtimes = await startRuntimes();
  const { cluster, get } = await runtimes.newCluster();
  const ids = await Promise.all(Array.from({ length: 5 }, () => cluster.clusterId(signal)));
  assert.deepEqual([...new Set(ids)], [ids[0]]);
  assert.deepEqual((await get(clusterInfo))?.['data'], { id: ids[0] });
});

test('whoever adds an id second meets a conflict, and finds the first one the next time', async () => {
  await using runtimes = await startRuntimes();
  const { cluster, create, get, fault, failsWith } = await runtimes.newCluster();
  await create('/api/v1/namespaces', named('kyma-system'));
  await create(configMaps, named('cluster-info'));
  const body = JSON.stringify(await get(clusterInfo));
  const id = await cluster.clusterId(signal);
  fault({ request: `GET ${clusterInfo}`, count: 1, action: { kind: 'answer', status: 200, body } });
  await assert.rejects(
    cluster.clusterId(signal),
    failsWith({ temporary: true, reason: 'Conflict', status: 409 }),
  );
  assert.equal(await cluster.clusterId(signal), id);
});

test('a ConfigMap that goes meanwhile is looked for again later', async () => {
  await using runtimes = await startRuntimes();
  const { cluster, create, fault, failsWith } = await runtimes.newCluster();
  await create('/api/v1/namespaces', named('kyma-system'));
  await create(configMaps, named('cluster-info'));
  const body = JSON.stringify({ kind: 'Status', reason: 'NotFound', code: 404 });
  const isGone = { action: { kind: 'answer', status: 404, body } } as const;
  fault({ ...isGone, request: `PATCH ${clusterInfo}`, count: 1 });
  const conflict = failsWith({ temporary: true, reason: 'Conflict' });
  await assert.rejects(cluster.clusterId(signal), conflict);
  fault({ ...isGone, request: `GET ${clusterInfo}`, count: 2 });
  await assert.rejects(cluster.clusterId(signal), conflict);
});

test('a ConfigMap of the wrong shape is named by its field', async () => {
  await using runtimes = await startRuntimes();
  const { cluster, fault } = await runtimes.newCluster();
  const body = '{"metadata":{"resourceVersion":"1"},"data":{"id":7}}';
  fault({ action: { kind: 'answer', status: 200, body } });
  await assert.rejects(cluster.clusterId(signal), /data\.id/);
});
