import assert from 'node:assert/strict';
import { test } from 'node:test';
import { kinds, startKubernetes } from './testing.ts';

const path = '/apis/core.gardener.cloud/v1beta1/namespaces/garden-demo/shoots?watch=true';
const shoot = (name: string, labels: Record<string, string> = {}) => ({
  metadata: { namespace: 'garden-demo', name, labels },
});
const place = (name: string) => ({ namespace: 'garden-demo', name });
const typesAndNames = (events: { type: string; object: { metadata: object } }[]) =>
  events.map(({ type, object }) => [type, 'name' in object.metadata && object.metadata.name]);

test('a watch begins with what there is, and goes on with what happens', async () => {
  await using kubernetes = await startKubernetes();
  const { api } = kubernetes;
  api.create(kinds.shoot, shoot('a'));
  await using watch = await kubernetes.watch(path);
  assert.partialDeepStrictEqual(await watch.next(), {
    type: 'ADDED',
    object: { apiVersion: 'core.gardener.cloud/v1beta1', kind: 'Shoot', metadata: { name: 'a' } },
  });
  api.create(kinds.secret, { metadata: place('other-kind') });
  api.patch(kinds.shoot, place('a'), { spec: { region: 'b' } });
  api.delete(kinds.shoot, place('a'));
  const changed = await watch.next();
  assert.partialDeepStrictEqual(changed, { type: 'MODIFIED', object: { spec: { region: 'b' } } });
  const deleted = await watch.next();
  assert.partialDeepStrictEqual(deleted, { type: 'DELETED', object: { spec: { region: 'b' } } });
  const versions = [changed, deleted].map(({ object }) =>
    Number(object.metadata['resourceVersion']),
  );
  assert.equal(versions[1], (versions[0] ?? 0) + 1);
});

test('a watch from a version gives what happened since, and nothing before', async () => {
  await using kubernetes = await startKubernetes();
  const { api } = kubernetes;
  const { metadata } = api.create(kinds.shoot, shoot('a'));
  api.create(kinds.shoot, shoot('b'));
  api.delete(kinds.shoot, place('a'));
  await using watch = await kubernetes.watch(`${path}&resourceVersion=${metadata.resourceVersion}`);
  assert.deepEqual(typesAndNames([await watch.next(), await watch.next()]), [
    ['ADDED', 'b'],
    ['DELETED', 'a'],
  ]);
});

test('a watch from a version that is forgotten ends with an error event of code 410', async () => {
  await using kubernetes = await startKubernetes({ historySize: 2 });
  const { metadata } = kubernetes.api.create(kinds.shoot, shoot('a'));
  for (const name of ['b', 'c', 'd']) kubernetes.api.create(kinds.shoot, shoot(name));
  await using watch = await kubernetes.watch(`${path}&resourceVersion=${metadata.resourceVersion}`);
  assert.equal(watch.status, 200);
  const events = await watch.rest();
  assert.partialDeepStrictEqual(events, [
    { type: 'ERROR', object: { kind: 'Status', reason: 'Expired', code: 410 } },
  ]);
  const recent = kubernetes.api.get(kinds.shoot, place('b'))?.metadata.resourceVersion;
  await using later = await kubernetes.watch(`${path}&resourceVersion=${recent}`);
  assert.deepEqual(typesAndNames([await later.next(), await later.next()]), [
    ['ADDED', 'c'],
    ['ADDED', 'd'],
  ]);
});

test('for a watch with a selector, objects come and go as they match', async () => {
  await using kubernetes = await startKubernetes();
  const { api } = kubernetes;
  await using watch = await kubernetes.watch(`${path}&labelSelector=account=ga-1`);
  api.create(kinds.shoot, shoot('a'));
  api.patch(kinds.shoot, place('a'), { metadata: { labels: { account: 'ga-1' } } });
  api.patch(kinds.shoot, place('a'), { spec: { region: 'b' } });
  api.patch(kinds.shoot, place('a'), { metadata: { labels: { account: 'ga-2' } } });
  api.delete(kinds.shoot, place('a'));
  api.create(kinds.shoot, shoot('b', { account: 'ga-1' }));
  const events = [];
  for (let i = 0; i < 4; i++) events.push(await watch.next());
  assert.deepEqual(typesAndNames(events), [
    ['ADDED', 'a'],
    ['MODIFIED', 'a'],
    ['DELETED', 'a'],
    ['ADDED', 'b'],
  ]);
});

test('one object can be watched, by its path or by its name', async () => {
  await using kubernetes = await startKubernetes();
  kubernetes.api.create(kinds.shoot, shoot('a'));
  kubernetes.api.create(kinds.shoot, shoot('b'));
  for (const one of [path.replace('?', '/b?'), `${path}&fieldSelector=metadata.name=b`]) {
    await using watch = await kubernetes.watch(one);
    for (const name of ['a', 'b']) {
      kubernetes.api.patch(kinds.shoot, place(name), { spec: { changedFor: one } });
    }
    assert.deepEqual(typesAndNames([await watch.next(), await watch.next()]), [
      ['ADDED', 'b'],
      ['MODIFIED', 'b'],
    ]);
  }
});

test('bookmarks come for those who want them, and end the initial events', async () => {
  await using kubernetes = await startKubernetes();
  const { metadata } = kubernetes.api.create(kinds.shoot, shoot('a'));
  const { resourceVersion } = metadata;
  const wish = '&allowWatchBookmarks=true&timeoutSeconds=1';
  await using watch = await kubernetes.watch(`${path}${wish}&resourceVersion=${resourceVersion}`);
  assert.partialDeepStrictEqual(await watch.rest(), [
    { type: 'BOOKMARK', object: { kind: 'Shoot', metadata: { resourceVersion } } },
  ]);
  const streamed = '&sendInitialEvents=true&resourceVersionMatch=NotOlderThan';
  await using initial = await kubernetes.watch(`${path}${wish}${streamed}`);
  assert.equal((await initial.next()).type, 'ADDED');
  assert.partialDeepStrictEqual(await initial.next(), {
    type: 'BOOKMARK',
    object: { metadata: { annotations: { 'k8s.io/initial-events-end': 'true' } } },
  });
});

test('watches end when the server closes', async () => {
  await using kubernetes = await startKubernetes();
  await using watch = await kubernetes.watch(path);
  await kubernetes.landscape[Symbol.asyncDispose]();
  assert.deepEqual(await watch.rest(), []);
});

test('a watch can be read as tables', async () => {
  await using kubernetes = await startKubernetes();
  kubernetes.api.create(kinds.shoot, { ...shoot('a'), spec: { region: 'b' } });
  await using watch = await kubernetes.watch(path, 'application/json;as=Table;v=v1;g=meta.k8s.io');
  const { type, object } = await watch.next();
  assert.equal(type, 'ADDED');
  assert.partialDeepStrictEqual(object, {
    kind: 'Table',
    rows: [{ object: { kind: 'PartialObjectMetadata', metadata: { name: 'a' } } }],
  });
});
