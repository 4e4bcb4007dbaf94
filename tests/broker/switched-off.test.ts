import assert from 'node:assert/strict';
import { test } from 'node:test';
import { provisioned, removed, type World } from '../../src/broker/operations/testing.ts';
import { startBroker } from '../../src/broker/testing.ts';

const off = ['avs', 'edp', 'ias', 'reconciler', 'lifecycleManager'] as const;
/** As the landscape calls them. */
const systems = ['avs', 'edp', 'ias', 'reconciler'];

const avs = 'not applicable: AvS is switched on';
const edp = 'not applicable: EDP is switched on';
const ias = 'not applicable: IAS is switched on';
const reconciler = 'not applicable: the Reconciler is switched on';
const lifecycleManager = 'not applicable: Lifecycle Manager is switched on';
const credentials = 'not applicable: BTP credentials were given';

const provisioning = {
  Init_Kyma_Template: lifecycleManager,
  AVS_Create_Internal_Eval_Step: avs,
  EDP_Registration: edp,
  BTPOperatorOverrides: credentials,
  Inject_BTP_Operator_Credentials: credentials,
  Sync_Kubeconfig: lifecycleManager,
  Create_Cluster_Configuration: reconciler,
  Check_Cluster_Configuration: reconciler,
  Apply_Kyma: lifecycleManager,
  AVS_Create_External_Eval_Step: avs,
  AVS_Tags: avs,
};
const deprovisioning = {
  'De-provision_AVS_Evaluations': avs,
  EDP_Deregistration: edp,
  IAS_Deregistration: ias,
  Delete_Kyma_Resource: lifecycleManager,
  Check_Kyma_Resource_Deleted: lifecycleManager,
  Deregister_Cluster: reconciler,
  Check_Cluster_Deregistration: reconciler,
  Delete_Kubeconfig: lifecycleManager,
};

test('a runtime comes and goes without the systems that can be switched off, and the record says what was left out', async () => {
  await using world = await startBroker({ off });
  const instanceId = await provisioned(world);
  const [provision] = await world.engine.ofSubject(instanceId);
  const left = await leftOut(world, provision?.id ?? '');
  assert.partialDeepStrictEqual(left, provisioning);

  const { ended } = await removed(world, instanceId);
  assert.equal(ended.description, 'succeeded');
  assert.partialDeepStrictEqual(await leftOut(world, ended.id), deprovisioning);
  assert.deepEqual(
    world.landscape.requests.filter(({ system }) => systems.includes(system)),
    [],
  );
});

async function leftOut(world: World, operationId: string) {
  const timeline = await world.engine.timeline(operationId);
  return Object.fromEntries(
    timeline
      .filter(({ outcome }) => outcome === 'skip')
      .map(({ step, because }) => [step, because]),
  );
}
