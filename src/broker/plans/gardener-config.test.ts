import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { GardenerConfigInput } from '#clients';
import { gardenerConfig, type ClusterOrder, type ClusterSettings } from './gardener-config.ts';
import { parseProvisioningParameters } from './parse-parameters.ts';
import { clusterSettings, planNamed, platformIn } from './testing.ts';

type Changes = {
  readonly parameters?: object;
  readonly region?: string;
  readonly order?: Partial<ClusterOrder>;
  readonly settings?: Partial<ClusterSettings>;
};

/** The cluster that comes of an order, all the way from what the customer wrote. */
function clusterOf(name: string, changes: Changes = {}): GardenerConfigInput {
  const plan = planNamed(name);
  const platform = platformIn(changes.region ?? 'cf-eu10');
  const given = { name: 'mine', ...changes.parameters };
  const order: ClusterOrder = {
    parameters: parseProvisioningParameters(plan, given, platform),
    platform,
    seed: 'instance-1',
    shootName: 'c-1a2b3c4',
    targetSecret: 'pool-07',
    ...changes.order,
  };
  return gardenerConfig(plan, order, { ...clusterSettings, ...changes.settings });
}

const zoneNames = ({ providerSpecificConfig: config }: GardenerConfigInput): string[] => {
  if ('awsConfig' in config) return config.awsConfig.awsZones.map(({ name }) => name);
  if ('gcpConfig' in config) return [...config.gcpConfig.zones];
  if ('openStackConfig' in config) return [...config.openStackConfig.zones];
  return (config.azureConfig.azureZones ?? []).map(({ name }) => String(name));
};

const onAzure = 'cf-us20';
const trialOn = (provider: string) => ({ parameters: { provider }, region: 'cf-br10' });
const defaults: readonly (readonly [
  plan: string,
  changes: Changes,
  provider: string,
  machine: string,
  region: string,
  nodes: string,
  disk: string,
  purpose: string,
  workerCidr: string,
])[] = [
  [
    'azure',
    {},
    'azure',
    'Standard_D4_v3',
    'eastus',
    '3..20',
    '50 Standard_LRS',
    'development',
    '10.250.0.0/22',
  ],
  [
    'azure_lite',
    {},
    'azure',
    'Standard_D4_v3',
    'eastus',
    '2..10',
    '50 Standard_LRS',
    'development',
    '10.250.0.0/22',
  ],
  [
    'aws',
    {},
    'aws',
    'm5.xlarge',
    'eu-central-1',
    '3..20',
    '50 gp2',
    'development',
    '10.250.0.0/22',
  ],
  [
    'preview',
    {},
    'aws',
    'm5.xlarge',
    'eu-central-1',
    '3..20',
    '50 gp2',
    'development',
    '10.250.0.0/22',
  ],
  [
    'gcp',
    {},
    'gcp',
    'n2-standard-4',
    'europe-west3',
    '3..20',
    '50 pd-standard',
    'development',
    '10.250.0.0/22',
  ],
  [
    'openstack',
    {},
    'openstack',
    'g_c4_m16',
    'eu-de-2',
    '4..8',
    'none none',
    'development',
    '10.250.0.0/22',
  ],
  [
    'trial',
    trialOn('Azure'),
    'azure',
    'Standard_D4_v3',
    'eastus',
    '1..1',
    '50 Standard_LRS',
    'evaluation',
    '10.250.0.0/22',
  ],
  [
    'trial',
    trialOn('AWS'),
    'aws',
    'm5.xlarge',
    'eu-west-1',
    '1..1',
    '50 gp2',
    'evaluation',
    '10.250.0.0/22',
  ],
  [
    'trial',
    trialOn('GCP'),
    'gcp',
    'n2-standard-4',
    'europe-west3',
    '1..1',
    '30 pd-standard',
    'development',
    '10.250.0.0/19',
  ],
  [
    'free',
    { region: onAzure },
    'azure',
    'Standard_D4_v3',
    'eastus',
    '1..1',
    '50 Standard_LRS',
    'evaluation',
    '10.250.0.0/22',
  ],
  ['free', {}, 'aws', 'm5.xlarge', 'eu-central-1', '1..1', '50 gp2', 'evaluation', '10.250.0.0/22'],
];
for (const [plan, changes, provider, machine, region, nodes, disk, purpose, cidr] of defaults) {
  test(`${plan} on ${provider} has its defaults where nothing is chosen`, () => {
    const cluster = clusterOf(plan, changes);
    assert.deepEqual(
      [
        cluster.provider,
        cluster.machineType,
        cluster.region,
        `${cluster.autoScalerMin}..${cluster.autoScalerMax}`,
        `${cluster.volumeSizeGB ?? 'none'} ${cluster.diskType ?? 'none'}`,
        cluster.purpose,
        cluster.workerCidr,
      ],
      [provider, machine, region, nodes, disk, purpose, cidr],
    );
    assert.equal(cluster.maxSurge, 1);
    assert.equal(cluster.maxUnavailable, 0);
    assert.equal(zoneNames(cluster).length, 1);
    assert.ok(!('podsCidr' in cluster) && !('servicesCidr' in cluster));
  });
}

