import assert from 'node:assert/strict';
import { once } from 'node:events';
import { test } from 'node:test';
import type { OperationDefinition } from '#engine';
import { hours, minutes } from '#time';
import {
  ownCluster,
  provisioned,
  removed,
  whatExists,
  type World,
} from '../../src/broker/operations/testing.ts';
import { btpCredentials, everyPlan, startBroker, testSettings } from '../../src/broker/testing.ts';

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
  // The step has done its work when the delete comes; what it gives is lost.
  const comesUpon = { step: '', world: undefined as World | undefined };
  const interrupted = (step: OperationDefinition['stages'][number]['steps'][number]) => ({
    ...step,
    run: async (...[running]: Parameters<typeof step.run>) => {
      const outcome = await step.run(running);
      if (step.name !== comesUpon.step || outcome.kind !== 'done') return outcome;
      const { operation, signal } = running;
      await comesUpon.world?.remove(operation.subject);
      if (!signal.aborted) await once(signal, 'abort');
      return outcome;
    },
  });
  const everyStepOf = (definition: OperationDefinition): OperationDefinition => ({
    ...definition,
    stages: definition.stages.map(({ name, steps }) => ({ name, steps: steps.map(interrupted) })),
  });
  const tagClasses = { shootName: 1, seed: 2, region: 3 };
  await using world = await startBroker({
    settings: { avs: { ...testSettings.avs, tagClasses } },
    disturb: (operations) =>
      operations.map(({ definition }) => ({
        definition: definition.type === 'provision' ? everyStepOf(definition) : definition,
      })),
  });
  comesUpon.world = world;
  const own = await ownCluster(world);
  const before = whatExists(world.landscape);
  const steps = world.engine.definitions.get('provision').stages.flatMap((stage) => stage.steps);
  for (const [index, { name }] of steps.entries()) {
    await t.test(name, async () => {
      const isTheirs = name === 'Create_Runtime_For_Own_Cluster';
      // Each has an account of its own, of all kinds in turn: nobody cleans here what was released.
      const plan = ['azure', 'aws', 'gcp', 'openstack'][index % 4] ?? 'azure';
      const globalaccount_id = `ga-of-${name}`;
      comesUpon.step = name;
      const { instanceId, operationId } = await world.order(isTheirs ? 'own_cluster' : plan, {
        parameters: isTheirs ? own : {},
        context: { ...context, globalaccount_id },
      });
      const provisioning = await world.pass(operationId);
      assert.equal(provisioning.state, 'canceled');
      const interruptedAt = (await world.engine.timeline(operationId)).at(-1);
      assert.deepEqual([interruptedAt?.step, interruptedAt?.outcome], [name, 'canceled']);
      const [removal] = await world.engine.ofSubject(instanceId, 1);
      const { description } = await world.pass(removal?.id ?? '');
      assert.equal(description, 'succeeded');
      assert.equal(await world.instance(instanceId), undefined);
      assert.deepEqual(whatExists(world.landscape), before);
    });
  }
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
