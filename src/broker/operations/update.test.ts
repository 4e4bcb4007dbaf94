import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { hours, minutes } from '#time';
import { btpCredentials, startBroker } from '../testing.ts';
import {
  beginUpdate,
  contentsOf,
  failing,
  impatientWorld,
  provisioned,
  shootOfInstance,
  type FailingCall,
} from './testing.ts';
import { update } from './update.ts';

/** Steps without a limit of their own end with the operation. */
const limits = { operation: minutes(7), clusterUpdate: minutes(3) };
const world = await startBroker({ off: ['edp', 'ias'] });
after(() => world[Symbol.asyncDispose]());
const context = { sm_operator_credentials: btpCredentials() };

test('an update has these stages and steps, which ask so often and so long', () => {
  assert.deepEqual(contentsOf(update(world.services).definition), [
    ['cluster', 'Update_Kyma_Initialization', 'Upgrade_Shoot, 10 s'],
    [
      'btp-operator',
      'Update_Init_Kyma_Version, 5 s, 1 min',
      'Get_Kubeconfig, 1 min',
      'Overrides_From_Secrets_And_Config_Step, 10 s, 30 min',
      'BTPOperatorOverrides, 5 s, 5 min',
      'BusolaMigratorOverrides',
      'Inject_BTP_Operator_Credentials, 10 s',
      'Sync_Kubeconfig, 1 min, 5 min',
      'Apply_Reconciler_Configuration, 5 s',
    ],
    ['btp-operator-check', 'CheckReconcilerState, 1 min'],
    ['check', 'Check_Runtime, 1 min, 40 min', 'Update_Instance'],
  ]);
  assert.equal(update(world.services).definition.timeLimit, hours(24));
});

const calls: readonly FailingCall[] = [
  ['Upgrade_Shoot', 'provisioner', { field: 'upgradeShoot' }],
  ['Get_Kubeconfig', 'provisioner', { field: 'runtimeStatus' }],
  ['Overrides_From_Secrets_And_Config_Step', 'control-plane', { path: 'overrides-plan' }],
  ['BTPOperatorOverrides', 'control-plane', { path: 'runtime-version' }],
  ['Inject_BTP_Operator_Credentials', 'provisioner', { path: '^/clusters/.*/secrets' }],
  ['Apply_Reconciler_Configuration', 'artifacts', { path: '/components/' }],
  ['Apply_Reconciler_Configuration', 'reconciler', { method: 'POST', path: '/v1/clusters$' }],
  ['CheckReconcilerState', 'reconciler', { method: 'GET', path: '/status$' }],
  ['Check_Runtime', 'provisioner', { field: 'runtimeOperationStatus' }],
];

/** Those are waited out: others have no other limit, and would ask a hundred times. */
const asksSeldom = ['Get_Kubeconfig', 'CheckReconcilerState', 'Check_Runtime'];

test('each outside system may fail for a while; if it refuses or fails for ever, the instance stays as it was', async (t) => {
  await using short = await impatientWorld(limits, 'azure', { context });
  const { instanceId } = short;
  let autoScalerMax = 30;
  let inForce = 0;
  for (const call of calls) {
    const [step, system, where] = call;
    await t.test(`${step}: ${system} ${Object.values(where).join(' ')}`, async () => {
      const { forAWhile, refused, forEver } = await failing(short, call, () => {
        autoScalerMax += 1;
        return beginUpdate(short, instanceId, { parameters: { autoScalerMax }, context });
      });
      assert.equal(forAWhile.state, 'succeeded');
      assert.ok(forAWhile.outcomes.includes('retry'), forAWhile.outcomes.join());
      // Nobody gives a cluster up because a question about it was refused.
      const patient = step === 'Check_Runtime';
      assert.deepEqual([refused.state, refused.failedIn], ['failed', step]);
      assert.equal(refused.reason === 'time_limit', patient);
      // The first of both is in force, the second one is what the cluster may have.
      const instance = (await short.instance(instanceId)) ?? assert.fail();
      inForce = autoScalerMax - 1;
      assert.equal(instance.parameters.autoScalerMax, inForce);
      assert.deepEqual(instance.details.unsettled, ['autoScalerMax']);
      if (!asksSeldom.includes(step)) return;
      const { state, failedIn, reason } = await forEver();
      assert.deepEqual([state, failedIn, reason], ['failed', step, 'time_limit']);
    });
  }
  await t.test('and the next update brings the cluster where it should be', async () => {
    short.advance(hours(1));
    const id = await beginUpdate(short, instanceId, { parameters: { maxSurge: 2 } });
    assert.equal((await short.pass(id)).state, 'succeeded');
    const { autoScalerMax: inCluster } = await shootOfInstance(short, instanceId);
    assert.equal(inCluster, inForce);
  });
});

test('states of Reconciler and provisioner that end an update say why', async () => {
  const { landscape } = world;
  const instanceId = await provisioned(world, 'azure');
  const stage = async (system: string, state: string, field?: string) => {
    landscape.faults.add({
      system,
      ...(system === 'provisioner' && { field: 'runtimeOperationStatus' }),
      ...(system === 'reconciler' && { method: 'GET' }),
      action: { kind: 'state', state, ...(field !== undefined && { field }) },
    });
    const id = await beginUpdate(world, instanceId, {
      parameters: { autoScalerMax: 33 },
      context,
    });
    const ended = await world.pass(id);
    landscape.faults.remove();
    world.advance(hours(1));
    return [ended.state, ended.error?.step, ended.error?.class];
  };
  assert.deepEqual(await stage('reconciler', 'error', 'status'), [
    'failed',
    'CheckReconcilerState',
    'system',
  ]);
  assert.deepEqual(await stage('provisioner', 'Failed'), ['failed', 'Check_Runtime', 'system']);
  const { parameters, context: kept } = (await world.instance(instanceId)) ?? assert.fail();
  assert.equal(parameters.autoScalerMax, undefined);
  // They were in the cluster before anything failed.
  assert.ok(kept.sm_operator_credentials);
});
