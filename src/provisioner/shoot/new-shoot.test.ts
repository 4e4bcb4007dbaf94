import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Provider } from '../config/provider-input.ts';
import {
  accepted,
  awsZones,
  azureZones,
  oidcConfig,
  vnetCidr,
  vpcCidr,
} from '../config/testing.ts';
import { parseMaintenanceWindows } from './maintenance.ts';
import { newShoot } from './new-shoot.ts';
import type { ShootSettings } from './own-shoot.ts';
import { owner, withSettings } from './testing.ts';

const shootOf = (provider: Provider, changes: object = {}, settings: ShootSettings = {}) =>
  newShoot(accepted(provider, changes), withSettings(settings));
const partOf = (provider: Provider, changes: object = {}) =>
  shootOf(provider, changes).spec['provider'] as {
    infrastructureConfig: { networks: object };
    workers: object[];
  };
const azureConfig = (changes: object) => ({
  providerSpecificConfig: { azureConfig: { vnetCidr, ...changes } },
});

test('the whole Shoot of a small order', () => {
  const { metadata, spec } = shootOf('gcp');
  assert.equal(metadata.name, 'c-1a2b3c4');
  assert.deepEqual(spec, {
    secretBindingName: 'azure-pool-001',
    cloudProfileName: 'gcp',
    region: 'europe-west3',
    kubernetes: { version: '1.26.5', enableStaticTokenKubeconfig: false },
    networking: { type: 'calico', nodes: '10.250.0.0/19' },
    maintenance: { autoUpdate: { kubernetesVersion: false, machineImageVersion: false } },
    extensions: [
      {
        type: 'shoot-dns-service',
        providerConfig: {
          apiVersion: 'service.dns.extensions.gardener.cloud/v1alpha1',
          kind: 'DNSConfig',
          dnsProviderReplication: { enabled: true },
        },
      },
      {
        type: 'shoot-cert-service',
        providerConfig: {
          apiVersion: 'service.cert.extensions.gardener.cloud/v1alpha1',
          kind: 'CertConfig',
          shootIssuers: { enabled: true },
        },
      },
      { type: 'shoot-networking-filter', disabled: true },
      { type: 'shoot-oidc-service', disabled: false },
    ],
    provider: {
      type: 'gcp',
      infrastructureConfig: {
        apiVersion: 'gcp.provider.extensions.gardener.cloud/v1alpha1',
        kind: 'InfrastructureConfig',
        networks: { worker: '10.250.0.0/19', workers: '10.250.0.0/19' },
      },
      controlPlaneConfig: {
        apiVersion: 'gcp.provider.extensions.gardener.cloud/v1alpha1',
        kind: 'ControlPlaneConfig',
        zone: 'europe-west3-a',
      },
      workersSettings: { sshAccess: { enabled: false } },
      workers: [
        {
          name: 'cpu-worker-0',
          minimum: 3,
          maximum: 20,
          maxSurge: 3,
          maxUnavailable: 0,
          machine: { type: 'medium' },
          volume: { type: 'standard', size: '50Gi' },
          zones: ['europe-west3-a', 'europe-west3-b'],
        },
      ],
    },
  });
});

