import assert from 'node:assert/strict';
import { test } from 'node:test';
import { z } from 'zod';
import { startUpdate } from '#broker';
import { Secret } from '#database';
import { startApi } from '../../src/broker/api/testing.ts';
import {
  beginUpdate,
  clusterOf,
  ownCluster,
  provisioned,
  reconciledOf,
  shootOfInstance,
  type World,
} from '../../src/broker/operations/testing.ts';
import { configure } from '../../src/broker/steps/testing.ts';
import { btpCredentials, everyPlan, startBroker } from '../../src/broker/testing.ts';
import {
  deleteComesUponEachStep,
  onRuntime,
  restartAfterEachStage,
  startingOver,
} from './interruptions.ts';

const { signal } = new AbortController();

const credentials = (clientid: string) =>
  new Secret(JSON.stringify({ ...JSON.parse(btpCredentials().reveal()), clientid }));

/** What the cluster has of the credentials. */
async function clientIdIn(world: World, instanceId: string): Promise<string> {
  const cluster = await clusterOf(world, instanceId);
  const { data } = await cluster.request({
    method: 'GET',
    path: '/api/v1/namespaces/kyma-system/secrets/sap-btp-manager',
    answer: z.object({ data: z.object({ clientid: z.string() }) }),
    what: 'look',
    signal,
  });
  return Buffer.from(data.clientid, 'base64').toString();
}

async function succeeds(world: World, operationId: string) {
  const ended = await world.pass(operationId);
  assert.equal(ended.state, 'succeeded', JSON.stringify(ended.error));
  const timeline = await world.engine.timeline(operationId);
  return { ...ended, ran: timeline.filter(({ outcome }) => outcome === 'done').map((l) => l.step) };
}

test('what a customer changes reaches the cluster and Kyma, in every plan, also if every stage starts over', async (t) => {
  await using world = await startBroker({
    off: ['edp', 'ias', 'avs'],
    disturb: startingOver('update'),
  });
  const own = await ownCluster(world);
  for (const plan of everyPlan) {
    await t.test(plan, async () => {
      const isTheirs = plan === 'own_cluster';
      const instanceId = await provisioned(world, plan, {
        parameters: isTheirs ? own : {},
        context: { sm_operator_credentials: credentials('first'), subaccount_id: plan },
      });
      const administrators = ['new@example.com'];
      const id = await beginUpdate(world, instanceId, {
        parameters: isTheirs ? {} : { administrators },
        context: { sm_operator_credentials: credentials('second'), license_type: 'CUSTOMER' },
      });
      const before = (await world.instance(instanceId)) ?? assert.fail();
      const { ran } = await succeeds(world, id);
      const after = (await world.instance(instanceId)) ?? assert.fail();

      assert.equal(before.parameters.administrators, undefined);
      assert.equal(before.context.license_type, undefined);
      assert.deepEqual(after.parameters.administrators, isTheirs ? undefined : administrators);
      assert.equal(after.context.license_type, 'CUSTOMER');
      assert.equal(after.context.sm_operator_credentials?.reveal(), credentials('second').reveal());
      assert.equal(after.details.smClusterId, before.details.smClusterId);
      if (!isTheirs) assert.equal(await clientIdIn(world, instanceId), 'second');
      assert.equal(ran.includes('Check_Runtime'), !isTheirs);
      assert.equal(ran.includes('Apply_Reconciler_Configuration'), plan !== 'preview');
      if (plan === 'preview') return;
      assert.ok(
        (after.details.clusterConfigurationVersion ?? 0) >
          (before.details.clusterConfigurationVersion ?? Infinity),
      );
      assert.equal((await reconciledOf(world, instanceId)).status, 'ready');
    });
  }
});

