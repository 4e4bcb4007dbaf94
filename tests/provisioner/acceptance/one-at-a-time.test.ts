import assert from 'node:assert/strict';
import { test } from 'node:test';
import { operationFields, order, startProvisioner } from '../../../src/provisioner/testing.ts';
import {
  answering,
  provisioned,
  realChange,
  refusal,
  shootIn,
  shootsIn,
  stage,
  statusOf,
  succeeds,
  upgrade,
  upgrading,
} from './world.ts';

const busy = (id: string) =>
  `cannot start new operation for ${id} Runtime while previous one is in progress`;

test('28: a runtime with an operation in progress takes no other one', async () => {
  await using world = await startProvisioner();
  const { id, runtimeID } = await world.provision(order('azure'));
  const answer = await world.graphql(`mutation { deprovisionRuntime(id: "${runtimeID}") }`);
  const { code, message } = refusal(answer);
  assert.deepEqual([code, message], [400, busy(runtimeID)]);
  await succeeds(world, id);
});

test('28: that comes before every complaint about the Shoot, and after those about the input', async () => {
  await using world = await startProvisioner();
  world.landscape.faults.add(answering(realChange, 503)); // so that there is no Shoot
  const { runtimeID } = await world.provision(order('azure'));
  const kymaConfig =
    '{ version: "1.24.10", components: [{ component: "compass-runtime-agent", namespace: "x" }] }';
  for (const mutation of [
    upgrading(runtimeID, { gardenerConfig: { kubernetesVersion: '1.2.3' } }),
    upgrading(runtimeID, { gardenerConfig: { providerSpecificConfig: {} } }),
    `mutation { hibernateRuntime(id: "${runtimeID}") ${operationFields} }`,
    `mutation { upgradeRuntime(id: "${runtimeID}", config: { kymaConfig: ${kymaConfig} }) ${operationFields} }`,
    `mutation { reconnectRuntimeAgent(id: "${runtimeID}") }`,
    `mutation { deprovisionRuntime(id: "${runtimeID}") }`,
  ]) {
    assert.equal(refusal(await world.graphql(mutation)).message, busy(runtimeID));
  }
  assert.deepEqual(shootsIn(world), []);
  const wrong = await world.graphql(upgrading(runtimeID, { gardenerConfig: { machineType: '' } }));
  assert.equal(refusal(wrong).message, 'empty machine type provided');
});

test('29: of upgrades at the same moment exactly one begins', async () => {
  await using world = await startProvisioner();
  const { runtimeID } = await provisioned(world);
  const answers = await Promise.all(
    [8, 9, 10].map((autoScalerMax) =>
      world.graphql(upgrading(runtimeID, { gardenerConfig: { autoScalerMax } })),
    ),
  );
  const [won, ...others] = answers.toSorted((a, b) => a.errors.length - b.errors.length);
  assert.deepEqual(won?.errors, []);
  assert.deepEqual(
    others.map((answer) => refusal(answer).message),
    [busy(runtimeID), busy(runtimeID)],
  );
  const begun: { id: string } = won?.data?.['result'] ?? assert.fail('no result');
  await succeeds(world, begun.id);
});

test('31: a stage that throws unexpectedly fails the operation', async () => {
  const auditLogTenants = async () => {
    throw new TypeError('tenants is not a function');
  };
  await using world = await startProvisioner({ settings: { auditLogTenants } });
  const { id, runtimeID } = await world.provision(order('azure'));
  await world.pass(id);
  const { state, lastError } = await statusOf(world, id);
  assert.equal(state, 'Failed');
  assert.deepEqual(lastError, {
    errMessage: 'tenants is not a function',
    reason: 'err_provisioner_internal',
    component: 'provisioner',
  });
  await succeeds(world, await world.deprovision(runtimeID));
});

test('32: after a failed operation another one is allowed', async () => {
  await using world = await startProvisioner();
  const { runtimeID } = await provisioned(world);
  const first = await upgrade(world, runtimeID, { autoScalerMax: 8 });
  await world.pass(first.id, ({ step }) => step === 'Await_Shoot_Upgrade');
  await stage(world, { state: 'Failed', type: 'Reconcile', errors: [{ description: 'no room' }] });
  assert.equal((await world.pass(first.id)).state, 'failed');
  const second = await upgrade(world, runtimeID, { autoScalerMax: 9 });
  await succeeds(world, second.id);
  assert.equal((await shootIn(world)).spec.provider.workers[0]?.['maximum'], 9);
});
