import assert from 'node:assert/strict';
import { test } from 'node:test';
import { minutes } from '#time';
import {
  beginUpgrade,
  evaluationsOf,
  ownCluster,
  provisioned,
  reconciledOf,
  shootOfInstance,
  type World,
} from '../../src/broker/operations/testing.ts';
import { configure, timesAsked } from '../../src/broker/steps/testing.ts';
import {
  btpCredentials,
  everyPlan,
  publish,
  startBroker,
  testSettings,
} from '../../src/broker/testing.ts';
import {
  deleteComesUponEachStep,
  onRuntime,
  restartAfterEachStage,
  startingOver,
} from './interruptions.ts';

const newer = '2.19.0';
const json = { 'content-type': 'application/json' };

/** What operators do before a version can be installed. */
async function release(world: World, version: string): Promise<void> {
  await publish(world.landscape, version);
  const labels = Object.fromEntries(everyPlan.map((plan) => [`overrides-plan-${plan}`, 'true']));
  await configure(world.landscape, 'configmaps', {
    name: `overrides-${version}`,
    labels: { ...labels, [`overrides-version-${version}`]: 'true' },
    data: { 'global.version': version },
  });
  const { controlPlane } = world.services.clients;
  const { signal } = new AbortController();
  const known = { planName: 'azure', kymaVersion: world.services.settings.kymaVersion };
  const { kymaTemplate, additionalComponents } = await controlPlane.brokerConfig(known, signal);
  assert.ok(kymaTemplate);
  const config = JSON.stringify({
    'kyma-template': JSON.stringify(kymaTemplate),
    'additional-components': additionalComponents.map(({ component, namespace }) => ({
      name: component,
      namespace,
    })),
  });
  await configure(world.landscape, 'configmaps', {
    name: `keb-runtime-config-${version}`,
    labels: { 'keb-config': 'true', [`runtime-version-${version}`]: 'true' },
    data: { default: config },
  });
}

async function succeeds(world: World, id: string) {
  const ended = await world.pass(id);
  assert.equal(ended.state, 'succeeded', JSON.stringify(ended.error));
  return ended;
}

test('Kyma and cluster are upgraded in every plan that has them, also if every stage starts over, and watched again afterwards', async (t) => {
  await using world = await startBroker({
    off: ['edp', 'ias'],
    disturb: startingOver('upgradeKyma', 'upgradeCluster', 'endMaintenance'),
  });
  await release(world, newer);
  const own = await ownCluster(world);
  for (const plan of everyPlan) {
    await t.test(plan, async () => {
      const instanceId = await provisioned(world, plan, {
        parameters: plan === 'own_cluster' ? own : {},
        context: { sm_operator_credentials: btpCredentials(), subaccount_id: plan },
      });
      const wanted = { version: newer, notification: true };
      const id = await beginUpgrade(world, 'upgradeKyma', instanceId, wanted);
      if (plan === 'preview') {
        const { description } = await succeeds(world, id);
        assert.equal(description, 'Preview Plan does not support upgrade kyma');
        await upgradeClusterToo(world, plan, instanceId);
        return;
      }
      await world.pass(id, ({ finished_stages }) => finished_stages.includes('maintenance'));
      assert.ok(evaluationsOf(world, instanceId).every((status) => status === 'MAINTENANCE'));
      await succeeds(world, id);
      const { kymaVersion, status } = await reconciledOf(world, instanceId);
      assert.deepEqual([kymaVersion, status], [newer, 'ready']);
      assert.equal((await world.instance(instanceId))?.details.kymaVersion, newer);

      const [end] = await world.engine.ofSubject(instanceId, 1);
      assert.equal(end?.type, 'endMaintenance');
      await succeeds(world, end.id);
      const watched = plan === 'trial' || plan === 'free' ? ['ACTIVE'] : ['ACTIVE', 'ACTIVE'];
      assert.deepEqual(evaluationsOf(world, instanceId), watched);
      const events = (world.landscape.inventory()['spc']?.['maintenanceEvents'] ?? []) as {
        orchestrationId: string;
        eventType: string;
        tenants: { announced: number; eventState: string }[];
      }[];
      const event = events.find(({ orchestrationId }) => orchestrationId === id);
      assert.partialDeepStrictEqual(event, {
        eventType: '1',
        tenants: [{ announced: 1, eventState: '2' }],
      });
      await upgradeClusterToo(world, plan, instanceId);
    });
  }
});

async function upgradeClusterToo(world: World, plan: string, instanceId: string): Promise<void> {
  const wanted = { kubernetesVersion: '1.27.4' };
  const id = await beginUpgrade(world, 'upgradeCluster', instanceId, wanted);
  const { description } = await succeeds(world, id);
  const [end] = await world.engine.ofSubject(instanceId, 1);
  await succeeds(world, end?.id ?? '');
  assert.ok(evaluationsOf(world, instanceId).every((status) => status === 'ACTIVE'));
  if (plan === 'own_cluster')
    return assert.match(description, /skipped: the customer brings the cluster/);
  const { kubernetesVersion } = await shootOfInstance(world, instanceId);
  return assert.equal(kubernetesVersion, wanted.kubernetesVersion);
}

test('without a version it is the one that operators have written down for the account, or that of the landscape', async () => {
  await using world = await startBroker({ off: ['edp', 'ias'] });
  await release(world, newer);
  const instanceId = await provisioned(world, 'azure', {
    parameters: { kymaVersion: '2.18.0' },
  });
  const mapping = {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'kyma-versions' },
    data: { 'GA_ga-1': newer },
  };
  world.landscape.faults.add({
    system: 'control-plane',
    path: '/configmaps/kyma-versions',
    action: { kind: 'answer', status: 200, body: JSON.stringify(mapping), headers: json },
  });
  await succeeds(world, await beginUpgrade(world, 'upgradeKyma', instanceId));
  assert.equal((await reconciledOf(world, instanceId)).kymaVersion, newer);
});

