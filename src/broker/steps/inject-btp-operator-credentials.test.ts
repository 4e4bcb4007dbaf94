import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Secret } from '#database';
import { btpCredentials, startBroker } from '../testing.ts';
import { eachStageTwice, failureOf, objectsIn, succeeds, type BrokerWorld } from './testing.ts';

const { signal } = new AbortController();

async function credentialsIn(world: BrokerWorld, runtimeId: string) {
  const { provisioner, openCluster } = world.services.clients;
  const { kubeconfig } = await provisioner.runtimeStatus('ga-1', runtimeId, signal);
  const found = await openCluster(kubeconfig ?? assert.fail()).btpCredentials.get(signal);
  return found?.reveal();
}

test('the cluster gets the credentials of its subaccount, and the id that its BTP operator has', async () => {
  await using world = await startBroker({ disturb: eachStageTwice });
  const context = { sm_operator_credentials: btpCredentials() };
  const order = await world.order('azure', { context });
  await succeeds(world, order);
  const {
    runtimeId = '',
    shootName,
    details,
  } = (await world.instance(order.instanceId)) ?? assert.fail();
  assert.deepEqual(await credentialsIn(world, runtimeId), {
    clientid: 'sm-client',
    clientsecret: 'sm-secret',
    sm_url: 'https://sm.example.com',
    tokenurl: 'https://auth.example.com',
    cluster_id: details.smClusterId,
  });
  assert.deepEqual(
    objectsIn(world.landscape, shootName, 'secrets').map(({ name }) => name),
    ['sap-btp-manager'],
  );
});

test('incomplete credentials fail, and are not told', async () => {
  await using world = await startBroker();
  const incomplete = { ...JSON.parse(btpCredentials().reveal()), url: '' } as object; // as the API would have it
  const context = { sm_operator_credentials: new Secret(JSON.stringify(incomplete)) };
  const failure = await failureOf(world, await world.order('azure', { context }));
  assert.partialDeepStrictEqual(failure, {
    step: 'Inject_BTP_Operator_Credentials',
    reason: 'invalid_credentials',
  });
  assert.doesNotMatch(JSON.stringify(failure), /sm-secret/);
});
