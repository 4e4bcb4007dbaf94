// For tests of the provisioner: what callers order.
import type { GardenerConfig } from './gardener-config.ts';
import { acceptProvisioning } from './accept-provisioning.ts';
import type { Provider } from './provider-input.ts';

export const project = 'kyma';
export const defaults = {
  enableKubernetesVersionAutoUpdate: false,
  enableMachineImageVersionAutoUpdate: false,
  enableIMDSv2: false,
};

export const oidcConfig = {
  clientID: 'client',
  groupsClaim: 'groups',
  issuerURL: 'https://idp.example.com',
  signingAlgs: ['RS256'],
  usernameClaim: 'sub',
  usernamePrefix: '-',
};

const common = {
  name: 'c-1a2b3c4',
  kubernetesVersion: '1.26.5',
  targetSecret: 'azure-pool-001',
  diskType: 'standard',
  volumeSizeGB: 50,
  machineType: 'medium',
  workerCidr: '10.250.0.0/19',
  autoScalerMin: 3,
  autoScalerMax: 20,
  maxSurge: 3,
  maxUnavailable: 0,
};
const noVolume = { diskType: null, volumeSizeGB: null };

export const azureZones = [
  { name: 1, cidr: '10.250.0.0/22' },
  { name: 2, cidr: '10.250.4.0/22' },
];
export const awsZones = [
  {
    name: 'eu-central-1a',
    workerCidr: '10.250.0.0/19',
    publicCidr: '10.250.32.0/20',
    internalCidr: '10.250.48.0/20',
  },
  {
    name: 'eu-central-1b',
    workerCidr: '10.250.64.0/19',
    publicCidr: '10.250.96.0/20',
    internalCidr: '10.250.112.0/20',
  },
];
export const vpcCidr = '10.250.0.0/16';
export const vnetCidr = '10.250.0.0/19';
const gcpZones = ['europe-west3-a', 'europe-west3-b'];
const openStack = { zones: ['eu-de-1a'], loadBalancerProvider: 'f5' };

export const gardenerConfigs = {
  aws: { region: 'eu-central-1', providerSpecificConfig: { awsConfig: { vpcCidr, awsZones } } },
  azure: {
    region: 'westeurope',
    providerSpecificConfig: { azureConfig: { vnetCidr, azureZones } },
  },
  gcp: { region: 'europe-west3', providerSpecificConfig: { gcpConfig: { zones: gcpZones } } },
  openstack: {
    ...noVolume,
    region: 'eu-de-1',
    providerSpecificConfig: { openStackConfig: openStack },
  },
} as const satisfies Record<Provider, object>;

/** A whole request, with these members of `gardenerConfig` changed. */
export const order = (provider: Provider, changes: object = {}, more: object = {}) => ({
  runtimeInput: { name: 'demo' },
  clusterConfig: {
    gardenerConfig: { ...common, provider, ...gardenerConfigs[provider], ...changes },
    administrators: ['user-1', 'user-2'],
  },
  ...more,
});

export const accepted = (provider: Provider, changes: object = {}): GardenerConfig =>
  acceptProvisioning(order(provider, changes), { project, defaults }).config;
