// For tests: values of each parameter that have the right form, and values that have not, at a plan on AWS.
import type { ParameterName } from './catalog-schema.ts';
import { base64, kubeconfigText } from './testing.ts';

export type Samples = { readonly good: readonly unknown[]; readonly bad: readonly unknown[] };

const wrongTypes = [null, {}, true];
const noObject = [null, [], 'text', 1];
const wholeNumber = (good: readonly number[], bad: readonly number[]): Samples => ({
  good,
  bad: [...wrongTypes, '3', 3.5, ...bad],
});
const text = (good: readonly string[], bad: readonly unknown[] = ['']): Samples => ({
  good,
  bad: [...wrongTypes, 3, ...bad],
});

export const samples: Readonly<Record<ParameterName, Samples>> = {
  name: text(['a', 'My-cluster-7'], ['', 'a b', 'a_b', 'ä', 'a\n', 'a.b']),
  region: text(['eu-central-1', 'ap-south-1'], ['', 'eu-west-1', 'eastus', 'EU-CENTRAL-1']),
  machineType: text(['m5.xlarge', 'm5.12xlarge'], ['', 'm4.xlarge', 'Standard_D4_v3']),
  autoScalerMin: wholeNumber([3, 20], [2, 0, -3]),
  autoScalerMax: wholeNumber([20, 80], [2, 81, 1e9]),
  maxSurge: wholeNumber([1, 5], [-1]),
  maxUnavailable: wholeNumber([0, 1], [-1]),
  volumeSizeGb: wholeNumber([1, 100], [0, -1]),
  zones: {
    good: [['eu-central-1a'], ['eu-central-1a', 'eu-central-1c']],
    bad: [[], 'eu-central-1a', [1], [''], null],
  },
  purpose: text(['evaluation', 'development', 'testing', 'production'], ['', 'fun']),
  targetSecret: text(['aws-pool-07']),
  components: { good: [[], ['kiali'], ['kiali', 'tracing']], bad: [['istio'], 'kiali', [1], null] },
  kymaVersion: text(['2.18.0', 'main-1a2b3c4']),
  overridesVersion: text(['2.18.0']),
  administrators: {
    good: [['a@example.test'], []],
    bad: ['a@example.test', [1], [null], {}, null],
  },
  provider: text(['Azure', 'AWS', 'GCP'], ['', 'aws', 'OpenStack']),
  oidc: {
    good: [
      { clientID: 'c', issuerURL: 'https://idp.example.test' },
      {
        clientID: 'c',
        issuerURL: 'https://idp.example.test/a',
        groupsClaim: 'g',
        usernameClaim: 'u',
        usernamePrefix: '-',
        signingAlgs: ['RS256', 'PS512'],
      },
    ],
    bad: [
      ...noObject,
      { clientID: 1, issuerURL: 'https://idp.example.test' },
      { clientID: 'c', issuerURL: 'https://idp.example.test', signingAlgs: 'RS256' },
      { clientID: 'c', issuerURL: 'https://idp.example.test', groupsPrefix: '-' },
    ],
  },
  networking: {
    good: [{ nodes: '10.250.0.0/22' }, { nodes: '192.168.0.0/20' }],
    bad: [
      ...noObject,
      {},
      { nodes: 10 },
      { nodes: '10.250.0.0/22', pods: '10.96.0.0/13' },
      { nodes: '10.250.0.0/22', services: '10.104.0.0/13' },
    ],
  },
  modules: {
    good: [
      { default: true },
      { default: false, channel: 'fast' },
      { list: [], channel: 'regular' },
      { list: [{ name: 'istio', channel: 'fast', customResourcePolicy: 'Ignore' }] },
    ],
    bad: [
      ...noObject,
      {},
      { default: 'yes' },
      { default: true, list: [] },
      { list: [{ name: '' }] },
      { list: [{ channel: 'fast' }] },
      { list: [{ name: 'istio', customResourcePolicy: 'Delete' }] },
      { default: true, channel: 'slow' },
    ],
  },
  kubeconfig: text([base64(kubeconfigText())]),
  shootName: text(['c-1a2b3c4', 'x'], ['', 'C-1', 'a.b', '-a', 'a-']),
  shootDomain: text(['c-1.example.test', 'localhost'], ['', 'a..b', '.a', 'A.test', 'a/b']),
  licence_type: text(['TestDevelopmentAndDemo', ''], []),
  expired: { good: [true, false], bad: ['true', 1, null] },
};

/** The same for plans elsewhere, where it differs. */
export const samplesElsewhere: Readonly<
  Record<string, Partial<Readonly<Record<ParameterName, Samples>>>>
> = {
  azure: {
    region: text(['eastus', 'southeastasia'], ['eu-central-1', 'switzerlandnorth']),
    machineType: text(['Standard_D4_v3', 'Standard_D64_v3'], ['m5.xlarge', 'Standard_D2_v3']),
    zones: { good: [['1'], ['1', '2', '3']], bad: [[], [1], '1'] },
  },
  azure_lite: {
    region: text(['eastus'], ['eu-central-1']),
    machineType: text(['Standard_D4_v3'], ['Standard_D8_v3']),
    autoScalerMin: wholeNumber([2, 10], [1]),
    autoScalerMax: wholeNumber([10, 40], [1, 41]),
    zones: { good: [['3']], bad: [[]] },
  },
  gcp: {
    region: text(['us-central1'], ['us-central-1']),
    machineType: text(['n2-standard-48'], ['n2-standard-64']),
    zones: { good: [['europe-west3-b']], bad: [['']] },
  },
  openstack: {
    region: text(['eu-de-1', 'ap-sa-1'], ['eu-de-2']),
    machineType: text(['g_c8_m32'], ['g_c16_m64']),
    autoScalerMin: wholeNumber([2, 8], [1]),
    autoScalerMax: wholeNumber([8, 40], [1, 41]),
    zones: { good: [['eu-de-2d']], bad: [['']] },
  },
  trial: {
    region: text(['europe', 'us', 'asia'], ['', 'eu-central-1', 'Europe']),
    zones: { good: [['2']], bad: [[]] },
  },
};