const mappings: readonly [name: string, provider: Provider, changes: object, spec: object][] = [
  [
    '46: AWS has a VPC whose zones have three networks each',
    'aws',
    {},
    {
      cloudProfileName: 'aws',
      networking: { nodes: vpcCidr },
      provider: {
        type: 'aws',
        infrastructureConfig: {
          networks: {
            vpc: { cidr: vpcCidr },
            zones: awsZones.map(({ name, internalCidr, publicCidr, workerCidr }) => ({
              name,
              internal: internalCidr,
              public: publicCidr,
              workers: workerCidr,
            })),
          },
        },
        controlPlaneConfig: {
          apiVersion: 'aws.provider.extensions.gardener.cloud/v1alpha1',
          kind: 'ControlPlaneConfig',
        },
        workers: [
          {
            name: 'cpu-worker-0',
            zones: ['eu-central-1a', 'eu-central-1b'],
            volume: { type: 'standard', size: '50Gi' },
          },
        ],
      },
    },
  ],
  [
    '47: Azure with its zones has a network for each, under a number',
    'azure',
    {},
    {
      cloudProfileName: 'az',
      networking: { nodes: vnetCidr },
      provider: {
        infrastructureConfig: {
          networks: { vnet: { cidr: vnetCidr }, zones: azureZones },
          zoned: true,
        },
        workers: [{ zones: ['1', '2'] }],
      },
    },
  ],
  [
    '47: Azure with zones of old has one network',
    'azure',
    azureConfig({ zones: ['1'], enableNatGateway: true, idleConnectionTimeoutMinutes: 10 }),
    {
      provider: {
        infrastructureConfig: {
          networks: {
            workers: '10.250.0.0/19',
            natGateway: { enabled: true, idleConnectionTimeoutMinutes: 10 },
          },
          zoned: true,
        },
        workers: [{ zones: ['1'] }],
      },
    },
  ],
  [
    '49: OpenStack has defaults of its own',
    'openstack',
    {},
    {
      cloudProfileName: 'converged-cloud-kyma',
      exposureClassName: 'converged-cloud-internet',
      provider: {
        infrastructureConfig: {
          floatingPoolName: 'FloatingIP-external-kyma-01',
          networks: { worker: '', workers: '10.250.0.0/19' },
        },
        controlPlaneConfig: { loadBalancerProvider: 'f5' },
      },
    },
  ],
  [
    'a machine image and its version',
    'azure',
    { machineImage: 'gardenlinux', machineImageVersion: '934.8.0' },
    {
      provider: {
        workers: [
          { machine: { type: 'medium', image: { name: 'gardenlinux', version: '934.8.0' } } },
        ],
      },
    },
  ],
  ['a seed', 'azure', { seed: 'az-eu1' }, { seedName: 'az-eu1' }],
  [
    'ranges of pods and services',
    'azure',
    { podsCidr: '10.96.0.0/13', servicesCidr: '10.104.0.0/13' },
    { networking: { pods: '10.96.0.0/13', services: '10.104.0.0/13' } },
  ],
  [
    'a control plane that survives a zone',
    'azure',
    { controlPlaneFailureTolerance: 'zone' },
    { controlPlane: { highAvailability: { failureTolerance: { type: 'zone' } } } },
  ],
  [
    'a networking filter that is on',
    'azure',
    { shootNetworkingFilterDisabled: false },
    { extensions: [{}, {}, { type: 'shoot-networking-filter', disabled: false }, {}] },
  ],
  ['OIDC', 'azure', { oidcConfig }, { kubernetes: { kubeAPIServer: { oidcConfig } } }],
  [
    "the caller's domain with the names that the caller lists",
    'azure',
    {
      dnsConfig: {
        domain: 'demo.example.com',
        providers: [
          {
            domainsInclude: ['a.demo.example.com', 'b.demo.example.com'],
            primary: true,
            secretName: 'route53',
            type: 'aws-route53',
          },
        ],
      },
    },
    {
      dns: {
        domain: 'demo.example.com',
        providers: [
          {
            type: 'aws-route53',
            secretName: 'route53',
            primary: true,
            domains: { include: ['a.demo.example.com', 'b.demo.example.com'] },
          },
        ],
      },
    },
  ],
  [
    'updates that Gardener may make by itself',
    'azure',
    { enableKubernetesVersionAutoUpdate: true },
    { maintenance: { autoUpdate: { kubernetesVersion: true, machineImageVersion: false } } },
  ],
  [
    '52: a region for assured workloads is tolerated',
    'gcp',
    {
      region: 'me-central2',
      providerSpecificConfig: { gcpConfig: { zones: ['me-central2-a'] } },
    },
    { tolerations: [{ key: 'ksa-assured-workload' }] },
  ],
];
for (const [name, provider, changes, expected] of mappings) {
  test(name, () => assert.partialDeepStrictEqual(shootOf(provider, changes).spec, expected));
}

test('47: Azure without zones has no gateway, even if one is wanted', () => {
  const { infrastructureConfig, workers } = partOf(
    'azure',
    azureConfig({ enableNatGateway: true }),
  );
  assert.deepEqual(infrastructureConfig, {
    apiVersion: 'azure.provider.extensions.gardener.cloud/v1alpha1',
    kind: 'InfrastructureConfig',
    networks: { vnet: { cidr: vnetCidr }, workers: '10.250.0.0/19' },
    zoned: false,
  });
  assert.ok(workers[0] && !('zones' in workers[0]));
});

test('47: with networks of zones there is none for all machines', () => {
  assert.ok(!('workers' in partOf('azure').infrastructureConfig.networks));
});

test('a gateway of Azure stands in each of its zones', () => {
  const { networks } = partOf(
    'azure',
    azureConfig({ azureZones, enableNatGateway: true }),
  ).infrastructureConfig;
  const natGateway = { enabled: true, idleConnectionTimeoutMinutes: 4 };
  assert.deepEqual(networks, {
    vnet: { cidr: vnetCidr },
    zones: azureZones.map((zone) => ({ ...zone, natGateway })),
  });
});

