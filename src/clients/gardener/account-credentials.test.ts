import assert from 'node:assert/strict';
import { test } from 'node:test';
import { failsWith, signal, startGardener } from './testing.ts';

test('an account at Azure is opened by what its Secret holds', async () => {
  await using gardener = await startGardener();
  assert.deepEqual(await gardener.client.azureAccount('azure-pool-001', signal), {
    subscriptionId: 'simulated-subscriptionID',
    tenantId: 'simulated-tenantID',
    clientId: 'simulated-clientID',
    clientSecret: 'simulated-clientSecret',
  });
});

test('an account at AWS is opened by what its Secret holds', async () => {
  await using gardener = await startGardener();
  assert.deepEqual(await gardener.client.awsAccount('aws-pool-001', signal), {
    accessKeyId: 'simulated-accessKeyID',
    secretAccessKey: 'simulated-secretAccessKey',
  });
});

test('an account that is not there is opened by nothing', async () => {
  await using gardener = await startGardener();
  assert.equal(await gardener.client.azureAccount('azure-pool-999', signal), undefined);
});

test('the Secret of an account somewhere else is a wrong answer', async () => {
  await using gardener = await startGardener();
  await assert.rejects(
    gardener.client.azureAccount('aws-pool-001', signal),
    failsWith({ reason: 'wrong_answer' }),
  );
});
