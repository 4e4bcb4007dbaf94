import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { inventoryOf } from '../../src/broker/steps/testing.ts';
import { btpCredentials } from '../../src/broker/testing.ts';
import { restartAfterEachStage } from './interruptions.ts';

test('a provisioning goes on in a new process, whichever stage it has reached', async () => {
  const instanceId = randomUUID();
  await restartAfterEachStage(
    async (world) => {
      const context = { sm_operator_credentials: btpCredentials() };
      return (await world.order('azure', { instanceId, context })).operationId;
    },
    async (world, other) => {
      const { runtimeId } = (await world.instance(instanceId)) ?? assert.fail();
      const { runtimeId: ofOther } = (await world.instance(other)) ?? assert.fail();
      const runtimes = inventoryOf(world.landscape, 'provisioner', 'runtimes');
      assert.deepEqual(new Set(runtimes.map(({ id }) => id)), new Set([runtimeId, ofOther]));
      const evaluations = inventoryOf(world.landscape, 'avs', 'evaluations');
      assert.equal(evaluations.filter(({ name }) => name.includes(instanceId)).length, 2);
    },
  );
});

test('a deprovisioning goes on in a new process, whichever stage it has reached', () =>
  restartAfterEachStage(
    async (world, instanceId) => (await world.remove(instanceId)).id,
    async (world, instanceId, ended) => {
      assert.equal(ended.description, 'succeeded');
      assert.equal(await world.instance(instanceId), undefined);
      const all = world.landscape.inventory();
      for (const [system, kind] of [
        ['provisioner', 'runtimes'],
        ['avs', 'evaluations'],
        ['edp', 'dataTenants'],
        ['reconciler', 'clusters'],
        ['control-plane', 'kymas.operator.kyma-project.io'],
      ] as const)
        assert.deepEqual(all[system]?.[kind] ?? [], [], `${system}: ${kind}`);
    },
  ));
