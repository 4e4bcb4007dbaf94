// That every plan's cluster is upgraded is told together with the upgrades of Kyma.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  beginUpgrade,
  provisioned,
  shootOfInstance,
  type World,
} from '../../src/broker/operations/testing.ts';
import { timesAsked } from '../../src/broker/steps/testing.ts';
import { startBroker } from '../../src/broker/testing.ts';
import { deleteComesUponEachStep, onRuntime, restartAfterEachStage } from './interruptions.ts';

const wanted = { kubernetesVersion: '1.27.4', notification: true };

async function succeeds(world: World, id: string) {
  const ended = await world.pass(id);
  assert.equal(ended.state, 'succeeded', JSON.stringify(ended.error));
  return ended;
}

test('a dry run asks the provisioner for nothing, and says what it would ask for', async () => {
  await using world = await startBroker({ off: ['edp', 'ias', 'reconciler', 'lifecycleManager'] });
  const instanceId = await provisioned(world, 'aws');
  const before = JSON.stringify(world.landscape.inventory());
  const { description } = await succeeds(
    world,
    await beginUpgrade(world, 'upgradeCluster', instanceId, { ...wanted, dryRun: true }),
  );
  assert.match(description, /^dry run: the provisioner would be asked for .*"1\.27\.4"/);
  assert.equal(JSON.stringify(world.landscape.inventory()), before);
});

test('an upgrade waits while the provisioner is busy with the runtime', async () => {
  await using world = await startBroker({ off: ['edp', 'ias', 'reconciler', 'lifecycleManager'] });
  const instanceId = await provisioned(world, 'aws');
  const { globalAccount: tenant, runtimeId = '' } =
    (await world.instance(instanceId)) ?? assert.fail();
  const { signal } = new AbortController();
  await world.services.clients.provisioner.upgradeShoot(
    { tenant, operationId: 'somebody else' },
    runtimeId,
    { gardenerConfig: { autoScalerMax: 25 }, administrators: ['a@b.c'] },
    signal,
  );
  const id = await beginUpgrade(world, 'upgradeCluster', instanceId, wanted);
  await succeeds(world, id);
  const lines = await world.engine.timeline(id);
  const waited = lines.find(
    ({ step, outcome }) => step === 'Upgrade_Cluster' && outcome === 'wait',
  );
  assert.match(waited?.because ?? '', /UpgradeShoot is still under way/);
});

test('a cluster that cannot be upgraded fails the upgrade, and says why', async () => {
  await using world = await startBroker({ off: ['edp', 'ias', 'reconciler', 'lifecycleManager'] });
  const instanceId = await provisioned(world, 'aws');
  world.landscape.faults.add({
    system: 'provisioner',
    field: 'runtimeOperationStatus',
    action: { kind: 'state', state: 'Failed' },
  });
  const ended = await world.pass(await beginUpgrade(world, 'upgradeCluster', instanceId, wanted));
  assert.deepEqual([ended.state, ended.error?.step], ['failed', 'Check_Runtime']);
  assert.match(ended.description, /the cluster of runtime .* failed/);
});

test('a delete wins over an upgrade of a cluster, whichever step it comes upon, and nothing is left', async (t) => {
  await deleteComesUponEachStep(t, {
    type: 'upgradeCluster',
    open: (disturb) =>
      startBroker({ off: ['edp', 'ias', 'reconciler', 'lifecycleManager'], disturb }),
    begin: onRuntime((world, instanceId) =>
      beginUpgrade(world, 'upgradeCluster', instanceId, wanted),
    ),
  });
});

test('an upgrade of a cluster goes on in a new process, whichever stage it has reached', () =>
  restartAfterEachStage(
    (world, instanceId) => beginUpgrade(world, 'upgradeCluster', instanceId, wanted),
    async (world, instanceId) => {
      const { kubernetesVersion } = await shootOfInstance(world, instanceId);
      assert.equal(kubernetesVersion, wanted.kubernetesVersion);
      assert.equal(timesAsked(world.landscape, 'provisioner', 'upgradeShoot'), 1);
    },
  ));
