import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { minutes } from '#time';
import {
  installedKyma,
  kymaVersion,
  olderSettings,
  settingsOf,
  startLegacyBroker,
} from '../../src/broker/legacy/testing.ts';
import {
  provisioned,
  removed,
  whatExists,
  type World,
} from '../../src/broker/operations/testing.ts';
import { failureOf, runsOf, succeeds, untilAfter } from '../../src/broker/steps/testing.ts';
import { startBroker, testSettings } from '../../src/broker/testing.ts';
import { testDatabase } from '../../src/database/testing.ts';
import { startLandscape } from '../../src/landscape/testing.ts';
import { startProvisioner } from '../../src/provisioner/testing.ts';
import { deleteComesUponEachStep } from './interruptions.ts';

test('the older set has these stages and steps', async () => {
  await using world = await startLegacyBroker();
  const stagesOf = (type: string) =>
    world.engine.definitions
      .get(type)
      .stages.map(({ name, steps }) => [name, ...steps.map((step) => step.name)]);
  assert.deepEqual(stagesOf('provision'), [
    ['start', 'Initialization'],
    ['prepare', 'Resolve_Target_Secret', 'Create_LMS_Tenant', 'EDP_Registration'],
    ['register_in_ias', 'IAS_Registration'],
    ['event_hubs', 'Provision Azure Event Hubs'],
    ['lms_request', 'Request_LMS_Certificates'],
    ['lms_certificates', 'Await_LMS_Certificates'],
    [
      'create_runtime',
      'AVS_Configuration_Step',
      'IAS_Overrides',
      'Azure_Event_Hubs_Overrides',
      'Overrides_From_Secrets_And_Config_Step',
      'ServiceManagerOverrides',
      'LMS_Overrides',
      'Create_Runtime',
    ],
    ['check_runtime', 'Check_Runtime'],
    ['post_actions', 'AVS_Create_External_Eval_Step', 'IAS_Sign_On'],
  ]);
  assert.deepEqual(
    stagesOf('deprovision').flatMap(([, ...steps]) => steps),
    [
      'Deprovision_Initialization',
      'Deprovision Azure Event Hubs',
      'De-provision_AVS_Evaluations',
      'End_Notification',
      'IAS_Deregistration',
      'EDP_Deregistration',
      'Remove_Runtime',
      'Check_Runtime_Removal',
      'Release_Subscription',
      'Remove_Instance',
    ],
  );
});

type Inventory = ReturnType<World['landscape']['inventory']>;
const listed = (inventory: Inventory, system: string, kind: string) =>
  (inventory[system]?.[kind] ?? []) as readonly Readonly<Record<string, unknown>>[]; // as the landscape lists what exists

/** Tenants and certificates stay: LMS removes nothing, and the next runtime of the account uses the tenant again. */
function withoutLms(world: World) {
  const { lms, ...others } = whatExists(world.landscape) as Inventory;
  return { tenants: listed({ lms: lms ?? {} }, 'lms', 'tenants'), others };
}

