import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { orderOf, planIds, startApi } from '../../src/broker/api/testing.ts';

const maintenance = { version: '2.18.0+abcdef', description: 'Kyma 2.18' };
const world = await startApi({ api: { maintenance, includeAdditionalParameters: true } });
after(() => world[Symbol.asyncDispose]());

type Schema = Readonly<Record<string, unknown>>;
type Plan = Readonly<Record<string, unknown>> & {
  readonly id: string;
  readonly description: string;
  readonly name: string;
  readonly schemas: { service_instance: Record<'create' | 'update', { parameters: Schema }> };
};
type Service = Readonly<Record<string, unknown>> & { readonly plans: readonly Plan[] };

const served = async (prefix = '') => {
  const { status, body } = await world.catalog({ prefix });
  assert.equal(status, 200);
  return body['services'] as readonly Service[]; // what it must be is what the tests ask
};
const [service = assert.fail()] = await served();
const { plans } = service;
const guid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const schemas = plans.flatMap(
  ({
    schemas: {
      service_instance: { create, update },
    },
  }) => [create.parameters, update.parameters],
);

test('the catalog is served below every prefix [CAT-01, CAT-02]', async () => {
  for (const prefix of ['', '/oauth', '/oauth/cf-eu20'])
    assert.equal((await served(prefix)).length, 1);
});

test('the service has an id, a name and a description of its own, and says what can be done [CAT-12, CAT-13, CAT-14, CAT-16, CAT-17, CAT-18, CAT-19]', () => {
  assert.equal(service['id'], '47c9dcbf-ff30-448e-ab36-d3bad66ba281');
  assert.equal(service['name'], 'kymaruntime');
  assert.ok(service['description']);
  assert.equal(typeof service['bindable'], 'boolean');
});

test('there are plans, each with an id, a name and a description of its own [CAT-27, CAT-28, CAT-29, CAT-30, CAT-31, CAT-32, CAT-33, CAT-35]', () => {
  assert.equal(plans.length, 9);
  for (const key of ['id', 'name'] as const)
    assert.equal(new Set(plans.map((plan) => plan[key])).size, plans.length);
  for (const plan of plans) {
    assert.match(plan.id, guid);
    assert.ok(plan.name && plan['description']);
  }
});

test('ids are those that platforms have on record since the first release [CAT-05]', async () => {
  const ids = Object.fromEntries(plans.map(({ name, id }) => [name, id]));
  assert.deepEqual(ids, {
    aws: '361c511f-f939-4621-b228-d0fb79a1fe15',
    azure: '4deee563-e5ec-4731-b9b1-53b42d855f0c',
    azure_lite: '8cb22518-aa26-44c5-91a0-e669ec9bf443',
    free: 'b1a5764e-2ea1-4f95-94c0-2b4538b37b55',
    gcp: 'ca6e5357-707f-4565-bbbd-b3ab732597c6',
    openstack: '03b812ac-c991-4528-b5bd-08b303523a63',
    own_cluster: '03e3cb66-a4c6-4c6a-b4b0-5d42224debea',
    preview: '5cb3d976-b85c-42ea-a636-79cadda109a9',
    trial: '7d55d31d-35ae-4438-bf13-6ffdfa107d9f',
  });
  assert.deepEqual(await served(), [service]);
});

test('names are short and fit on a command line; two old ones have an underscore [CAT-10, CAT-11, CAT-15]', () => {
  const odd = [String(service['name']), ...plans.map(({ name }) => name)].filter(
    (name) => !/^[a-z0-9.-]{2,50}$/.test(name),
  );
  assert.deepEqual(odd, ['azure_lite', 'own_cluster']);
});

test('ids tell plans apart, names are never compared, in whatever case [CAT-09]', async () => {
  for (const plan_id of ['azure', 'AZURE', planIds.azure.toUpperCase()])
    assert.equal((await world.put('by-name', orderOf({ plan_id }))).status, 400, plan_id);
});

test('no text that platforms show has more than 255 characters [CAT-07]', () => {
  for (const { name, description } of plans)
    assert.ok(name.length <= 255 && description.length <= 255);
});

test('every schema names its dialect, the one that all platforms know [SCH-04]', () => {
  assert.equal(schemas.length, 18);
  for (const { $schema } of schemas)
    assert.equal($schema, 'http://json-schema.org/draft-04/schema#');
});

test('no schema refers to anything outside of it, or is too large [SCH-05, SCH-06]', () => {
  for (const schema of schemas) {
    const text = JSON.stringify(schema);
    assert.doesNotMatch(text, /"\$ref":"[^#]/);
    assert.ok(Buffer.byteLength(text) <= 64_000);
  }
});

test('what runtimes get today is a semantic version, with a description [MNT-01, MNT-02, MNT-03]', () => {
  for (const plan of plans) assert.deepEqual(plan['maintenance_info'], maintenance);
  assert.match(maintenance.version, /^\d+\.\d+\.\d+(?:-[\w.-]+)?(?:\+[\w.-]+)?$/);
});

test('a new context is taken, and plans say whether they can be changed [UPD-01, UPD-02]', () => {
  assert.equal(service['allow_context_updates'], true);
  assert.equal(service['plan_updateable'], false);
  for (const plan of plans) assert.equal(plan['plan_updateable'], false);
});

test('bindings can be made, fetched and rotated, and nothing special is required [BIND-01, BIND-08, BIND-09, BIND-11, BIND-12, BIND-13, BIND-43, BIND-44, BIND-45, BIND-52, BIND-53, ROT-01, BGET-01, BGET-10, BGET-11, BGET-12, PROF-08]', () => {
  assert.equal(service['bindable'], true);
  assert.equal(service['bindings_retrievable'], true);
  assert.equal(service['requires'], undefined);
  for (const plan of plans) {
    const isOurs = plan.name !== 'own_cluster';
    assert.equal(plan['bindable'], isOurs, plan.name);
    assert.equal(plan['binding_rotatable'] ?? false, isOurs, plan.name);
  }
});

test('instances can be fetched, of all plans [GET-01]', () => {
  assert.equal(service['instances_retrievable'], true);
});

test('platforms wait for an operation as long as it may take [POLL-20]', () => {
  const longest = world.services.settings.limits.operation / 1_000;
  for (const plan of plans) assert.equal(plan['maximum_polling_duration'], longest);
});

test('offering and plans are described by the usual names [PROF-10, PROF-11, PROF-12]', () => {
  assert.deepEqual(Object.keys(service['metadata'] as object), [
    'displayName',
    'imageUrl',
    'longDescription',
    'providerDisplayName',
    'documentationUrl',
    'supportUrl',
  ]);
  for (const { metadata } of plans as readonly { metadata?: object }[])
    assert.deepEqual(Object.keys(metadata ?? {}), ['displayName']);
});
