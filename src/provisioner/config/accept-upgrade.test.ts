import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inspect } from 'node:util';
import { acceptKymaUpgrade, acceptUpgrade } from './accept-upgrade.ts';
import type { GardenerConfig } from './gardener-config.ts';
import { InvalidInput } from './invalid-input.ts';
import {
  accepted,
  awsZones,
  azureZones,
  gardenerConfigs,
  oidcConfig,
  vnetCidr,
  vpcCidr,
} from './testing.ts';

const administrators = ['user-1', 'user-2'];
const upgrade = (config: GardenerConfig, gardenerConfig: object) =>
  acceptUpgrade({ gardenerConfig }, { config, administrators });
const refusedWith = (field: string, message: string) => (error: unknown) => {
  assert.ok(error instanceof InvalidInput, inspect(error));
  assert.equal(error.code, 400);
  assert.equal(error.field, field);
  assert.ok(error.message.includes(message), error.message);
  return true;
};

const azure = accepted('azure', { oidcConfig, controlPlaneFailureTolerance: 'zone' });
const unzoned = accepted('azure', { providerSpecificConfig: { azureConfig: { vnetCidr } } });
const oneSubnet = accepted('azure', {
  providerSpecificConfig: { azureConfig: { vnetCidr, zones: ['1'] } },
});
const aws = accepted('aws');
const gcp = accepted('gcp');
const openstack = accepted('openstack');
const azureConfig = (changes: object) => ({
  providerSpecificConfig: { azureConfig: { vnetCidr, ...changes } },
});
const awsConfig = (changes: object) => ({
  providerSpecificConfig: { awsConfig: { vpcCidr, awsZones, ...changes } },
});
const gcpConfig = (...zones: string[]) => ({ providerSpecificConfig: { gcpConfig: { zones } } });

const changes: readonly [name: string, before: GardenerConfig, given: object, expected: object][] =
  [
    ['38: what is not named stays', azure, { autoScalerMax: 8 }, { autoScalerMax: 8 }],
    ['null is not named', azure, { autoScalerMax: 8, machineType: null }, { autoScalerMax: 8 }],
    ['a later version', azure, { kubernetesVersion: '1.27.0' }, { kubernetesVersion: '1.27.0' }],
    ['the same version', azure, { kubernetesVersion: '1.26.5' }, {}],
    [
      'OIDC is replaced as a whole',
      azure,
      { oidcConfig: { ...oidcConfig, clientID: 'other', signingAlgs: ['ES256'] } },
      { oidcConfig: { ...oidcConfig, clientID: 'other', signingAlgs: ['ES256'] } },
    ],
    [
      '41: NAT for a cluster with zones, with its default',
      azure,
      azureConfig({ enableNatGateway: true }),
      {
        providerSpecificConfig: {
          vnetCidr,
          azureZones,
          enableNatGateway: true,
          idleConnectionTimeoutMinutes: 4,
        },
      },
    ],
    [
      '42: IMDSv2 switched on',
      aws,
      awsConfig({ enableIMDSv2: true }),
      { providerSpecificConfig: { vpcCidr, awsZones, enableIMDSv2: true } },
    ],
    [
      'another zone on GCP, after those of before',
      gcp,
      gcpConfig('europe-west3-c', 'europe-west3-b', 'europe-west3-a'),
      { providerSpecificConfig: { zones: ['europe-west3-a', 'europe-west3-b', 'europe-west3-c'] } },
    ],
    [
      'another zone on Azure in the one subnet',
      oneSubnet,
      azureConfig({ zones: ['1', '2'] }),
      { providerSpecificConfig: { vnetCidr, zones: ['1', '2'], enableNatGateway: false } },
    ],
    [
      'the same block once more',
      openstack,
      gardenerConfigs.openstack && {
        providerSpecificConfig: gardenerConfigs.openstack.providerSpecificConfig,
      },
      {},
    ],
    [
      'a new image without a version has none, not that of the old one',
      accepted('azure', { machineImage: 'gardenlinux', machineImageVersion: '934.8.0' }),
      { machineImage: 'ubuntu' },
      { machineImage: 'ubuntu', machineImageVersion: undefined },
    ],
  ];