for (const { plan, evaluations, groups, tenants, providers } of [
  { plan: 'azure', evaluations: 2, groups: 1, tenants: 1, providers: 2 },
  { plan: 'gcp', evaluations: 2, groups: 0, tenants: 1, providers: 2 },
  { plan: 'trial', evaluations: 1, groups: 0, tenants: 0, providers: 2 },
] as const) {
  test(`${plan}: a runtime comes with Kyma in one go, and nothing is left of it but the logging tenant`, async () => {
    await using world = await startLegacyBroker();
    const before = withoutLms(world).others;
    const instanceId = await provisioned(world, plan);
    const inventory = world.landscape.inventory();
    const count = (system: string, kind: string) => listed(inventory, system, kind).length;
    assert.deepEqual(
      {
        runtimes: listed(inventory, 'provisioner', 'runtimes').map((each) => each['kymaVersion']),
        evaluations: count('avs', 'evaluations'),
        dataTenants: count('edp', 'dataTenants'),
        groups: listed(inventory, 'azure', 'resourceGroups').map(({ name }) => name),
        namespaces: listed(inventory, 'azure', 'namespaces').map(({ state }) => state),
        tenants: count('lms', 'tenants'),
        certificates: count('lms', 'certificates'),
        providers: listed(inventory, 'ias', 'serviceProviders').map(({ secrets }) => secrets),
        reconciler: count('reconciler', 'clusters'),
      },
      {
        runtimes: [kymaVersion],
        evaluations,
        dataTenants: 1,
        groups: groups === 0 ? [] : [`k${instanceId}`],
        namespaces: groups === 0 ? [] : ['Succeeded'],
        tenants,
        certificates: tenants,
        providers: providers === 2 ? [0, 1] : [],
        reconciler: 0,
      },
    );

    const { ended } = await removed(world, instanceId);
    assert.equal(ended.description, 'succeeded');
    const after = withoutLms(world);
    assert.deepEqual(after.others, before);
    assert.equal(after.tenants.length, tenants);
    assert.equal(await world.instance(instanceId), undefined);
  });
}

test('Kyma is told all that the steps have collected; what is secret is marked, and sealed where it is stored', async () => {
  await using world = await startLegacyBroker();
  const { instanceId, operationId } = await world.order('azure');
  await world.pass(operationId);
  const kyma = await installedKyma(world, instanceId);
  const { details, shootDomain } = (await world.instance(instanceId)) ?? assert.fail();
  assert.equal(kyma.version, kymaVersion);
  assert.deepEqual(kyma.configuration, [
    { key: 'global.disableLegacyConnectivity', value: 'true', secret: false },
  ]);
  assert.deepEqual(settingsOf(kyma, 'avs-bridge'), {
    'avs_bridge.config.evaluations.cluster.id': details.avsInternalId,
    '*avs_bridge.config.availabilityService.apiKey': 'avs-key',
  });
  assert.deepEqual(settingsOf(kyma, 'service-manager-proxy'), {
    'config.sm.url': 'https://sm.example.com',
    'sm.user': 'sm-user',
    '*sm.password': 'sm-password',
  });
  assert.deepEqual(settingsOf(kyma, 'knative-eventing'), {
    'knative-eventing.channel.default.apiVersion': 'knativekafka.kyma-project.io/v1alpha1',
    'knative-eventing.channel.default.kind': 'KafkaChannel',
  });
  const { '*kafka.password': connection = '', ...kafka } = settingsOf(
    kyma,
    'knative-eventing-kafka',
  );
  assert.match(connection, /^Endpoint=sb:\/\/k.*;SharedAccessKey=/);
  assert.deepEqual(kafka, {
    '*kafka.brokers.hostname': `k${instanceId}.servicebus.windows.net`,
    '*kafka.brokers.port': '9093',
    '*kafka.namespace': 'knative-eventing',
    '*kafka.username': '$ConnectionString',
    '*kafka.secretName': 'knative-kafka',
    '*environment.kafkaProvider': 'azure',
  });
  assert.deepEqual(Object.keys(settingsOf(kyma, 'monitoring')), [
    '*grafana.env.GF_AUTH_GENERIC_OAUTH_CLIENT_ID',
    '*grafana.env.GF_AUTH_GENERIC_OAUTH_CLIENT_SECRET',
  ]);
  const logging = settingsOf(kyma, 'logging');
  const inventory = world.landscape.inventory();
  const [tenant] = listed(inventory, 'lms', 'tenants');
  const dns = `${String(tenant?.['id'])}.lms.example.com`;
  assert.partialDeepStrictEqual(logging, {
    'fluent-bit.conf.Output.forward.enabled': 'true',
    'fluent-bit.backend.forward.host': `forward.${dns}`,
    'fluent-bit.config.outputs.forward.port': '8443',
    'fluent-bit.conf.Filter.record_modifier.Key': 'subaccount_id',
    'fluent-bit.conf.Filter.record_modifier.Value': 'SA-1',
  });
  const key = Buffer.from(logging['*fluent-bit.backend.forward.tls.key'] ?? '', 'base64');
  assert.match(key.toString(), /^-----BEGIN RSA PRIVATE KEY-----/);
  assert.partialDeepStrictEqual(listed(inventory, 'provisioner', 'runtimes'), [
    { labels: { operator_lmsUrl: `https://kibana.${dns}` } },
  ]);
  assert.deepEqual(
    listed(inventory, 'ias', 'serviceProviders').map(({ returnsTo }) => returnsTo),
    [
      [`https://dex.${shootDomain}/callback`],
      [`https://grafana.${shootDomain}/login/generic_oauth`],
    ],
  );
  const { rows } = await world.database.pool.query<{ facts: Record<string, object> }>(
    'select facts from operations where id = $1',
    [operationId],
  );
  for (const name of ['lmsKey', 'lmsCertificates', 'iasClient'])
    assert.deepEqual(Object.keys(rows[0]?.facts[name] ?? {}), ['$secret'], name);
});