test('an order of AWS becomes the whole cluster', () => {
  assert.deepEqual(
    clusterOf('aws', {
      parameters: {
        region: 'ap-south-1',
        machineType: 'm5.4xlarge',
        autoScalerMin: 4,
        autoScalerMax: 9,
        maxSurge: 2,
        maxUnavailable: 1,
        volumeSizeGb: 80,
        zones: ['ap-south-1b'],
        purpose: 'production',
        networking: { nodes: '192.168.0.0/16' },
        oidc: { clientID: 'c', issuerURL: 'https://mine.example.test', groupsClaim: '' },
      },
      order: {
        licenseType: 'CUSTOMER',
        dns: { domain: 'c-1a2b3c4.example.test' },
      },
      settings: { machineImage: 'gardenlinux', machineImageVersion: '1.2.3' },
    }),
    {
      provider: 'aws',
      providerSpecificConfig: {
        awsConfig: {
          vpcCidr: '192.168.0.0/16',
          awsZones: [
            {
              name: 'ap-south-1b',
              workerCidr: '192.168.0.0/19',
              publicCidr: '192.168.32.0/20',
              internalCidr: '192.168.48.0/20',
            },
          ],
        },
      },
      name: 'c-1a2b3c4',
      kubernetesVersion: '1.26.5',
      targetSecret: 'pool-07',
      region: 'ap-south-1',
      machineType: 'm5.4xlarge',
      machineImage: 'gardenlinux',
      machineImageVersion: '1.2.3',
      diskType: 'gp2',
      volumeSizeGB: 80,
      workerCidr: '192.168.0.0/16',
      podsCidr: '10.96.0.0/13',
      servicesCidr: '10.104.0.0/13',
      autoScalerMin: 4,
      autoScalerMax: 9,
      maxSurge: 2,
      maxUnavailable: 1,
      purpose: 'production',
      enableKubernetesVersionAutoUpdate: true,
      enableMachineImageVersionAutoUpdate: false,
      oidcConfig: {
        clientID: 'c',
        issuerURL: 'https://mine.example.test',
        groupsClaim: 'groups',
        signingAlgs: ['RS256'],
        usernameClaim: 'sub',
        usernamePrefix: '-',
      },
      dnsConfig: { domain: 'c-1a2b3c4.example.test' },
      shootNetworkingFilterDisabled: true,
      euAccess: false,
    },
  );
});

