import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hours, minutes } from '#time';
import { startBroker } from '../testing.ts';
import {
  beginUpgrade,
  contentsOf,
  evaluationsOf,
  failing,
  impatientWorld,
  type FailingCall,
} from './testing.ts';
import { upgradeCluster } from './upgrade-cluster.ts';

test('an upgrade of a cluster has these stages and steps, which ask so often and so long', async () => {
  await using world = await startBroker();
  const { definition } = upgradeCluster(world.services);
  assert.deepEqual(contentsOf(definition), [
    ['initialisation', 'Upgrade_Cluster_Initialisation'],
    ['maintenance', 'AVS_Maintenance_Mode, 10 s, 10 min'],
    ['upgrade', 'Send_Notification, 5 s, 10 min', 'Upgrade_Cluster, 5 s, 1 h'],
    ['check', 'Check_Runtime, 1 min, 3 h'],
  ]);
  assert.equal(definition.timeLimit, hours(3));
});

const calls: readonly FailingCall[] = [
  ['Upgrade_Cluster', 'provisioner', { field: 'upgradeShoot' }],
  ['Check_Runtime', 'provisioner', { field: 'runtimeOperationStatus' }],
];

test('the provisioner may fail for a while; without it the upgrade fails, but never unwatched', async (t) => {
  const limits = { upgrade: minutes(6), runtimeRequest: minutes(2), maintenanceNotice: minutes(1) };
  await using world = await impatientWorld(limits, 'aws');
  const { instanceId } = world;
  for (const call of calls) {
    await t.test(call[0], async () => {
      const { forAWhile, refused, forEver } = await failing(world, call, () =>
        beginUpgrade(world, 'upgradeCluster', instanceId, { kubernetesVersion: '1.27.4' }),
      );
      assert.equal(forAWhile.state, 'succeeded');
      assert.ok(forAWhile.outcomes.includes('retry'), forAWhile.outcomes.join());
      const atLast = await forEver();
      for (const end of [refused, atLast])
        assert.deepEqual([end.state, end.failedIn], ['failed', call[0]]);
      assert.equal(atLast.reason, 'time_limit');
      const [last] = await world.engine.ofSubject(instanceId, 1);
      assert.deepEqual([last?.type, last?.description], ['endMaintenance', 'succeeded']);
      assert.deepEqual(evaluationsOf(world, instanceId), ['ACTIVE', 'ACTIVE']);
    });
  }
});