test('two runtimes of one account at the same moment share one logging tenant, one of another account has its own', async () => {
  await using world = await startLegacyBroker();
  const orders = await Promise.all(
    ['ga-1', 'ga-1', 'ga-2'].map((globalaccount_id) =>
      world.order('gcp', { context: { globalaccount_id, subaccount_id: randomUUID() } }),
    ),
  );
  for (const order of orders) await succeeds(world, order);
  assert.deepEqual(
    listed(world.landscape.inventory(), 'lms', 'tenants')
      .map(({ name, region }) => `${String(name)} in ${String(region)}`)
      .toSorted((one, other) => one.localeCompare(other)),
    ['ga1 in eu', 'ga2 in eu'],
  );
});

/** What the older set calls and today's does not, by step; and what becomes of an order if that fails for ever. */
const calls = [
  ['Create_LMS_Tenant', 'lms', { method: 'POST', path: '/tenants$' }, 'goes on'],
  ['Request_LMS_Certificates', 'lms', { path: '/status$' }, 'goes on'],
  ['Await_LMS_Certificates', 'lms', { method: 'GET', path: '/certs/\\d+$' }, 'goes on'],
  ['IAS_Registration', 'ias', { path: '/company/global' }, 'fails'],
  ['Provision Azure Event Hubs', 'gardener', { path: '/secrets/' }, 'fails'],
  ['Provision Azure Event Hubs', 'azure', { method: 'PUT', path: '/namespaces/' }, 'fails'],
  ['Azure_Event_Hubs_Overrides', 'azure', { path: '/listKeys' }, 'fails'],
  ['AVS_Configuration_Step', 'avs', { method: 'POST', path: '/evaluationmetadata$' }, 'fails'],
  ['Create_Runtime', 'provisioner', { field: 'provisionRuntime' }, 'fails'],
  ['IAS_Sign_On', 'ias', { method: 'PUT', path: '/sps/[^/]+$', nth: 5 }, 'goes on'],
] as const;
const outage = { kind: 'reset' } as const;