test('clusters that may spread take three zones, or all there are, and a node more per zone', () => {
  const settings = { severalZones: true, controlPlaneFailureTolerance: 'zone' } as const;
  const table: readonly (readonly [plan: string, parameters: object, zones: number])[] = [
    ['aws', {}, 3],
    ['aws', { region: 'us-west-1' }, 2],
    ['aws', { region: 'us-east-1' }, 3],
    ['azure', {}, 3],
    ['gcp', {}, 3],
    ['azure_lite', {}, 1],
    ['openstack', {}, 1],
    ['trial', {}, 1],
    ['free', {}, 1],
  ];
  for (const [plan, parameters, zones] of table) {
    const cluster = clusterOf(plan, { parameters, settings });
    assert.equal(new Set(zoneNames(cluster)).size, zones, plan);
    assert.equal(cluster.maxSurge, zones, plan);
    assert.equal(cluster.controlPlaneFailureTolerance, zones > 1 ? 'zone' : undefined, plan);
  }
});

test('a repeated step asks for the same cluster, and other instances may land in other zones', () => {
  assert.deepEqual(clusterOf('gcp'), clusterOf('gcp'));
  const seeds = Array.from({ length: 30 }, (_, index) => `instance-${index}`);
  const zones = seeds.flatMap((seed) => zoneNames(clusterOf('gcp', { order: { seed } })));
  assert.equal(new Set(zones).size, 3);
});

test('Azure gets a subnet per zone, and a NAT gateway where the plan has one', () => {
  const azure = clusterOf('azure', { parameters: { zones: ['3', '1'] } });
  assert.deepEqual(azure.providerSpecificConfig, {
    azureConfig: {
      vnetCidr: '10.250.0.0/22',
      azureZones: [
        { name: 3, cidr: '10.250.0.0/25' },
        { name: 1, cidr: '10.250.0.128/25' },
      ],
      enableNatGateway: true,
    },
  });
  const table = { azure_lite: true, trial: false, free: false };
  for (const [plan, expected] of Object.entries(table)) {
    const { providerSpecificConfig: config } = clusterOf(plan, { region: onAzure });
    assert.ok('azureConfig' in config, plan);
    assert.equal(config.azureConfig.enableNatGateway, expected, plan);
  }
});

test('OpenStack gets its profile, balancer and exposure, and no disk', () => {
  const cluster = clusterOf('openstack', { parameters: { region: 'ap-sa-1' } });
  assert.deepEqual(cluster.providerSpecificConfig, {
    openStackConfig: {
      zones: ['ap-sa-1a'],
      floatingPoolName: 'FloatingIP-external-kyma-01',
      cloudProfileName: 'converged-cloud-cp',
      loadBalancerProvider: 'f5',
    },
  });
  assert.equal(cluster.exposureClassName, 'converged-cloud-internet');
  assert.ok(!('exposureClassName' in clusterOf('gcp')));
});

test('the licence of trials and of azure_lite is one for tests', () => {
  for (const plan of ['trial', 'azure_lite']) {
    assert.equal(clusterOf(plan).licenceType, 'TestDevelopmentAndDemo');
  }
  assert.ok(!('licenceType' in clusterOf('aws', { parameters: { licence_type: 'mine' } })));
});

test('the number of trial nodes can be set, and is nobody else’s', () => {
  const nodes = (plan: string) => {
    const { autoScalerMin, autoScalerMax } = clusterOf(plan, { settings: { trialNodes: 2 } });
    return `${autoScalerMin}..${autoScalerMax}`;
  };
  assert.equal(nodes('trial'), '2..2');
  assert.equal(nodes('free'), '1..1');
});

test('customers, partners and trials are not filtered', () => {
  const table = { CUSTOMER: true, PARTNER: true, TRIAL: true, SAPDEV: false, customer: false };
  for (const [licenseType, expected] of Object.entries(table)) {
    const cluster = clusterOf('aws', { order: { licenseType } });
    assert.equal(cluster.shootNetworkingFilterDisabled, expected, licenseType);
  }
  assert.equal(clusterOf('aws').shootNetworkingFilterDisabled, false);
});

test('a plan whose customers bring the cluster has none to ask for', () => {
  const order = {
    parameters: {},
    platform: platformIn('cf-eu10'),
    seed: '',
    shootName: '',
    targetSecret: '',
  };
  assert.throws(
    () => gardenerConfig(planNamed('own_cluster'), order, clusterSettings),
    /own_cluster/,
  );
});
