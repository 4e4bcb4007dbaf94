import assert from 'node:assert/strict';
import { test } from 'node:test';
import { catalogBody, type CatalogSettings } from './catalog-body.ts';
import type { JsonSchema } from './parameter-schema.ts';
import { createPlans } from './plans.ts';
import { catalog, everythingOn, plans, platform, platformIn } from './testing.ts';

const settings: CatalogSettings = {
  platform,
  includeAdditionalParameters: false,
  bindings: true,
  maintenance: { version: '2.18.0', description: 'Kyma 2.18' },
  maximumPollingDuration: 86_400,
};
const serviceOf = (changes: Partial<CatalogSettings> = {}, offered = plans) => {
  const [service] = catalogBody(offered, { ...settings, ...changes }).services;
  return service ?? assert.fail();
};
const planOf = (name: string, changes: Partial<CatalogSettings> = {}) =>
  serviceOf(changes).plans.find((plan) => plan.name === name) ?? assert.fail(name);
const schemaOf = (
  name: string,
  request: 'create' | 'update',
  changes: Partial<CatalogSettings> = {},
) =>
  planOf(name, changes).schemas.service_instance[request].parameters as JsonSchema & {
    properties: Record<string, JsonSchema>;
    patternProperties?: Record<string, JsonSchema>;
    _controlsOrder: string[];
    required?: string[];
  };

const clusterPlans = ['azure', 'azure_lite', 'aws', 'gcp', 'openstack', 'preview'];
const everyPlan = [...clusterPlans, 'trial', 'free', 'own_cluster'];
const bothRequests = ['create', 'update'] as const;

test('the service is the one that platforms know', () => {
  const { plans: _plans, metadata, ...service } = serviceOf();
  assert.deepEqual(service, {
    id: '47c9dcbf-ff30-448e-ab36-d3bad66ba281',
    name: 'kymaruntime',
    description: 'A managed Kubernetes cluster with Kyma',
    bindable: true,
    instances_retrievable: true,
    bindings_retrievable: true,
    tags: ['SAP', 'Kyma'],
    plan_updateable: false,
    allow_context_updates: true,
  });
  assert.equal(metadata['displayName'], 'Kyma Environment');
  assert.deepEqual(Object.keys(metadata), [
    'displayName',
    'imageUrl',
    'longDescription',
    'providerDisplayName',
    'documentationUrl',
    'supportUrl',
  ]);
});

test('plans come in the order of their names, and only those that are enabled', () => {
  const few = createPlans(catalog, { ...everythingOn, enabledPlans: ['trial', 'gcp', 'azure'] });
  assert.deepEqual(
    serviceOf({}, few).plans.map(({ name }) => name),
    ['azure', 'gcp', 'trial'],
  );
});

test('a plan says what it costs, what it can do, and what runtimes get today', () => {
  const { schemas, ...plan } = planOf('azure');
  assert.deepEqual(plan, {
    id: '4deee563-e5ec-4731-b9b1-53b42d855f0c',
    name: 'azure',
    description: 'Azure',
    metadata: { displayName: 'Azure' },
    free: false,
    bindable: true,
    binding_rotatable: true,
    plan_updateable: true,
    maximum_polling_duration: 86_400,
    maintenance_info: { version: '2.18.0', description: 'Kyma 2.18' },
  });
  assert.deepEqual(Object.keys(schemas), ['service_instance', 'service_binding']);
  assert.equal(planOf('trial').free, true);
  assert.equal(planOf('trial').plan_updateable, false);
});

test('a plan that cannot be bound says nothing of bindings', () => {
  for (const plan of [planOf('own_cluster'), planOf('aws', { bindings: false })]) {
    assert.equal(plan.bindable, false);
    assert.deepEqual(Object.keys(plan.schemas), ['service_instance']);
    assert.ok(!('binding_rotatable' in plan));
  }
});

test('a plan without texts shows its name', () => {
  const { description: _, displayName: __, ...gcp } = catalog.plans['gcp'] ?? assert.fail();
  const bare = createPlans(
    { ...catalog, plans: { gcp } },
    { ...everythingOn, enabledPlans: ['gcp'] },
  );
  const [plan] = serviceOf({}, bare).plans;
  assert.equal(plan?.description, 'GCP');
  assert.deepEqual(plan?.metadata, { displayName: 'GCP' });
});