test('48: the control plane of GCP is in the first zone', () => {
  assert.partialDeepStrictEqual(partOf('gcp'), {
    infrastructureConfig: { networks: { worker: '10.250.0.0/19', workers: '10.250.0.0/19' } },
    controlPlaneConfig: { zone: 'europe-west3-a' },
  });
});

test('49: OpenStack has no volume', () => {
  assert.ok(!('volume' in (partOf('openstack').workers[0] ?? assert.fail('no pool'))));
});

test('machines of AWS ask for tokens when IMDSv2 is on, and say nothing about it otherwise', () => {
  const awsConfig = { vpcCidr, awsZones, enableIMDSv2: true };
  assert.partialDeepStrictEqual(partOf('aws', { providerSpecificConfig: { awsConfig } }).workers, [
    {
      providerConfig: {
        apiVersion: 'aws.provider.extensions.gardener.cloud/v1alpha1',
        kind: 'WorkerConfig',
        instanceMetadataOptions: { httpTokens: 'required', httpPutResponseHopLimit: 2 },
      },
    },
  ]);
  assert.ok(!('providerConfig' in (partOf('aws').workers[0] ?? {})));
});

test('empty OIDC values are left to the API server', () => {
  const { spec } = shootOf('azure', {
    oidcConfig: { ...oidcConfig, groupsClaim: '', signingAlgs: [] },
  });
  const { groupsClaim: _groups, signingAlgs: _algorithms, ...left } = oidcConfig;
  assert.deepEqual(spec['kubernetes'], {
    version: '1.26.5',
    enableStaticTokenKubeconfig: false,
    kubeAPIServer: { oidcConfig: left },
  });
});

test('the audit policy of the installation is that of the API server', () => {
  const { spec } = shootOf('azure', {}, { auditPolicyConfigMap: 'audit-policy' });
  assert.partialDeepStrictEqual(spec['kubernetes'], {
    kubeAPIServer: { auditConfig: { auditPolicy: { configMapRef: { name: 'audit-policy' } } } },
  });
});

test('50: production in a region with a maintenance window has it, everything else has none', () => {
  const maintenanceWindows = parseMaintenanceWindows(
    '{ "westeurope": { "begin": "220000+0000", "end": "020000+0000" } }',
  );
  const windowOf = (changes: object) =>
    (shootOf('azure', changes, { maintenanceWindows }).spec['maintenance'] as object) ?? {};
  const window = { begin: '220000+0000', end: '020000+0000' };
  assert.partialDeepStrictEqual(windowOf({ purpose: 'production' }), { timeWindow: window });
  assert.ok(!('timeWindow' in windowOf({ purpose: 'testing' })));
  assert.ok(!('timeWindow' in windowOf({})));
  assert.ok(!('timeWindow' in windowOf({ purpose: 'production', region: 'uksouth' })));
});

const euAccess = 'support.gardener.cloud/eu-access-for-cluster-nodes';
const licence = 'kcp.provisioner.kyma-project.io/licence-type';

test('51: access from the EU alone and the licence are annotations, where they were ordered', () => {
  const annotationsOf = (changes: object) => shootOf('azure', changes).metadata.annotations ?? {};
  assert.equal(annotationsOf({ euAccess: true })[euAccess], 'true');
  assert.ok(!(euAccess in annotationsOf({ euAccess: false })));
  assert.ok(!(euAccess in annotationsOf({})));
  assert.equal(
    annotationsOf({ licenceType: 'TestDevelopmentAndDemo' })[licence],
    'TestDevelopmentAndDemo',
  );
  assert.ok(!(licence in annotationsOf({})));
});

test('52: labels name the accounts, and annotations of both families the runtime and the operation', () => {
  const { metadata, spec } = shootOf('azure');
  assert.deepEqual(metadata.labels, { account: 'ga-1', subaccount: 'sa-1' });
  assert.deepEqual(metadata.annotations, {
    'kcp.provisioner.kyma-project.io/runtime-id': owner.runtimeId,
    'kcp.provisioner.kyma-project.io/operation-id': owner.operationId,
    'compass.provisioner.kyma-project.io/runtime-id': owner.runtimeId,
    'compass.provisioner.kyma-project.io/operation-id': owner.operationId,
  });
  assert.ok(!('tolerations' in spec));
});
