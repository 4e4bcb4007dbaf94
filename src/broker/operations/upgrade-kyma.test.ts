import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hours, minutes } from '#time';
import { btpCredentials, startBroker } from '../testing.ts';
import {
  beginUpgrade,
  contentsOf,
  evaluationsOf,
  failing,
  impatientWorld,
  type FailingCall,
} from './testing.ts';
import { upgradeKyma } from './upgrade-kyma.ts';

/** Of the steps that updates have too, one call for each system. */
const calls: readonly FailingCall[] = [
  ['Upgrade_Kyma_Initialisation', 'control-plane', { path: '/configmaps/kyma-versions' }],
  ['Upgrade_Kyma_Initialisation', 'artifacts', { path: '/components/', nth: 1 }],
  ['Init_Kyma_Template', 'control-plane', { path: 'runtime-version', nth: 2 }],
  ['AVS_Maintenance_Mode', 'avs', { method: 'GET', path: '/evaluationmetadata/' }],
  ['AVS_Maintenance_Mode', 'avs', { method: 'PUT', path: '/lifecycle$' }],
  ['Get_Kubeconfig', 'provisioner', { field: 'runtimeStatus' }],
  ['Send_Notification', 'spc', { method: 'PATCH' }],
  ['Apply_Cluster_Configuration', 'reconciler', { method: 'POST', path: '/v1/clusters$' }],
  ['Check_Cluster_Configuration', 'reconciler', { method: 'GET', path: '/status$' }],
  ['Apply_Kyma', 'control-plane', { path: '/kymas' }],
];

/** Nobody is upgraded less because somebody else does not listen. */
const besides = ['AVS_Maintenance_Mode', 'Send_Notification'];

/** Those are waited out: others would ask a hundred times. */
const asksSeldom = [...besides, 'Get_Kubeconfig', 'Check_Cluster_Configuration', 'Apply_Kyma'];

test('an upgrade of Kyma has these stages and steps, which ask so often and so long', async () => {
  await using world = await startBroker();
  const { definition } = upgradeKyma(world.services);
  assert.deepEqual(contentsOf(definition), [
    ['initialisation', 'Upgrade_Kyma_Initialisation, 5 s, 5 min', 'Init_Kyma_Template, 5 s, 5 min'],
    ['maintenance', 'AVS_Maintenance_Mode, 10 s, 10 min'],
    [
      'apply',
      'Get_Kubeconfig, 1 min',
      'Sync_Kubeconfig, 1 min, 5 min',
      'BTPOperatorOverrides, 5 s, 5 min',
      'Overrides_From_Secrets_And_Config_Step, 10 s, 30 min',
      'BusolaMigratorOverrides',
      'Send_Notification, 5 s, 10 min',
      'Apply_Cluster_Configuration, 5 s',
    ],
    ['check', 'Check_Cluster_Configuration, 1 min, 2 h'],
    ['create_kyma_resource', 'Apply_Kyma, 1 s, 10 s'],
  ]);
  assert.equal(definition.timeLimit, hours(3));
});

test('each outside system may fail for a while; without it the upgrade fails, but never unwatched', async (t) => {
  const limits = { upgrade: minutes(7), reconciling: minutes(5), maintenanceNotice: minutes(1) };
  const context = { sm_operator_credentials: btpCredentials() };
  await using world = await impatientWorld(limits, 'azure', { context });
  const { instanceId } = world;
  for (const call of calls) {
    const [step, system, where] = call;
    await t.test(`${step}: ${system} ${Object.values(where).join(' ')}`, async () => {
      const { forAWhile, refused, forEver } = await failing(world, call, () =>
        beginUpgrade(world, 'upgradeKyma', instanceId, { notification: true }),
      );
      assert.equal(forAWhile.state, 'succeeded');
      assert.ok(forAWhile.outcomes.includes('retry'), forAWhile.outcomes.join());
      const ends = asksSeldom.includes(step) ? [refused, await forEver()] : [refused];
      for (const end of ends) {
        if (besides.includes(step)) assert.deepEqual([end.state, end.residue], ['succeeded', true]);
        else assert.deepEqual([end.state, end.failedIn], ['failed', step]);
      }
      const [, atLast] = ends;
      if (atLast?.state === 'failed') assert.equal(atLast.reason, 'time_limit');
      const [last] = await world.engine.ofSubject(instanceId, 1);
      assert.deepEqual([last?.type, last?.description], ['endMaintenance', 'succeeded']);
      assert.deepEqual(evaluationsOf(world, instanceId), ['ACTIVE', 'ACTIVE']);
      assert.equal((await world.instance(instanceId))?.details.avsMaintenance, undefined);
    });
  }
});
