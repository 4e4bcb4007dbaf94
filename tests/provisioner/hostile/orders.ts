// Valid inputs that name every field of the schema's inputs, to be spoilt at one place.
import { order } from '../../../src/provisioner/testing.ts';
import { asLiteral } from './written-value.ts';

const oidcConfig = {
  clientID: 'client',
  groupsClaim: 'groups',
  issuerURL: 'https://idp.example.com',
  signingAlgs: ['RS256'],
  usernameClaim: 'sub',
  usernamePrefix: '-',
};
const override = { key: 'a.b', value: 'c', secret: true };
const kymaConfig = {
  version: '1.24.10',
  profile: 'Evaluation',
  components: [
    {
      component: 'compass-runtime-agent',
      namespace: 'kyma-system',
      configuration: [override],
      sourceURL: 'https://example.com/source',
      conflictStrategy: 'Replace',
    },
  ],
  configuration: [override],
  conflictStrategy: 'Merge',
};
const runtimeInput = { name: 'demo', description: 'a demo', labels: { team: 'a', sizes: [1, 2] } };
const common = {
  podsCidr: '10.96.0.0/13',
  servicesCidr: '10.104.0.0/13',
  purpose: 'testing',
  licenceType: 'partner',
  machineImage: 'gardenlinux',
  machineImageVersion: '934.8.0',
  enableKubernetesVersionAutoUpdate: false,
  enableMachineImageVersionAutoUpdate: true,
  shootNetworkingFilterDisabled: true,
  controlPlaneFailureTolerance: 'zone',
  euAccess: false,
  shootAndSeedSameRegion: false,
  oidcConfig,
  dnsConfig: {
    domain: 'a.example.com',
    providers: [
      { domainsInclude: ['a.example.com'], primary: true, secretName: 'dns', type: 'aws-route53' },
    ],
  },
};
const blocks = {
  aws: { awsConfig: { enableIMDSv2: true } },
  azure: {
    azureConfig: { zones: ['1', '2'], enableNatGateway: true, idleConnectionTimeoutMinutes: 4 },
  },
  gcp: { gcpConfig: {} },
  openstack: {
    openStackConfig: { floatingPoolName: 'pool', cloudProfileName: 'converged-cloud-kyma' },
  },
} as const;

type Provider = keyof typeof blocks;
const providers = Object.keys(blocks) as Provider[]; // of an object of this file

/** A new runtime, with a Shoot of this name. */
export function fullOrder(provider: Provider, name: string): object {
  const base = order(provider).clusterConfig.gardenerConfig.providerSpecificConfig;
  const [[block, members] = ['', {}]] = Object.entries(base);
  const more: object = Object.values(blocks[provider])[0] ?? {};
  const exposureClassName =
    provider === 'openstack' ? 'converged-cloud-internet' : 'converged-cloud-extern';
  const changes = {
    ...common,
    name,
    exposureClassName,
    seed: `${provider}-eu1`,
    providerSpecificConfig: { [block]: { ...members, ...more } },
  };
  const whole = order(provider, changes, { runtimeInput, kymaConfig });
  return JSON.parse(JSON.stringify(whole, (_, value: unknown) => value ?? undefined)) as object; // without nulls
}

const shootUpgrade = {
  gardenerConfig: {
    kubernetesVersion: '1.26.5',
    machineType: 'large',
    diskType: 'standard',
    volumeSizeGB: 60,
    autoScalerMin: 3,
    autoScalerMax: 20,
    machineImage: 'gardenlinux',
    machineImageVersion: '934.8.0',
    maxSurge: 3,
    maxUnavailable: 1,
    purpose: 'testing',
    enableKubernetesVersionAutoUpdate: false,
    enableMachineImageVersionAutoUpdate: false,
    providerSpecificConfig: order('azure').clusterConfig.gardenerConfig.providerSpecificConfig,
    oidcConfig,
    exposureClassName: 'converged-cloud-extern',
    shootNetworkingFilterDisabled: true,
  },
  administrators: ['user-1'],
};
export const kymaUpgrade = { kymaConfig };

/** A mutation with its input, of the type of that name. */
export type Order = { readonly field: string; readonly type: string; readonly input: object };

/** By what each is called here. */
export const orders: Readonly<Record<string, (shootName: string) => Order>> = {
  ...Object.fromEntries(
    providers.map((provider) => [
      provider,
      (name: string) => ({
        field: 'provisionRuntime',
        type: 'ProvisionRuntimeInput',
        input: fullOrder(provider, name),
      }),
    ]),
  ),
  'another cluster': () => ({
    field: 'upgradeShoot',
    type: 'UpgradeShootInput',
    input: structuredClone(shootUpgrade),
  }),
  'another Kyma': () => ({
    field: 'upgradeRuntime',
    type: 'UpgradeRuntimeInput',
    input: structuredClone(kymaUpgrade),
  }),
};

/** As a document asks for it. */
export function written({ field, input }: Order, runtimeId: string, fields: string): string {
  const id = field === 'provisionRuntime' ? '' : `id: "${runtimeId}", `;
  return `mutation { result: ${field}(${id}config: ${asLiteral(input)}) ${fields} }`;
}
