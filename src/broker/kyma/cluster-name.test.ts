import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newClusterName } from './cluster-name.ts';

for (const [name, kept] of [
  ['demo', 'demo'],
  ['My-Cluster.1', 'my-cluster.1'],
  ['with spaces_and/others', 'withspacesandothers'],
  ['x'.repeat(60), 'x'.repeat(30)],
] as const) {
  test(`a cluster that its owner calls ${name} is called ${kept} and five letters`, () => {
    const [stem, letters] = newClusterName(name).split(/-(?=[a-z]{5}$)/);
    assert.equal(stem, kept);
    assert.match(letters ?? '', /^[a-z]{5}$/);
    assert.ok(newClusterName(name).length <= 36);
  });
}

test('two clusters of one name are told apart', () => {
  assert.notEqual(newClusterName('demo'), newClusterName('demo'));
});