for (const [name, before, given, expected] of changes) {
  test(`an upgrade: ${name}`, () => {
    const after = upgrade(before, given);
    const wanted = JSON.parse(JSON.stringify({ ...before, ...expected }));
    assert.deepEqual(after, { config: wanted, administrators });
  });
}

type Refused = readonly [
  name: string,
  before: GardenerConfig,
  given: object,
  field: string,
  message: string,
];

const empties = [
  ['machineType', 'machine type'],
  ['kubernetesVersion', 'kubernetes version'],
  ['diskType', 'disk type'],
  ['purpose', 'purpose'],
].map(([field = '', words]): Refused => {
  return [`16: an empty ${field}`, azure, { [field]: '' }, field, `empty ${words} provided`];
});

const fixed = Object.entries({
  workerCidr: '10.0.0.0/16',
  region: 'northeurope',
  name: 'other',
  provider: 'gcp',
  targetSecret: 'other',
  seed: 'az-eu1',
  licenceType: 'other',
  podsCidr: '10.96.0.0/13',
  servicesCidr: '10.104.0.0/13',
  dnsConfig: { domain: 'example.com' },
  controlPlaneFailureTolerance: 'node',
  euAccess: true,
}).map(([field, value]): Refused => {
  return [`17: ${field}`, azure, { [field]: value }, field, 'cannot be changed'];
});

const otherNetworks = [
  ['workerCidr', 'workers'],
  ['internalCidr', 'internal'],
  ['publicCidr', 'public'],
].map(([range = '', words]): Refused => [
  `40: another ${range} of AWS's zone`,
  aws,
  awsConfig({ awsZones: awsZones.map((zone) => ({ ...zone, [range]: '10.250.128.0/20' })) }),
  `awsConfig.awsZones[0].${range}`,
  `cannot change shoot network zone ${words} CIDR from`,
]);

