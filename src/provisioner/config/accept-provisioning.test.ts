import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inspect } from 'node:util';
import { acceptProvisioning } from './accept-provisioning.ts';
import { GardenerConfig } from './gardener-config.ts';
import { InvalidInput } from './invalid-input.ts';
import { providers, type Provider } from './provider-input.ts';
import {
  accepted,
  awsZones,
  azureZones,
  defaults,
  gardenerConfigs,
  oidcConfig,
  order,
  project,
  vnetCidr,
  vpcCidr,
} from './testing.ts';

const accept = (input: unknown) => acceptProvisioning(input, { project, defaults });
const refusalOf = (input: unknown): InvalidInput => {
  try {
    accept(input);
  } catch (error) {
    assert.ok(error instanceof InvalidInput, inspect(error));
    assert.equal(error.code, 400);
    return error;
  }
  return assert.fail('it was accepted');
};

for (const provider of providers) {
  test(`a cluster of ${provider} is accepted, and its config can be stored as JSON`, () => {
    const { config, administrators } = accept(order(provider));
    assert.equal(config.provider, provider);
    assert.deepEqual(GardenerConfig.parse(JSON.parse(JSON.stringify(config))), config);
    assert.deepEqual(administrators, ['user-1', 'user-2']);
  });
}

const cluster = 'Cluster config validation error while starting Runtime provisioning, error: ';
const kyma = 'Kyma config validation error while starting Runtime provisioning, error: ';
const component = (name: string) => ({ component: name, namespace: 'kyma-system' });
const withKyma = (components: readonly unknown[]) =>
  order('azure', {}, { kymaConfig: { version: '1.24.0', components } });
const withAzure = (azureConfig: object) =>
  order('azure', { providerSpecificConfig: { azureConfig: { vnetCidr, ...azureConfig } } });
const withAws = (changes: object, awsConfig: object = {}) =>
  order('aws', {
    providerSpecificConfig: {
      awsConfig: {
        vpcCidr,
        awsZones: awsZones.map((zone) => ({ ...zone, ...changes })).slice(0, 1),
        ...awsConfig,
      },
    },
  });

