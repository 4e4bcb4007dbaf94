import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hours, minutes } from '#time';
import {
  ownCluster,
  provisioned,
  removed,
  toldOfMaintenance,
  whatExists,
} from '../../src/broker/operations/testing.ts';
import { btpCredentials, everyPlan, startBroker, testSettings } from '../../src/broker/testing.ts';
import { deleteComesUponEachStep, onRuntime } from './interruptions.ts';

/** Everything that an order can bring along. */
const context = { sm_operator_credentials: btpCredentials() };

for (const plan of everyPlan) {
  test(`nothing is left of a runtime of plan ${plan}`, async () => {
    await using world = await startBroker();
    const parameters = plan === 'own_cluster' ? await ownCluster(world) : {};
    const before = whatExists(world.landscape);
    // What was put into a customer's own cluster is the customer's from then on.
    const orderedIn = plan === 'own_cluster' ? {} : context;
    const instanceId = await provisioned(world, plan, { parameters, context: orderedIn });
    world.advance(hours(2));
    assert.notDeepEqual(whatExists(world.landscape), before);
    const { ended } = await removed(world, instanceId);
    assert.equal(ended.description, 'succeeded');
    assert.deepEqual(whatExists(world.landscape), before);
    assert.equal(await world.instance(instanceId), undefined);
  });
}

test('a delete wins over a provisioning, whichever step it comes upon', async (t) => {
  const tagClasses = { shootName: 1, seed: 2, region: 3 };
  const settings = { avs: { ...testSettings.avs, tagClasses } };
  let orders = 0;
  await deleteComesUponEachStep(t, {
    type: 'provision',
    open: (disturb) => startBroker({ settings, disturb }),
    begin(world, step, own) {
      const isTheirs = step === 'Create_Runtime_For_Own_Cluster';
      // Each has an account of its own, of all kinds in turn: nobody cleans here what was released.
      const plan = ['azure', 'aws', 'gcp', 'openstack'][(orders += 1) % 4] ?? 'azure';
      return world.order(isTheirs ? 'own_cluster' : plan, {
        parameters: isTheirs ? own : {},
        context: { ...context, globalaccount_id: `ga-of-${step}` },
      });
    },
  });
});

test('a delete wins over a suspension, whichever step it comes upon', async (t) => {
  await deleteComesUponEachStep(t, {
    type: 'deprovision',
    open: (disturb) => startBroker({ disturb }),
    begin: onRuntime(
      async (world, instanceId) => {
        // So that every step has something to do.
        await toldOfMaintenance(world, instanceId);
        return (await world.remove(instanceId, { temporary: true })).id;
      },
      (step) => ({ context, ...(step === 'Release_Subscription' && { plan: 'azure' }) }),
    ),
  });
});

for (const [what, fault] of [
  ['account', { system: 'gardener', method: 'PUT' }],
  ['data tenant', { system: 'edp', method: 'POST', path: '/dataTenants$' }],
  ['metadata', { system: 'edp', method: 'POST', path: '/metadata$' }],
  ['runtime', { system: 'provisioner', field: 'provisionRuntime' }],
  ['kubeconfig', { system: 'control-plane', method: 'POST', path: '/secrets$' }],
  ['cluster configuration', { system: 'reconciler', method: 'POST' }],
  ['Kyma resource', { system: 'control-plane', method: 'POST', path: '/kymas$' }],
] as const) {
  test(`nothing is left of the ${what} that nobody was told about before the delete came`, async () => {
    await using world = await startBroker();
    const before = whatExists(world.landscape);
    const { system } = fault;
    world.landscape.faults.add({ ...fault, action: { kind: 'lost answer' } });
    const { instanceId, operationId } = await world.order('azure', { context });
    await world.pass(operationId, (operation) => operation.system === system);
    assert.notDeepEqual(whatExists(world.landscape), before);
    world.landscape.faults.remove();
    assert.equal((await removed(world, instanceId)).ended.description, 'succeeded');
    assert.deepEqual(whatExists(world.landscape), before);
  });
}