const refusals: readonly Refused[] = [
  ...empties,
  ...fixed,
  ...otherNetworks,
  [
    '39: a lower version',
    azure,
    { kubernetesVersion: '1.25.9' },
    'kubernetesVersion',
    'kubernetesVersion is "1.25.9": must be 1.26.5 or later: upgrade only',
  ],
  [
    'a version that leaves one out',
    azure,
    { kubernetesVersion: '1.28.0' },
    'kubernetesVersion',
    'at most one minor version after 1.26.5',
  ],
  [
    'a version that is none',
    azure,
    { kubernetesVersion: '1.27' },
    'kubernetesVersion',
    'a version',
  ],
  [
    '40: a new zone on Azure',
    azure,
    azureConfig({ azureZones: [...azureZones, { name: 3, cidr: '10.250.8.0/22' }] }),
    'azureConfig.azureZones[2]',
    'Invalid gardener provider config change, extension of shoot network zones is not supported',
  ],
  [
    "40: another network of Azure's zone",
    azure,
    azureConfig({ azureZones: [{ name: 1, cidr: '10.250.8.0/22' }, azureZones[1]] }),
    'azureConfig.azureZones[0].cidr',
    'Invalid gardener provider config change, cannot change shoot network zone CIDR from 10.250.0.0/22 to 10.250.8.0/22',
  ],
  [
    'a zone left out',
    aws,
    awsConfig({ awsZones: [awsZones[0]] }),
    'awsConfig.awsZones',
    'zone eu-central-1b is left out',
  ],
  [
    'a zone left out on GCP',
    gcp,
    gcpConfig('europe-west3-b'),
    'gcpConfig.zones',
    'zone europe-west3-a is left out',
  ],
  [
    'zones for a cluster that has none',
    unzoned,
    azureConfig({ zones: ['1'] }),
    'azureConfig.zones',
    'extension of shoot network zones',
  ],
  [
    'a gateway for a cluster without zones',
    unzoned,
    azureConfig({ enableNatGateway: true }),
    'azureConfig.enableNatGateway',
    'without zones',
  ],
  [
    "another network of Azure's",
    azure,
    azureConfig({ vnetCidr: '10.0.0.0/16' }),
    'azureConfig.vnetCidr',
    `from ${vnetCidr} to 10.0.0.0/16`,
  ],
  [
    "another network of AWS's",
    aws,
    awsConfig({ vpcCidr: '10.0.0.0/8' }),
    'awsConfig.vpcCidr',
    `from ${vpcCidr} to 10.0.0.0/8`,
  ],
  [
    'IMDSv2 switched off again',
    accepted('aws', awsConfig({ enableIMDSv2: true })),
    awsConfig({ enableIMDSv2: false }),
    'awsConfig.enableIMDSv2',
    'cannot be switched off',
  ],
  [
    'the block of another provider',
    azure,
    gcpConfig('europe-west3-a'),
    'providerSpecificConfig.azureConfig',
    'the provider is azure',
  ],
  [
    'an empty block',
    azure,
    { providerSpecificConfig: {} },
    'providerSpecificConfig',
    'provider config not specified',
  ],
  [
    '45: a disk type on OpenStack',
    openstack,
    { diskType: 'ssd' },
    'diskType',
    'OpenStack mutation does not accept diskType or volumeSizeGb parameters',
  ],
  ['a volume that is too small', azure, { volumeSizeGB: 34 }, 'volumeSizeGB', 'at least 35'],
  ['a smallest size of 0', azure, { autoScalerMin: 0 }, 'autoScalerMin', 'at least 1'],
  [
    'a largest size below the smallest',
    azure,
    { autoScalerMax: 2 },
    'autoScalerMin',
    'at most autoScalerMax, 2',
  ],
  [
    'neither surge nor unavailable',
    azure,
    { maxSurge: 0 },
    'maxUnavailable',
    'where maxSurge is 0',
  ],
  [
    'an image version without an image',
    azure,
    { machineImageVersion: '1.0.0' },
    'machineImageVersion',
    'Machine Image is empty',
  ],
  ['an unknown purpose', azure, { purpose: 'fun' }, 'purpose', 'one of'],
  [
    'a field that does not exist',
    azure,
    { colour: 'red' },
    'gardenerConfig.colour',
    'no such field',
  ],
];
for (const [name, before, given, field, message] of refusals) {
  test(`an upgrade is refused: ${name}`, () => {
    assert.throws(() => upgrade(before, given), refusedWith(field, message));
  });
}

test('an upgrade is not blamed for what was wrong before', () => {
  const old: GardenerConfig = { ...azure, volumeSizeGB: 20, purpose: 'fun' };
  assert.equal(upgrade(old, { autoScalerMax: 8 }).config.purpose, 'fun');
});

test('38: administrators stay when they are not named, and go when the list is empty', () => {
  const before = { config: azure, administrators };
  const after = (input: object) => acceptUpgrade({ gardenerConfig: {}, ...input }, before);
  assert.deepEqual(after({}).administrators, administrators);
  assert.deepEqual(after({ administrators: null }).administrators, administrators);
  assert.deepEqual(after({ administrators: [] }).administrators, []);
  assert.deepEqual(after({ administrators: ['user-3'] }).administrators, ['user-3']);
  const twice = { administrators: ['user-3', 'user-3'] };
  assert.throws(() => after(twice), refusedWith('administrators[1]', 'named twice'));
});

test('13: an upgrade of Kyma needs components with the agent among them', () => {
  const agent = { component: 'compass-runtime-agent', namespace: 'compass-system' };
  const given = (components: object[]) => ({ kymaConfig: { version: '1.24.0', components } });
  assert.deepEqual(acceptKymaUpgrade(given([agent])), given([agent]).kymaConfig);
  assert.throws(
    () => acceptKymaUpgrade(given([])),
    refusedWith(
      'kymaConfig.components',
      'validation error while starting Runtime upgrade, error: Kyma components list is empty',
    ),
  );
  const others = given([{ component: 'istio', namespace: 'istio-system' }]);
  assert.throws(() => acceptKymaUpgrade(others), refusedWith('kymaConfig.components', 'Agent'));
});