test('schemas show what the plan lets customers choose, in the order of the form', () => {
  const cluster = ['name', 'region', 'machineType', 'autoScalerMin', 'autoScalerMax', 'networking'];
  const changes = ['machineType', 'autoScalerMin', 'autoScalerMax'];
  const table: Record<string, [create: string[], update: string[]]> = {
    ...Object.fromEntries(clusterPlans.map((name) => [name, [cluster, changes]])),
    free: [['name', 'region'], []],
    trial: [['name'], []],
    own_cluster: [['name', 'kubeconfig', 'shootName', 'shootDomain'], ['kubeconfig']],
  };
  for (const [name, expected] of Object.entries(table)) {
    for (const [index, request] of bothRequests.entries()) {
      const schema = schemaOf(name, request);
      assert.deepEqual(schema._controlsOrder, expected[index], `${name} ${request}`);
      assert.deepEqual(Object.keys(schema.properties), expected[index], `${name} ${request}`);
    }
  }
});

test('oidc and administrators are shown on request', () => {
  const shown = (name: string, request: 'create' | 'update') =>
    schemaOf(name, request, { includeAdditionalParameters: true })._controlsOrder;
  assert.deepEqual(shown('aws', 'create'), [
    'name',
    'region',
    'machineType',
    'autoScalerMin',
    'autoScalerMax',
    'oidc',
    'administrators',
    'networking',
  ]);
  assert.deepEqual(shown('free', 'update'), ['oidc', 'administrators']);
  assert.deepEqual(shown('trial', 'create'), ['name', 'oidc', 'administrators']);
  assert.deepEqual(shown('own_cluster', 'update'), ['kubeconfig']);
});

test('the schema of a cluster plan looks as forms expect it', () => {
  const { patternProperties: _, ...schema } = schemaOf('openstack', 'create', {
    includeAdditionalParameters: true,
  });
  assert.deepEqual(schema, {
    $schema: 'http://json-schema.org/draft-04/schema#',
    type: 'object',
    _show_form_view: true,
    _controlsOrder: Object.keys(schema.properties),
    required: ['name'],
    properties: {
      name: {
        type: 'string',
        title: 'Cluster Name',
        minLength: 1,
        pattern: '^[a-zA-Z0-9-]*$',
        _BTPdefaultTemplate: { elements: ['saSubdomain'] },
      },
      region: {
        type: 'string',
        enum: ['eu-de-1', 'ap-sa-1'],
        _enumDisplayName: {
          'eu-de-1': 'eu-de-1 (Germany, Rot)',
          'ap-sa-1': 'ap-sa-1 (Saudi Arabia)',
        },
      },
      machineType: {
        type: 'string',
        enum: ['g_c4_m16', 'g_c8_m32'],
        _enumDisplayName: {
          g_c4_m16: 'g_c4_m16 (4vCPU, 16GB RAM)',
          g_c8_m32: 'g_c8_m32 (8vCPU, 32GB RAM)',
        },
      },
      autoScalerMin: {
        type: 'integer',
        minimum: 2,
        default: 3,
        description: 'The smallest number of nodes that the cluster shrinks to',
      },
      autoScalerMax: {
        type: 'integer',
        minimum: 2,
        maximum: 40,
        default: 8,
        description: 'The largest number of nodes that the cluster grows to',
      },
      oidc: {
        type: 'object',
        description: 'The OpenID Connect provider that users of the cluster log on with',
        required: ['clientID', 'issuerURL'],
        properties: {
          clientID: { type: 'string' },
          issuerURL: { type: 'string' },
          groupsClaim: { type: 'string' },
          usernameClaim: { type: 'string' },
          usernamePrefix: { type: 'string' },
          signingAlgs: { type: 'array', items: { type: 'string' } },
        },
        additionalProperties: false,
      },
      administrators: {
        type: 'array',
        title: 'Administrators',
        items: { type: 'string' },
        description: 'Users who administer the cluster',
      },
      networking: {
        type: 'object',
        description: 'The address range of the nodes. It cannot be changed later',
        required: ['nodes'],
        properties: {
          nodes: { type: 'string', title: "Node network's CIDR", default: '10.250.0.0/22' },
        },
        additionalProperties: false,
      },
    },
    additionalProperties: false,
  });
});