const refusals: readonly [name: string, input: unknown, field: string, message: string][] = [
  [
    '11: a machine image version without an image',
    order('azure', { machineImageVersion: '18.4' }),
    'machineImageVersion',
    `${cluster}Machine Image Version passed while Machine Image is empty (machineImageVersion: "18.4")`,
  ],
  [
    '12: a volume on OpenStack, however the provider is spelt',
    order('openstack', { provider: 'OpenStack', volumeSizeGB: 30 }),
    'volumeSizeGB',
    `${cluster}OpenStack mutation does not accept diskType or volumeSizeGb parameters (volumeSizeGB: 30)`,
  ],
  [
    '13: an empty list of components',
    withKyma([]),
    'kymaConfig.components',
    `${kyma}Kyma components list is empty`,
  ],
  [
    '13: a list of components without the agent',
    withKyma([component('istio')]),
    'kymaConfig.components',
    `${kyma}Kyma components list does not contain Compass Runtime Agent`,
  ],
  [
    '14: no provider config',
    order('azure', { providerSpecificConfig: {} }),
    'providerSpecificConfig',
    'provider config not specified',
  ],
  [
    '14: null for the only provider config',
    order('azure', { providerSpecificConfig: { gcpConfig: null } }),
    'providerSpecificConfig',
    'provider config not specified',
  ],
  [
    '14: two provider configs',
    order('azure', {
      providerSpecificConfig: {
        ...gardenerConfigs.azure.providerSpecificConfig,
        ...gardenerConfigs.gcp.providerSpecificConfig,
      },
    }),
    'providerSpecificConfig',
    'providerSpecificConfig is ["gcpConfig","azureConfig"]: must be exactly one provider config',
  ],
  [
    '14: the config of another provider',
    order('azure', { provider: 'gcp' }),
    'provider',
    `${cluster}provider is "gcp": must be that of azureConfig`,
  ],
  [
    'a provider that does not exist',
    order('azure', { provider: 'aks' }),
    'provider',
    `${cluster}provider is "aks": must be one of aws, azure, gcp, openstack`,
  ],
  [
    '15: a smallest size above the largest',
    order('azure', { autoScalerMin: 5, autoScalerMax: 3 }),
    'autoScalerMin',
    `${cluster}autoScalerMin is 5: must be at most autoScalerMax, 3`,
  ],
  [
    'a cluster of no machine',
    order('azure', { autoScalerMin: 0 }),
    'autoScalerMin',
    `${cluster}autoScalerMin is 0: must be at least 1`,
  ],
  [
    '15: no machine too many and none too few',
    order('azure', { maxSurge: 0, maxUnavailable: 0 }),
    'maxUnavailable',
    `${cluster}maxUnavailable is 0: must be at least 1 where maxSurge is 0`,
  ],
  [
    'a negative surge',
    order('azure', { maxSurge: -1 }),
    'maxSurge',
    `${cluster}maxSurge is -1: must be at least 0`,
  ],
  [
    'a negative number of unavailable machines',
    order('azure', { maxUnavailable: -1 }),
    'maxUnavailable',
    `${cluster}maxUnavailable is -1: must be at least 0`,
  ],
  [
    '15: no zones on GCP',
    order('gcp', { providerSpecificConfig: { gcpConfig: { zones: [] } } }),
    'gcpConfig.zones',
    `${cluster}gcpConfig.zones is []: must be at least one zone`,
  ],
  ['15: no zones on AWS', withAws({}, { awsZones: [] }), 'awsConfig.awsZones', 'at least one zone'],
  [
    '15: an empty list on Azure',
    withAzure({ zones: [] }),
    'azureConfig.zones',
    'at least one zone',
  ],
  [
    '15: a range that is no network',
    order('gcp', { workerCidr: '10.250.0.0' }),
    'workerCidr',
    `${cluster}workerCidr is "10.250.0.0": must be an IPv4 network such as 10.250.0.0/22, without bits beyond its prefix`,
  ],
  [
    '15: a zone whose range is no network',
    withAws({ publicCidr: '10.250.300.0/20' }),
    'awsConfig.awsZones[0].publicCidr',
    'must be an IPv4 network',
  ],
  [
    'pods among the nodes',
    order('gcp', { podsCidr: '10.250.16.0/20' }),
    'podsCidr',
    `${cluster}podsCidr is "10.250.16.0/20": must be apart from the nodes' range, 10.250.0.0/19`,
  ],
  [
    "services in the whole of AWS's network",
    order('aws', { servicesCidr: '10.250.128.0/20' }),
    'servicesCidr',
    "apart from the nodes' range, 10.250.0.0/16",
  ],
  [
    'services among the pods',
    order('gcp', { podsCidr: '10.96.0.0/13', servicesCidr: '10.100.0.0/16' }),
    'servicesCidr',
    'apart from podsCidr, 10.96.0.0/13',
  ],
  [
    'a zone outside of the network',
    withAws({ workerCidr: '10.251.0.0/19' }),
    'awsConfig.awsZones[0].workerCidr',
    'within awsConfig.vpcCidr, 10.250.0.0/16',
  ],
  [
    'two zones with one network',
    withAzure({ azureZones: azureZones.map((zone) => ({ ...zone, cidr: '10.250.0.0/22' })) }),
    'azureConfig.azureZones[0].cidr',
    'apart from the networks of all zones',
  ],
  [
    'the same zone twice',
    withAzure({ zones: ['1', '1'] }),
    'azureConfig.zones',
    'azureConfig.zones is ["1","1"]: must be a list of different zones',
  ],
  [
    'two lists of zones that differ',
    withAzure({ azureZones, zones: ['1', '2', '3'] }),
    'azureConfig.zones',
    'the same zones as azureZones',
  ],
  [
    'a zone of another region',
    order('gcp', { region: 'us-east1' }),
    'gcpConfig.zones[0]',
    'gcpConfig.zones[0] is "europe-west3-a": must be a zone of region us-east1',
  ],
  [
    'a gateway that waits too long',
    withAzure({ azureZones, enableNatGateway: true, idleConnectionTimeoutMinutes: 121 }),
    'azureConfig.idleConnectionTimeoutMinutes',
    'from 4 to 120 minutes',
  ],
  [
    'a purpose that Gardener does not know',
    order('azure', { purpose: 'fun' }),
    'purpose',
    `${cluster}purpose is "fun": must be one of evaluation, development, testing, production`,
  ],
  [
    'a failure tolerance that Gardener does not know',
    order('azure', { controlPlaneFailureTolerance: 'region' }),
    'controlPlaneFailureTolerance',
    'must be one of node, zone',
  ],
  [
    'a version that is none',
    order('azure', { kubernetesVersion: 'v1.26' }),
    'kubernetesVersion',
    `${cluster}kubernetesVersion is "v1.26": must be a version such as 1.26.5`,
  ],
  [
    'an empty version',
    order('azure', { kubernetesVersion: '' }),
    'clusterConfig.gardenerConfig.kubernetesVersion',
    'is ""',
  ],
  [
    'a name in capitals',
    order('azure', { name: 'Demo' }),
    'name',
    'name is "Demo": must be a DNS label',
  ],
  ['a name with two hyphens', order('azure', { name: 'a--b' }), 'name', 'single hyphens'],
  [
    'a name that is too long with that of the project',
    order('azure', { name: 'a23456789012345678' }),
    'name',
    'must be at most 17 characters in project kyma',
  ],
  ['a volume of nothing', order('azure', { volumeSizeGB: 0 }), 'volumeSizeGB', 'at least 1'],
  [
    'a size without a disk type',
    order('azure', { diskType: null }),
    'volumeSizeGB',
    'given together',
  ],
  [
    'a disk type without a size',
    order('azure', { volumeSizeGB: null }),
    'diskType',
    'given together',
  ],
  [
    'another exposure class on OpenStack',
    order('openstack', { exposureClassName: 'mine' }),
    'exposureClassName',
    'must be converged-cloud-internet',
  ],
  [
    'a domain that is none',
    order('azure', { dnsConfig: { domain: 'no domain' } }),
    'dnsConfig.domain',
    'must be a domain name',
  ],
  [
    'two primary providers of a domain',
    order('azure', {
      dnsConfig: {
        domain: 'a.example.com',
        providers: ['one', 'two'].map((secretName) => ({
          secretName,
          primary: true,
          type: 'aws-route53',
          domainsInclude: [],
        })),
      },
    }),
    'dnsConfig.providers',
    'at most one primary provider',
  ],
  [
    'null among the zones',
    withAws({}, { awsZones: [awsZones[0], null] }),
    'clusterConfig.gardenerConfig.providerSpecificConfig.awsConfig.awsZones[1]',
    'awsZones[1] is null',
  ],
  ['null among the components', withKyma([null]), 'kymaConfig.components[0]', 'is null'],
  [
    'a field that does not exist',
    order('azure', { colour: 'red' }),
    'clusterConfig.gardenerConfig.colour',
    'clusterConfig.gardenerConfig.colour is "red": there is no such field',
  ],
  [
    'a mandatory field left out',
    order('azure', { region: null }),
    'clusterConfig.gardenerConfig.region',
    'clusterConfig.gardenerConfig.region is missing',
  ],
  ['nothing at all', undefined, '', 'is missing'],
];
for (const [name, input, field, message] of refusals) {
  test(`${name}: refused with the field, the value and what is allowed`, () => {
    const refusal = refusalOf(input);
    assert.equal(refusal.field, field);
    assert.ok(refusal.message.includes(message), refusal.message);
    if (message.startsWith('Cluster') || message.startsWith('Kyma'))
      assert.equal(refusal.message, message);
  });
}

