import assert from 'node:assert/strict';
import { test } from 'node:test';
import { btpCredentials, startBroker } from '../../src/broker/testing.ts';
import { inventoryOf, succeeds, untilAfter } from '../../src/broker/steps/testing.ts';
import { startProvisioner } from '../../src/provisioner/testing.ts';

test('broker and provisioner together bring a runtime from the order to Kyma on a shoot', async () => {
  await using provisioner = await startProvisioner();
  const { landscape } = provisioner;
  const provisionerUrl = `${provisioner.url}/graphql`;
  await using world = await startBroker({ landscape, provisionerUrl, withDirector: true });
  const order = await world.order('azure', {
    context: { sm_operator_credentials: btpCredentials() },
  });
  const { facts } = await untilAfter(world, order, 'create_runtime');
  const creation = await provisioner.pass(String(facts['provisionerOperationId']));
  assert.equal(creation.state, 'succeeded', JSON.stringify(creation.error));
  await succeeds(world, order);

  const { runtimeId, shootName } = (await world.instance(order.instanceId)) ?? assert.fail();
  const shoots = inventoryOf(landscape, 'gardener', 'shoots.core.gardener.cloud');
  assert.deepEqual(
    shoots.map(({ name }) => name),
    [shootName],
  );
  const registered = inventoryOf(landscape, 'director', 'runtimes');
  assert.deepEqual(
    registered.map(({ id }) => id),
    [runtimeId],
  );
  const clusters = inventoryOf(landscape, 'gardener', 'runtimes');
  const secrets = clusters[0]?.objects['secrets']?.map(({ name }) => name) ?? [];
  assert.ok(secrets.includes('sap-btp-manager'), secrets.join());
  const [installed] = inventoryOf(landscape, 'reconciler', 'clusters');
  assert.partialDeepStrictEqual(installed, { runtimeID: runtimeId, status: 'ready' });
});