test('outside systems may fail for a while; one that fails for ever ends the order, or is left on record', async (t) => {
  const limits = { ...testSettings.limits, avsInternal: minutes(1), runtimeRequest: minutes(1) };
  await using world = await startLegacyBroker({ settings: { limits } });
  const { faults } = world.landscape;
  for (const [step, system, where, then] of calls) {
    await t.test(`${step}: ${system} ${Object.values(where).join(' ')} ${then}`, async () => {
      const ga = `ga-${randomUUID()}`;
      // An account of one's own costs one of the pool; tenants are made once for each.
      const needsTenant = step === 'Create_LMS_Tenant';
      const order = () =>
        world.order('azure', {
          context: { subaccount_id: randomUUID(), ...(needsTenant && { globalaccount_id: ga }) },
        });
      faults.add({ system, count: 2, ...where, action: outage });
      const recovered = await order();
      await succeeds(world, recovered);
      assert.match((await runsOf(world, recovered, step)).join(), /retry: .*done$/);

      faults.remove();
      if (needsTenant) await world.database.pool.query('delete from lms_tenants');
      faults.add({ system, count: 1_000_000, ...where, action: outage });
      const hopeless = await order();
      const { state, not_completed: left } = await world.pass(hopeless.operationId);
      faults.remove();
      assert.deepEqual(
        { state, left },
        then === 'fails' ? { state: 'failed', left: [] } : { state: 'succeeded', left: [step] },
      );
      assert.match((await runsOf(world, hopeless, step)).at(-1) ?? '', /did not succeed within/);
    });
  }
});

test('a delete wins over a provisioning, whichever step it comes upon', async (t) => {
  let orders = 0;
  await deleteComesUponEachStep(t, {
    type: 'provision',
    open: (disturb) => startLegacyBroker({ disturb }),
    begin(world, step) {
      // Each has an account of its own, of all kinds in turn: nobody cleans here what was released.
      const plan = ['aws', 'gcp', 'openstack'][(orders += 1) % 3] ?? 'aws';
      return world.order(/Azure/.test(step) ? 'azure' : plan, {
        context: { globalaccount_id: `ga-${orders}` },
      });
    },
    stays: ['lms'],
  });
});

test('a delete that comes before service providers are visible leaves none of them', async () => {
  await using world = await startLegacyBroker();
  const before = withoutLms(world).others;
  const { instanceId, operationId } = await world.order('azure');
  await world.pass(operationId, ({ system }) => system === 'ias');
  assert.equal(listed(world.landscape.inventory(), 'ias', 'serviceProviders').length, 2);
  assert.equal((await removed(world, instanceId)).ended.description, 'succeeded');
  assert.deepEqual(withoutLms(world).others, before);
});

test('where LMS is mandatory, no runtime comes without it', async () => {
  const older = { ...olderSettings, lms: { isMandatory: true, accounts: 'all' as const } };
  await using world = await startLegacyBroker({ settings: { older } });
  world.landscape.faults.add({ system: 'lms', action: { kind: 'answer', status: 400 } });
  const failure = await failureOf(world, await world.order('azure'));
  assert.partialDeepStrictEqual(failure, { step: 'Create_LMS_Tenant', system: 'lms' });
});

test('what LMS refuses for a moment is asked again', async () => {
  await using world = await startLegacyBroker();
  for (const path of ['/tenants$', '/status$', '/certs$', '/certs/\\d+$', '/certs/ca$'])
    world.landscape.faults.add({
      system: 'lms',
      path,
      count: 1,
      action: { kind: 'answer', status: 503, body: '{"message":"busy"}' },
    });
  const order = await world.order('azure');
  await succeeds(world, order);
  const { not_completed: left } = (await world.engine.get(order.operationId)) ?? assert.fail();
  assert.deepEqual(left, []);
  assert.equal(listed(world.landscape.inventory(), 'lms', 'certificates').length, 1);
});

test('accounts that are not named send no logs', async () => {
  const older = { ...olderSettings, lms: { isMandatory: true, accounts: ['GA-2'] } };
  await using world = await startLegacyBroker({ settings: { older } });
  await provisioned(world, 'azure');
  assert.deepEqual(listed(world.landscape.inventory(), 'lms', 'tenants'), []);
  await provisioned(world, 'gcp', { context: { globalaccount_id: 'ga-2', subaccount_id: 's' } });
  assert.equal(listed(world.landscape.inventory(), 'lms', 'tenants').length, 1);
});

test('without credentials of Service Manager that the request must bring, no runtime comes', async () => {
  const older = { serviceManager: { mode: 'Never' } } as const;
  await using world = await startLegacyBroker({
    settings: { older },
    off: ['avs', 'edp'],
  });
  const failure = await failureOf(world, await world.order('gcp'));
  assert.partialDeepStrictEqual(failure, { step: 'ServiceManagerOverrides', class: 'user' });
});