test('an administrator who is named twice is refused by place, without the user id', () => {
  const { clusterConfig, ...others } = order('azure');
  const administrators = ['canary-1', 'canary-2', 'canary-1'];
  const refusal = refusalOf({ ...others, clusterConfig: { ...clusterConfig, administrators } });
  assert.equal(refusal.field, 'administrators[2]');
  assert.doesNotMatch(inspect(refusal), /canary/);
});

test('what is wrong with an override is said without its value', () => {
  const configuration = [{ key: 'password', value: ['canary'], secret: true }];
  const refusal = refusalOf(withKyma([{ ...component('compass-runtime-agent'), configuration }]));
  assert.equal(refusal.field, 'kymaConfig.components[0].configuration[0].value');
  assert.doesNotMatch(inspect(refusal), /canary/);
});

test('Kyma is accepted with the agent among its components, in their order', () => {
  const components = ['istio', 'compass-runtime-agent', 'ory'].map(component);
  assert.deepEqual(accept(withKyma(components)).kymaConfig?.components, components);
});

const applied: readonly [name: string, provider: Provider, changes: object, expected: object][] = [
  [
    'what the caller leaves open has the defaults of the installation',
    'aws',
    {},
    {
      enableKubernetesVersionAutoUpdate: false,
      enableMachineImageVersionAutoUpdate: false,
      shootNetworkingFilterDisabled: true,
      euAccess: false,
      providerSpecificConfig: { enableIMDSv2: false },
    },
  ],
  [
    'what the caller decides counts before the defaults',
    'aws',
    {
      enableKubernetesVersionAutoUpdate: true,
      shootNetworkingFilterDisabled: false,
      euAccess: true,
      providerSpecificConfig: { awsConfig: { vpcCidr, awsZones, enableIMDSv2: true } },
    },
    {
      enableKubernetesVersionAutoUpdate: true,
      shootNetworkingFilterDisabled: false,
      euAccess: true,
      providerSpecificConfig: { enableIMDSv2: true },
    },
  ],
  [
    'a NAT gateway gives connections up after 4 minutes',
    'azure',
    { providerSpecificConfig: { azureConfig: { vnetCidr, azureZones, enableNatGateway: true } } },
    { providerSpecificConfig: { enableNatGateway: true, idleConnectionTimeoutMinutes: 4 } },
  ],
  [
    'OpenStack has a pool, a profile and an exposure class of its own',
    'openstack',
    {},
    {
      exposureClassName: 'converged-cloud-internet',
      providerSpecificConfig: {
        floatingPoolName: 'FloatingIP-external-kyma-01',
        cloudProfileName: 'converged-cloud-kyma',
      },
    },
  ],
  [
    'a provider in other letters is stored as callers read it',
    'aws',
    { provider: 'AWS' },
    { provider: 'aws' },
  ],
];
for (const [name, provider, changes, expected] of applied) {
  test(name, () => assert.partialDeepStrictEqual(accepted(provider, changes), expected));
}

test('empty texts and null count as left out, and so does an OIDC config of empty texts', () => {
  const empty = Object.fromEntries(Object.keys(oidcConfig).map((key) => [key, '']));
  const config = accepted('azure', {
    seed: '',
    purpose: '',
    exposureClassName: null,
    podsCidr: '',
    machineImageVersion: '',
    oidcConfig: { ...empty, signingAlgs: [] },
    shootAndSeedSameRegion: true,
  });
  assert.deepEqual(config, accepted('azure'));
});