test('where everything is gone already, there is nothing to complain about', async () => {
  await using world = await startBroker();
  const instanceId = await provisioned(world, 'azure', { context });
  await world.landscape.reset();
  const { ended } = await removed(world, instanceId, { userAgent: 'accountcleanup-job' });
  assert.equal(ended.description, 'succeeded');
  assert.equal(await world.instance(instanceId), undefined);
});

for (const [system, expected] of Object.entries({
  avs: ['De-provision_AVS_Evaluations'],
  edp: ['EDP_Deregistration'],
  ias: ['IAS_Deregistration'],
  'control-plane': ['Delete_Kyma_Resource', 'Check_Kyma_Resource_Deleted', 'Delete_Kubeconfig'],
  reconciler: ['Deregister_Cluster', 'Check_Cluster_Deregistration'],
  provisioner: ['Remove_Runtime', 'Check_Runtime_Removal', 'Release_Subscription'],
  gardener: ['Release_Subscription'],
})) {
  test(`without ${system} the removal ends, what is left stays visible, and is removed later`, async () => {
    await using world = await startBroker();
    const { landscape } = world;
    const before = whatExists(landscape);
    const instanceId = await provisioned(world, 'azure', { context });
    const path = '^/(?!oauth)'; // tokens are given out
    landscape.faults.add({ system, path, action: { kind: 'answer', status: 503 } });
    const { ended } = await removed(world, instanceId);
    assert.equal(ended.state, 'succeeded');
    assert.deepEqual(ended.not_completed, expected);
    assert.deepEqual(world.engine.explain(ended).notCompleted, expected);
    assert.ok((await world.instance(instanceId))?.deletedAt);

    landscape.faults.remove();
    assert.equal((await removed(world, instanceId)).ended.description, 'succeeded');
    assert.equal(await world.instance(instanceId), undefined);
    assert.deepEqual(whatExists(landscape), before);
  });
}

test('a deprovisioning that takes longer than it may has failed, and is done by the next one', async () => {
  const limits = { ...testSettings.limits, operation: minutes(90) };
  await using world = await startBroker({ settings: { limits } });
  const { landscape } = world;
  const before = whatExists(landscape);
  const instanceId = await provisioned(world, 'azure', { context });
  const stuck = { system: 'provisioner', field: 'runtimeOperationStatus' } as const;
  landscape.faults.add({ ...stuck, action: { kind: 'stuck' } });
  const { ended } = await removed(world, instanceId);
  assert.equal(ended.state, 'failed');
  assert.partialDeepStrictEqual(ended.error, {
    step: 'Check_Runtime_Removal',
    reason: 'time_limit',
  });
  assert.ok(await world.instance(instanceId));

  landscape.faults.remove();
  assert.equal((await removed(world, instanceId)).ended.description, 'succeeded');
  assert.equal(await world.instance(instanceId), undefined);
  assert.deepEqual(whatExists(landscape), before);
});

test('a suspended trial comes back as a new runtime, and can be deleted then', async () => {
  await using world = await startBroker();
  const before = whatExists(world.landscape);
  const instanceId = await provisioned(world, 'trial', { context });
  const first = (await world.instance(instanceId))?.runtimeId;
  assert.deepEqual((await removed(world, instanceId, { temporary: true })).ended.not_completed, []);
  assert.deepEqual(whatExists(world.landscape), before);

  const input = { plan: 'trial', hasBtpCredentials: true };
  const { id } = await world.engine.start('provision', instanceId, input);
  assert.equal((await world.pass(id)).state, 'succeeded');
  const second = (await world.instance(instanceId))?.runtimeId;
  assert.ok(first && second && first !== second);
  assert.equal((await removed(world, instanceId)).ended.description, 'succeeded');
  assert.deepEqual(whatExists(world.landscape), before);
});