for (const [what, plan, settings, why] of [
  [
    'a version of Kyma 2',
    'azure',
    { kymaVersion: '2.18.0' },
    /installs Kyma 1\.x, and not 2\.18\.0/,
  ],
  ['a preview', 'preview', {}, /plan preview is not served/],
] as const) {
  test(`${what} cannot be ordered from the older set, and nothing comes of it`, async () => {
    await using world = await startLegacyBroker({ settings });
    const before = whatExists(world.landscape);
    const failure = await failureOf(world, await world.order(plan));
    assert.equal(failure.step, 'Initialization');
    assert.match(failure.message, why);
    assert.deepEqual(whatExists(world.landscape), before);
  });
}

test('without Azure the removal ends, the Event Hubs stay on record, and are removed later', async () => {
  await using world = await startLegacyBroker();
  const before = withoutLms(world).others;
  const instanceId = await provisioned(world, 'azure');
  const path = '^/subscriptions';
  world.landscape.faults.add({ system: 'azure', path, action: { kind: 'answer', status: 503 } });
  const { ended } = await removed(world, instanceId);
  assert.deepEqual(ended.not_completed, ['Deprovision Azure Event Hubs']);
  assert.ok((await world.instance(instanceId))?.details.eventHubsIn);
  world.landscape.faults.remove();
  assert.equal((await removed(world, instanceId)).ended.description, 'succeeded');
  assert.deepEqual(withoutLms(world).others, before);
});

test('with our own provisioner, the runtime connects and tells Director the address of its dashboard', async () => {
  await using provisioner = await startProvisioner();
  const { landscape } = provisioner;
  const provisionerUrl = `${provisioner.url}/graphql`;
  await using world = await startLegacyBroker({ landscape, provisionerUrl, withDirector: true });
  const order = await world.order('azure');
  const { facts } = await untilAfter(world, order, 'create_runtime');
  const creation = await provisioner.pass(String(facts['provisionerOperationId']));
  assert.equal(creation.state, 'succeeded', JSON.stringify(creation.error));
  await succeeds(world, order);
  const { runtimeId, dashboardUrl, shootDomain } =
    (await world.instance(order.instanceId)) ?? assert.fail();
  assert.equal(dashboardUrl, `https://console.${shootDomain}`);
  assert.partialDeepStrictEqual(listed(landscape.inventory(), 'director', 'runtimes'), [
    { id: runtimeId, condition: 'CONNECTED' },
  ]);
});

test("today's operations take over single steps of the older set, and remove what the older set has made", async () => {
  await using database = await testDatabase({ migrations: ['engine', 'audit', 'broker'] });
  await using landscape = await startLandscape();
  const old = await startLegacyBroker({ database, landscape });
  const before = withoutLms(old).others;
  const first = await provisioned(old, 'azure');
  await old[Symbol.asyncDispose]();

  const older = olderSettings;
  await using today = await startBroker({ database, landscape, settings: { older } });
  const second = await today.order('azure', { context: { subaccount_id: 'another' } });
  await succeeds(today, second);
  for (const step of [
    'AVS_Configuration_Step',
    'IAS_Registration',
    'IAS_Overrides',
    'IAS_Sign_On',
    'Create_LMS_Tenant',
    'Request_LMS_Certificates',
    'Await_LMS_Certificates',
    'LMS_Overrides',
    'ServiceManagerOverrides',
  ])
    assert.match((await runsOf(today, second, step)).at(-1) ?? '', /^done/, step);
  assert.equal(listed(landscape.inventory(), 'lms', 'tenants').length, 1);
  for (const id of [first, second.instanceId])
    assert.equal((await removed(today, id)).ended.description, 'succeeded');
  assert.deepEqual(withoutLms(today).others, before);
});
