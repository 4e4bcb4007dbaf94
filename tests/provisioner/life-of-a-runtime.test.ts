import assert from 'node:assert/strict';
import { test } from 'node:test';
import { order, startProvisioner } from '../../src/provisioner/testing.ts';

test('a runtime is provisioned, and deprovisioned without a trace', async () => {
  await using world = await startProvisioner();
  const { id, runtimeID } = await world.provision(order('azure'));
  const ended = await world.pass(id);
  assert.equal(ended.state, 'succeeded', JSON.stringify(ended.error));
  const gone = await world.pass(await world.deprovision(runtimeID));
  assert.equal(gone.state, 'succeeded', JSON.stringify(gone.error));
  const { gardener, director } = world.landscape.inventory();
  assert.deepEqual(gardener?.['shoots.core.gardener.cloud'] ?? [], []);
  assert.deepEqual(director?.['runtimes'], []);
});