test('a dry run changes nothing, tells nobody, and says what would be', async () => {
  await using world = await startBroker({ off: ['edp', 'ias'] });
  await release(world, newer);
  const instanceId = await provisioned(world, 'azure');
  const { landscape } = world;
  const before = JSON.stringify(landscape.inventory());
  const wanted = { version: newer, notification: true, dryRun: true };
  const { id, description } = await succeeds(
    world,
    await beginUpgrade(world, 'upgradeKyma', instanceId, wanted),
  );
  assert.match(description, /^dry run: Kyma 2\.18\.0 would become 2\.19\.0, with \d+ components/);
  assert.equal(JSON.stringify(landscape.inventory()), before);
  assert.equal((await world.engine.ofSubject(instanceId, 1))[0]?.id, id);
  const unknown = await world.pass(
    await beginUpgrade(world, 'upgradeKyma', instanceId, { version: '9.9.9', dryRun: true }),
  );
  assert.equal(unknown.state, 'failed');
});

test('an upgrade of what has no cluster is pointless, and says so', async () => {
  await using world = await startBroker({ off: ['edp', 'ias'] });
  const instanceId = await provisioned(world, 'trial');
  await world.pass((await world.remove(instanceId, { temporary: true })).id);
  for (const type of ['upgradeKyma', 'upgradeCluster'] as const) {
    const { description } = await succeeds(world, await beginUpgrade(world, type, instanceId));
    assert.match(description, /suspended: there is nothing to upgrade/);
  }
  await using without = await startBroker({ off: ['reconciler'] });
  const other = await provisioned(without, 'azure');
  const { description } = await succeeds(
    without,
    await beginUpgrade(without, 'upgradeKyma', other),
  );
  assert.match(description, /Reconciler is switched off/);
});

test('an upgrade that runs out of time, is refused or is canceled leaves nobody unwatched', async () => {
  await using world = await startBroker({
    off: ['edp', 'ias'],
    settings: { limits: { ...testSettings.limits, reconciling: minutes(10) } },
  });
  const instanceId = await provisioned(world, 'azure');
  const { faults } = world.landscape;
  const action = { kind: 'state', state: 'reconciling', field: 'status' } as const;
  faults.add({ system: 'reconciler', method: 'GET', action });
  const late = await world.pass(await beginUpgrade(world, 'upgradeKyma', instanceId));
  assert.deepEqual([late.state, late.error?.reason], ['failed', 'time_limit']);
  const id = await beginUpgrade(world, 'upgradeKyma', instanceId);
  await world.pass(id, ({ step }) => step === 'Check_Cluster_Configuration');
  assert.deepEqual(evaluationsOf(world, instanceId), ['MAINTENANCE', 'MAINTENANCE']);
  await world.engine.cancel(id, 'an operator has thought better of it');
  for (const each of await world.engine.ofSubject(instanceId, 4)) await world.pass(each.id);
  assert.deepEqual(evaluationsOf(world, instanceId), ['ACTIVE', 'ACTIVE']);
});

test('the same upgrade again is the same operation, another one is refused, and updates wait for its end', async () => {
  await using world = await startBroker({ off: ['edp', 'ias'] });
  const instanceId = await provisioned(world, 'azure');
  const id = await beginUpgrade(world, 'upgradeKyma', instanceId);
  assert.equal(await beginUpgrade(world, 'upgradeKyma', instanceId), id);
  await assert.rejects(beginUpgrade(world, 'upgradeKyma', instanceId, { version: newer }), {
    code: 'OPERATION_IN_PROGRESS',
  });
  const behind = await beginUpgrade(world, 'upgradeCluster', instanceId);
  assert.equal((await world.engine.get(behind))?.state, 'pending');
  await succeeds(world, id);
  await succeeds(world, behind);
  assert.equal(timesAsked(world.landscape, 'reconciler', /^POST/), 2);
  await world.remove(instanceId);
  await assert.rejects(beginUpgrade(world, 'upgradeKyma', instanceId), {
    code: 'OPERATION_IN_PROGRESS',
  });
  await assert.rejects(beginUpgrade(world, 'upgradeKyma', 'nobody'), { code: 'INSTANCE_UNKNOWN' });
});

test('a delete wins over an upgrade of Kyma, whichever step it comes upon, and nothing is left', async (t) => {
  await deleteComesUponEachStep(t, {
    type: 'upgradeKyma',
    open: (disturb) => startBroker({ off: ['edp', 'ias'], disturb }),
    begin: onRuntime(
      (world, instanceId) => beginUpgrade(world, 'upgradeKyma', instanceId, { notification: true }),
      () => ({ context: { sm_operator_credentials: btpCredentials() } }),
    ),
  });
});

test('an upgrade of Kyma goes on in a new process, whichever stage it has reached', () =>
  restartAfterEachStage(
    (world, instanceId) => beginUpgrade(world, 'upgradeKyma', instanceId),
    async (world, instanceId) => {
      const { status } = await reconciledOf(world, instanceId);
      assert.equal(status, 'ready');
      const [end] = await world.engine.ofSubject(instanceId, 1);
      await succeeds(world, end?.id ?? '');
      assert.deepEqual(evaluationsOf(world, instanceId), ['ACTIVE', 'ACTIVE']);
    },
  ));