test('only what changes is touched', async (t) => {
  await using world = await startBroker({ off: ['edp', 'ias', 'avs'] });
  const instanceId = await provisioned(world, 'azure', {
    context: { sm_operator_credentials: btpCredentials() },
  });
  const asked = async (changes: Parameters<typeof beginUpdate>[2]) => {
    const { requests } = world.landscape;
    const from = requests.length;
    const ended = await succeeds(world, await beginUpdate(world, instanceId, changes));
    const since = requests.slice(from);
    return {
      ended,
      provisioner: since.filter(({ fields }) => fields?.includes('upgradeShoot')).length,
      reconciler: since.filter(({ system, method }) => system === 'reconciler' && method === 'POST')
        .length,
    };
  };
  await t.test('machines: the provisioner alone', async () => {
    const { provisioner, reconciler } = await asked({ parameters: { autoScalerMax: 30 } });
    assert.deepEqual([provisioner, reconciler], [1, 0]);
    assert.equal((await shootOfInstance(world, instanceId)).autoScalerMax, 30);
    assert.equal((await world.instance(instanceId))?.parameters.autoScalerMax, 30);
  });
  await t.test('credentials: Kyma alone, and also if they are the same', async () => {
    const context = { sm_operator_credentials: credentials('rotated') };
    for (let i = 0; i < 2; i += 1) {
      const { provisioner, reconciler } = await asked({ context });
      assert.deepEqual([provisioner, reconciler], [0, 1]);
    }
    assert.equal(await clientIdIn(world, instanceId), 'rotated');
  });
  await t.test('what is only kept on record: nobody', async () => {
    const { provisioner, reconciler } = await asked({ context: { origin: 'somewhere' } });
    assert.deepEqual([provisioner, reconciler], [0, 0]);
    assert.equal((await world.instance(instanceId))?.context.origin, 'somewhere');
  });
  await t.test('what the instance has already: nobody, and the operation says so', async () => {
    const { ended, provisioner, reconciler } = await asked({
      parameters: { autoScalerMax: 30, administrators: [] },
      context: { origin: 'somewhere' },
    });
    assert.deepEqual([provisioner, reconciler], [0, 0]);
    assert.match(ended.description, /nothing changes/);
  });
  await t.test('the version of maintenance: cluster and Kyma get what is new today', async () => {
    const { provisioner, reconciler } = await asked({ maintenanceVersion: '7' });
    assert.deepEqual([provisioner, reconciler], [1, 1]);
    assert.equal((await world.instance(instanceId))?.maintenanceVersion, '7');
    assert.match((await asked({ maintenanceVersion: '7' })).ended.description, /nothing changes/);
  });
  await t.test('the plan, where the catalog allows it', async () => {
    await asked({ plan: 'azure_lite' });
    assert.equal((await world.instance(instanceId))?.planName, 'azure_lite');
  });
});

test('an instance that never had BTP credentials takes the identity that its cluster has', async () => {
  await using world = await startBroker({ off: ['edp', 'ias', 'avs'] });
  const instanceId = await provisioned(world);
  const cluster = await clusterOf(world, instanceId);
  await cluster.request({
    method: 'POST',
    path: '/api/v1/namespaces',
    body: { metadata: { name: 'kyma-system' } },
    what: 'prepare',
    signal,
  });
  await cluster.request({
    method: 'POST',
    path: '/api/v1/namespaces/kyma-system/configmaps',
    body: { metadata: { name: 'cluster-info' }, data: { id: 'known-before' } },
    what: 'prepare',
    signal,
  });
  const context = { sm_operator_credentials: btpCredentials() };
  await succeeds(world, await beginUpdate(world, instanceId, { context }));
  assert.equal((await world.instance(instanceId))?.details.smClusterId, 'known-before');
});

test('a kubeconfig that a customer renews is handed to everybody who works in the cluster', async () => {
  await using world = await startBroker({ off: ['edp', 'ias', 'avs'] });
  const parameters = await ownCluster(world);
  const instanceId = await provisioned(world, 'own_cluster', { parameters });
  const text = Buffer.from(parameters.kubeconfig, 'base64').toString();
  const renewed = new Secret(`${text}\n# renewed\n`);
  const { ran } = await succeeds(
    world,
    await beginUpdate(world, instanceId, { parameters: { kubeconfig: renewed } }),
  );
  assert.ok(ran.includes('Sync_Kubeconfig') && ran.includes('Apply_Reconciler_Configuration'));
  const { parameters: after } = (await world.instance(instanceId)) ?? assert.fail();
  assert.equal(after.kubeconfig?.reveal(), renewed.reveal());
});

