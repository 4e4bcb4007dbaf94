import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Secret } from '#database';
import { putIntoForce } from './put-into-force.ts';
import { btpCredentials, startBroker } from './testing.ts';

test('what is put into force leaves everything else as it is, also what changed since it was asked for', async () => {
  await using world = await startBroker();
  const { instanceId } = await world.order('azure', {
    context: { sm_operator_credentials: btpCredentials() },
  });
  const before = (await world.instance(instanceId)) ?? assert.fail();
  const kubeconfig = new Secret('canary');
  await Promise.all([
    putIntoForce(world.services, instanceId, { parameters: { kubeconfig }, context: {} }),
    putIntoForce(world.services, instanceId, {
      parameters: { autoScalerMax: 30 },
      context: { origin: 'x' },
    }),
    putIntoForce(world.services, instanceId, {
      plan: { id: 'p-2', name: 'other' },
      parameters: {},
      context: {},
      maintenanceVersion: '2',
    }),
  ]);
  const after = (await world.instance(instanceId)) ?? assert.fail();
  assert.partialDeepStrictEqual(after, {
    planId: 'p-2',
    planName: 'other',
    maintenanceVersion: '2',
    parameters: { name: 'demo', autoScalerMax: 30 },
    context: { origin: 'x', user_id: before.context.user_id },
  });
  assert.equal(after.parameters.kubeconfig?.reveal(), 'canary');
  assert.equal(
    after.context.sm_operator_credentials?.reveal(),
    before.context.sm_operator_credentials?.reveal(),
  );
  const { rows } = await world.database.pool.query('select * from instances');
  assert.doesNotMatch(JSON.stringify(rows), /canary|sm-secret/);
  await putIntoForce(world.services, 'nobody', { parameters: {}, context: {} });
});
