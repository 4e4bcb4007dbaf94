import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startBroker } from '../testing.ts';
import { kubeconfigKey } from './get-kubeconfig.ts';
import { inventoryOf, lookingInto, smallestOrder, succeeds } from './testing.ts';

const { signal } = new AbortController();

for (const plan of ['azure', 'preview', 'own_cluster']) {
  test(`Lifecycle Manager gets the kubeconfig of ${plan} runtimes, where deprovisioning will look for it`, async () => {
    const seen: string[] = [];
    const disturb = lookingInto('configure_runtime', (memory) =>
      seen.push(memory.get(kubeconfigKey).reveal()),
    );
    await using world = await startBroker({ disturb });
    const order = await world.order(plan, { parameters: smallestOrder(plan) });
    await succeeds(world, order);
    const { runtimeId, details, shootName } =
      (await world.instance(order.instanceId)) ?? assert.fail();
    const { lifecycleManager } = world.services.clients;
    const { kyma = assert.fail() } = details;
    assert.equal(kyma.name, runtimeId);
    const stored = await lifecycleManager?.readKubeconfig(kyma, signal);
    assert.deepEqual([stored?.reveal()], seen);
    const secrets = inventoryOf(world.landscape, 'control-plane', 'secrets');
    assert.partialDeepStrictEqual(
      secrets.find(({ name }) => name === `kubeconfig-${runtimeId}`),
      { namespace: 'kyma-system', labels: { 'kyma-project.io/shoot-name': shootName } },
    );
  });
}
