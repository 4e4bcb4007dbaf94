import assert from 'node:assert/strict';
import { test } from 'node:test';
import { orderOf, startApi } from '../../src/broker/api/testing.ts';

test('an instance is ordered, used and removed, and nothing of it is left out there [DEPR-01]', async () => {
  await using world = await startApi({ withRealSteps: true });
  const existing = () => {
    const { edp, avs, provisioner, reconciler } = world.landscape.inventory();
    const { operations: _, ...runtimes } = provisioner ?? {};
    return { edp, avs, runtimes, reconciler };
  };
  const before = existing();

  const ordered = await world.put('mine');
  assert.equal(ordered.status, 202);
  assert.equal((await world.pass(world.operationOf(ordered))).state, 'succeeded');
  assert.equal((await world.poll('mine')).body['state'], 'succeeded');
  assert.equal((await world.get('mine')).status, 200);
  assert.notDeepEqual(existing(), before);
  assert.equal((await world.put('mine')).status, 200);

  const kubeconfig = await world.call('GET', '/kubeconfig/mine');
  assert.equal(kubeconfig.status, 200);
  assert.match(kubeconfig.text, /--oidc-issuer-url=https:\/\/issuer\.example\.com/);

  const removal = await world.delete('mine');
  assert.equal(removal.status, 202);
  const { state, not_completed } = await world.pass(world.operationOf(removal));
  assert.deepEqual([state, not_completed], ['succeeded', []]);
  assert.deepEqual(existing(), before);
  assert.equal((await world.delete('mine')).status, 410);
  assert.equal((await world.call('GET', '/kubeconfig/mine')).status, 404);
  assert.equal((await world.put('mine', orderOf({ parameters: { name: 'again' } }))).status, 202);
});