test('an update of a suspended instance waits in it for the next runtime; an expired one does not change', async () => {
  await using world = await startBroker({ off: ['edp', 'ias', 'avs'] });
  const suspended = await provisioned(world, 'trial');
  await world.pass((await world.remove(suspended, { temporary: true })).id);
  const parameters = { administrators: ['later@example.com'] };
  const ended = await succeeds(world, await beginUpdate(world, suspended, { parameters }));
  assert.match(ended.description, /suspended: its next runtime/);
  assert.deepEqual((await world.instance(suspended))?.parameters.administrators, [
    'later@example.com',
  ]);
  await world.database.pool.query('update instances set expired_at = now() where id = $1', [
    suspended,
  ]);
  const late = { administrators: ['too-late@example.com'] };
  const { description } = await succeeds(
    world,
    await beginUpdate(world, suspended, { parameters: late }),
  );
  assert.match(description, /expired/);
  assert.deepEqual((await world.instance(suspended))?.parameters.administrators, [
    'later@example.com',
  ]);
});

test('what a failed update has left in the cluster is settled by the next one', async () => {
  await using world = await startBroker({ off: ['edp', 'ias', 'avs'] });
  const { faults } = world.landscape;
  const instanceId = await provisioned(world);
  faults.add({
    system: 'reconciler',
    method: 'POST',
    action: { kind: 'answer', status: 400 },
  });
  const failing = await beginUpdate(world, instanceId, {
    parameters: { autoScalerMax: 30, machineType: 'Standard_D8_v3', administrators: ['x@y.z'] },
  });
  assert.equal((await world.pass(failing)).state, 'failed');
  const { parameters } = (await world.instance(instanceId)) ?? assert.fail();
  assert.deepEqual(parameters, { name: 'demo' });
  assert.equal((await shootOfInstance(world, instanceId)).autoScalerMax, 30);

  faults.remove();
  const next = await beginUpdate(world, instanceId, { parameters: { maxSurge: 2 } });
  await succeeds(world, next);
  const shoot = await shootOfInstance(world, instanceId);
  assert.deepEqual([shoot.autoScalerMax, shoot.machineType], [20, 'Standard_D4_v3']);
  const after = (await world.instance(instanceId)) ?? assert.fail();
  assert.deepEqual(after.parameters, { name: 'demo', maxSurge: 2 });
  assert.equal(after.details.unsettled, undefined);
});

test('the same request again is the same operation; another one has to wait for its end', async () => {
  await using world = await startBroker({ off: ['edp', 'ias', 'avs'] });
  const instanceId = await provisioned(world);
  const changes = {
    parameters: { autoScalerMax: 30 },
    context: { sm_operator_credentials: credentials('a') },
  };
  const first = await beginUpdate(world, instanceId, changes);
  assert.equal(await beginUpdate(world, instanceId, changes), first);
  const other = { ...changes, context: { sm_operator_credentials: credentials('b') } };
  await assert.rejects(beginUpdate(world, instanceId, other), { code: 'OPERATION_IN_PROGRESS' });
  await succeeds(world, first);
  assert.notEqual(await beginUpdate(world, instanceId, changes), first);
});

