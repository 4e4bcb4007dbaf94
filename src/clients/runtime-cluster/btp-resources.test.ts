import assert from 'node:assert/strict';
import { test } from 'node:test';
import { minutes } from '#time';
import { btpApi, order, signal, startRuntimes } from './testing.ts';

const kinds = ['servicebindings', 'serviceinstances'] as const;

test('what was ordered is counted over all namespaces', async () => {
  await using runtimes = await startRuntimes();
  const runtime = await runtimes.newCluster();
  const { btpResources } = runtime.cluster;
  for (const kind of kinds) assert.equal(await btpResources.count(kind, signal), 0);
  await order(runtime, 'shop', 'a', 'b');
  await order(runtime, 'blog', 'a');
  assert.equal(await btpResources.count('servicebindings', signal), 3);
  assert.equal(await btpResources.count('serviceinstances', signal), 2);
});

test('deletion is asked for once, and is over when the BTP operator lets go', async () => {
  await using runtimes = await startRuntimes();
  const runtime = await runtimes.newCluster();
  const { btpResources } = runtime.cluster;
  await order(runtime, 'shop', 'a', 'b');
  await order(runtime, 'blog', 'a');
  const deletions = () => runtime.requests().filter((each) => each.startsWith('DELETE'));
  assert.equal(await btpResources.deleteAll('servicebindings', signal), 3);
  assert.deepEqual(deletions().toSorted(), [
    `DELETE ${btpApi}/namespaces/blog/servicebindings`,
    `DELETE ${btpApi}/namespaces/shop/servicebindings`,
  ]);
  assert.equal(await btpResources.deleteAll('servicebindings', signal), 3);
  assert.equal(deletions().length, 2);
  runtimes.landscape.time.advance(minutes(1));
  assert.equal(await btpResources.deleteAll('servicebindings', signal), 0);
  assert.equal(await btpResources.count('serviceinstances', signal), 2);
});

test('what nothing holds is gone at once', async () => {
  await using runtimes = await startRuntimes();
  const runtime = await runtimes.newCluster();
  const { btpResources } = runtime.cluster;
  await order(runtime, 'shop', 'a');
  await btpResources.removeFinalizers('servicebindings', signal);
  assert.equal(await btpResources.count('servicebindings', signal), 1);
  assert.equal(await btpResources.deleteAll('servicebindings', signal), 0);
});

test('without finalizers, what is being deleted goes', async () => {
  await using runtimes = await startRuntimes();
  const runtime = await runtimes.newCluster();
  const { btpResources } = runtime.cluster;
  await order(runtime, 'shop', 'a', 'b');
  for (const kind of kinds) {
    assert.notEqual(await btpResources.deleteAll(kind, signal), 0);
    await btpResources.removeFinalizers(kind, signal);
    assert.equal(await btpResources.count(kind, signal), 0);
    const earlier = runtime.requests().length;
    await btpResources.removeFinalizers(kind, signal);
    assert.equal(runtime.requests().length, earlier + 1);
  }
});

test('what goes while its finalizers are removed is no error', async () => {
  await using runtimes = await startRuntimes();
  const runtime = await runtimes.newCluster();
  await order(runtime, 'shop', 'a', 'b');
  const body = JSON.stringify({ kind: 'Status', reason: 'NotFound', code: 404 });
  const request = `PATCH ${btpApi}/namespaces/shop/servicebindings/a`;
  runtime.fault({ request, action: { kind: 'answer', status: 404, body } });
  await runtime.cluster.btpResources.removeFinalizers('servicebindings', signal);
  const { metadata } =
    (await runtime.get(`${btpApi}/namespaces/shop/servicebindings/b`)) ?? assert.fail('it is gone');
  assert.equal(metadata['finalizers'], undefined);
});

test('a cluster that does not know the kinds has nothing to clean up', async () => {
  await using runtimes = await startRuntimes();
  const { cluster, fault, requests } = await runtimes.newCluster();
  // As API servers answer for what they do not serve: not in the words of the API machinery.
  fault({ action: { kind: 'answer', status: 404, body: '404 page not found\n' } });
  for (const kind of kinds) {
    assert.equal(await cluster.btpResources.count(kind, signal), 0);
    assert.equal(await cluster.btpResources.deleteAll(kind, signal), 0);
    await cluster.btpResources.removeFinalizers(kind, signal);
  }
  assert.ok(requests().every((each) => each.startsWith('GET')));
});

test('a resource of the wrong shape is named by its field', async () => {
  await using runtimes = await startRuntimes();
  const { cluster, fault } = await runtimes.newCluster();
  const body = '{"items":[{"metadata":{"name":"a"}}]}';
  fault({ action: { kind: 'answer', status: 200, body } });
  await assert.rejects(
    cluster.btpResources.count('servicebindings', signal),
    /items\.0\.metadata\.namespace/,
  );
});