test('autoscaler limits are those of the plan, and updates show no defaults', () => {
  const large = { min: [3, 3], max: [3, 80, 20] };
  const table = {
    azure: large,
    aws: large,
    gcp: large,
    preview: large,
    azure_lite: { min: [2, 2], max: [2, 40, 10] },
    openstack: { min: [2, 3], max: [2, 40, 8] },
  };
  for (const [name, { min, max }] of Object.entries(table)) {
    const create = schemaOf(name, 'create').properties;
    const update = schemaOf(name, 'update').properties;
    const { autoScalerMin: low = {}, autoScalerMax: high = {} } = create;
    assert.deepEqual([low['minimum'], low['default']], min, name);
    assert.deepEqual([high['minimum'], high['maximum'], high['default']], max, name);
    assert.ok(!('default' in (update['autoScalerMin'] ?? {})), name);
    assert.equal(update['autoScalerMax']?.['maximum'], max[1], name);
  }
});

test('machines on offer are those of the plan; some are for updates alone', () => {
  const sizes = ['xlarge', '2xlarge', '4xlarge', '8xlarge', '12xlarge'];
  const m5 = sizes.map((size) => `m5.${size}`);
  const all = [...m5, ...sizes.map((size) => `m6i.${size}`)];
  const azure = [4, 8, 16, 32, 48, 64].map((cores) => `Standard_D${cores}_v3`);
  const gcp = [4, 8, 16, 32, 48].map((cores) => `n2-standard-${cores}`);
  const table = {
    aws: [m5, all],
    preview: [all, all],
    azure: [azure, azure],
    azure_lite: [azure.slice(0, 1), azure.slice(0, 1)],
    gcp: [gcp, gcp],
  };
  for (const [name, expected] of Object.entries(table)) {
    for (const [index, request] of bothRequests.entries()) {
      const machines = schemaOf(name, request).properties['machineType'];
      assert.deepEqual(machines?.['enum'], expected[index], `${name} ${request}`);
    }
  }
});

test('the regions on offer depend on the plan, the platform and its EU access', () => {
  const azure = [
    'eastus',
    'centralus',
    'westus2',
    'uksouth',
    'northeurope',
    'westeurope',
    'japaneast',
    'southeastasia',
  ];
  const aws = [
    'eu-central-1',
    'eu-west-2',
    'ca-central-1',
    'sa-east-1',
    'us-east-1',
    'us-west-1',
    'ap-northeast-1',
    'ap-northeast-2',
    'ap-south-1',
    'ap-southeast-1',
    'ap-southeast-2',
  ];
  const gcp = ['europe-west3', 'asia-south1', 'us-central1'];
  const table: [plan: string, region: string, regions: string[]][] = [
    ['azure', 'cf-eu20', azure],
    ['azure_lite', 'cf-eu20', azure],
    ['aws', 'cf-eu10', aws],
    ['preview', 'cf-eu10', aws],
    ['gcp', 'cf-eu10', gcp],
    ['free', 'cf-eu10', aws],
    ['free', 'cf-eu20', azure],
    ['free', 'somewhere', aws],
    ...['cf-ch20', 'cf-eu11'].flatMap((region): [string, string, string[]][] => [
      ['azure', region, ['switzerlandnorth']],
      ['azure_lite', region, ['switzerlandnorth']],
      ['aws', region, ['eu-central-1']],
      ['preview', region, ['eu-central-1']],
      ['gcp', region, gcp],
    ]),
    ['free', 'cf-ch20', ['switzerlandnorth']],
    ['free', 'cf-eu11', ['eu-central-1']],
  ];
  for (const [name, region, expected] of table) {
    const { properties } = schemaOf(name, 'create', { platform: platformIn(region) });
    assert.deepEqual(properties['region']?.['enum'], expected, `${name} ${region}`);
  }
});

for (const includeAdditionalParameters of [false, true]) {
  test(`every schema keeps the rules for catalogs (additional parameters: ${includeAdditionalParameters})`, () => {
    for (const name of everyPlan) {
      const { schemas } = planOf(name, { includeAdditionalParameters });
      const published = [
        schemas.service_instance.create.parameters,
        schemas.service_instance.update.parameters,
        ...('service_binding' in schemas && schemas.service_binding
          ? [schemas.service_binding.create.parameters]
          : []),
      ];
      for (const schema of published) {
        const text = JSON.stringify(schema);
        assert.equal(schema['$schema'], 'http://json-schema.org/draft-04/schema#');
        assert.equal(schema['type'], 'object');
        assert.ok(Buffer.byteLength(text) <= 64_000);
        assert.doesNotMatch(text, /\$ref|"required":\[\]|"const"|"exclusiveM/);
      }
    }
  });
}

test('no text of the catalog is longer than platforms store', () => {
  const texts = JSON.stringify(serviceOf()).match(/"(?:[^"\\]|\\.)*"/g) ?? [];
  assert.deepEqual(
    texts.filter((each) => each.length > 257),
    [],
  );
});