test('a platform sees an update from its request to its end', async () => {
  await using world = await startApi({
    withRealSteps: true,
    off: ['edp', 'ias'],
    api: { startUpdate, maintenance: { version: '1.0.0' } },
  });
  const id = 'an-instance';
  await world.pass(world.operationOf(await world.put(id)));
  const change = {
    parameters: { autoScalerMax: 30 },
    context: { sm_operator_credentials: JSON.parse(credentials('new').reveal()) as object },
    maintenance_info: { version: '1.0.0' },
  };
  const first = await world.patch(id, change);
  assert.equal(first.status, 202);
  const again = await world.patch(id, change);
  assert.deepEqual([again.status, again.body], [202, first.body]);
  const other = await world.patch(id, { parameters: { autoScalerMax: 31 } });
  assert.deepEqual([other.status, other.body['error']], [422, 'ConcurrencyError']);
  assert.equal((await world.get(id)).status, 422);
  const operation = world.operationOf(first);
  const progress = await world.poll(id, `operation=${operation}`);
  assert.equal(progress.body['state'], 'in progress');

  await world.pass(operation);
  assert.equal((await world.poll(id)).body['state'], 'succeeded');
  const { body, text } = await world.get(id);
  assert.partialDeepStrictEqual(body, {
    maintenance_info: { version: '1.0.0' },
    parameters: { parameters: { name: 'demo', autoScalerMax: 30 } },
  });
  assert.doesNotMatch(text, /sm-secret/);
  assert.equal(await clientIdIn(world, id), 'new');

  const { context: _, ...same } = change;
  const pointless = world.operationOf(await world.patch(id, same));
  await world.pass(pointless);
  const { body: said } = await world.poll(id, `operation=${pointless}`);
  assert.equal(said['state'], 'succeeded');
  assert.match(String(said['description']), /nothing changes/);
});

test('a platform changes the plan where that is switched on and the catalog allows it', async () => {
  await using world = await startApi({
    withRealSteps: true,
    off: ['edp', 'ias', 'avs', 'reconciler', 'lifecycleManager'],
    plans: { enabledPlans: [...everyPlan, 'build-runtime-azure'], planUpdates: true },
    api: { startUpdate },
  });
  const id = 'an-instance';
  await world.pass(world.operationOf(await world.put(id)));
  const plan = (name: string) =>
    world.services.plans.enabled.find((each) => each.name === name)?.id ?? assert.fail();
  await configure(world.landscape, 'configmaps', {
    name: 'overrides-of-another-plan',
    labels: {
      'overrides-plan-build-runtime-azure': 'true',
      [`overrides-version-${world.services.settings.kymaVersion}`]: 'true',
    },
    data: { 'global.plan': 'another' },
  });
  const refused = await world.patch(id, { plan_id: plan('aws') });
  assert.deepEqual([refused.status, refused.body['update_repeatable']], [422, false]);
  assert.match(String(refused.body['description']), /\(allowed: build-runtime-azure\)/);
  const plan_id = plan('build-runtime-azure');
  await succeeds(world, world.operationOf(await world.patch(id, { plan_id })));
  assert.equal((await world.get(id)).body['plan_id'], plan_id);
  assert.equal((await world.instance(id))?.planName, 'build-runtime-azure');
});

test('a delete wins over an update, whichever step it comes upon, and nothing is left', async (t) => {
  const needsOwn = (step: string) => step === 'Sync_Kubeconfig';
  await deleteComesUponEachStep(t, {
    type: 'update',
    open: (disturb) => startBroker({ off: ['edp', 'ias', 'avs'], disturb }),
    begin: onRuntime(
      async (world, instanceId, step) => {
        const { kubeconfig } = (await world.instance(instanceId))?.parameters ?? {};
        return beginUpdate(world, instanceId, {
          parameters:
            needsOwn(step) && kubeconfig ? { kubeconfig } : { administrators: ['new@example.com'] },
          context: needsOwn(step)
            ? { origin: 'x' }
            : { sm_operator_credentials: credentials('new') },
        });
      },
      // What was put into a customer's own cluster would stay there.
      (step, own) =>
        needsOwn(step)
          ? { plan: 'own_cluster', parameters: own }
          : { context: { sm_operator_credentials: btpCredentials() } },
    ),
  });
});

test('an update goes on in a new process, whichever stage it has reached', () =>
  restartAfterEachStage(
    (world, instanceId) =>
      beginUpdate(world, instanceId, {
        parameters: { autoScalerMax: 30 },
        context: { sm_operator_credentials: credentials('new') },
      }),
    async (world, instanceId) => {
      assert.equal(await clientIdIn(world, instanceId), 'new');
      assert.equal((await world.instance(instanceId))?.parameters.autoScalerMax, 30);
      const asked = world.landscape.requests.filter(({ fields }) =>
        fields?.includes('upgradeShoot'),
      );
      assert.equal(asked.length, 1);
    },
  ));
