import {
  configNotFound,
  controlPlaneClient,
  kubernetesConnection,
  type KubernetesConnection,
} from '#clients';
import {
  controlPlane as simulated,
  demoKymaVersion,
} from '../../src/landscape/control-plane/testing.ts';
import { apiServer, kubeconfigOf, tokensIn } from './cluster.ts';
import { contract, signal } from './contract.ts';
import { canary } from './secrets.ts';

const namespace = '/api/v1/namespaces/kcp-system';
const configMaps = 'GET /api/v1/namespaces/{namespace}/configmaps';
const secrets = 'GET /api/v1/namespaces/{namespace}/secrets';
const wanted = { planName: 'azure', kymaVersion: demoKymaVersion };
const account = { globalAccountId: 'demo', subaccountId: 'sa-1' };
const none = { status: 200, body: { items: [] } };
const kubeconfig = kubeconfigOf('control-plane');

const createSecret = (cluster: KubernetesConnection) =>
  cluster.request({
    method: 'POST',
    path: `${namespace}/secrets`,
    body: {
      metadata: { name: 'override', labels: { 'runtime-override': 'true' } },
      stringData: { 'global.password': canary('control-plane', 1) },
    },
    what: 'create a secret override',
    signal,
  });

export const controlPlane = contract({
  title: 'Control-plane cluster',
  section: '14',
  system: 'control-plane',
  maker: 'controlPlaneClient',
  client: 'src/clients/control-plane/control-plane-client.ts',
  landscape: 'src/landscape/control-plane/control-plane.ts',
  test: 'src/clients/control-plane/control-plane-client.test.ts',
  simulators: [simulated],
  ...apiServer,
  others: {
    'GET /kubeconfig': 'gives away the kubeconfig of the cluster',
    'PUT /kymas/{name}': 'a switch: the state of a Kyma, and whether it can be deleted',
    'kind events': 'belongs to every cluster',
    'kind namespaces': 'belongs to every cluster',
    'kind serviceaccounts': 'belongs to every cluster',
  },
  kubeconfig,
  async connect(landscape, limits, keepSecret) {
    const opened = await kubeconfig(landscape);
    tokensIn(opened).forEach(keepSecret);
    await createSecret(kubernetesConnection('test', { kubeconfig: opened })).catch(() => {}); // once is enough
    return controlPlaneClient({
      ...limits,
      kubeconfig: opened,
      defaultKymaVersion: demoKymaVersion,
    });
  },
  calls: (client) => ({
    brokerConfig: {
      client: 'src/clients/control-plane/broker-config.ts',
      test: 'src/clients/control-plane/broker-config.test.ts',
      endpoints: [configMaps],
      call: (signal) => client.brokerConfig(wanted, signal),
      answers: {
        'an empty list': { ...none, gives: { temporary: false, reason: configNotFound } },
      },
    },
    defaultOverrides: {
      client: 'src/clients/control-plane/default-overrides.ts',
      test: 'src/clients/control-plane/default-overrides.test.ts',
      endpoints: [secrets, configMaps],
      call: (signal) => client.defaultOverrides(wanted, signal),
      at: {
        [configMaps]: {
          answers: {
            'an empty list': { ...none, gives: { temporary: false, reason: configNotFound } },
          },
        },
      },
    },
    kymaVersionOf: {
      endpoints: [`${configMaps}/{name}`],
      call: (signal) => client.kymaVersionOf(account, signal),
      on: { 404: 'nothing' },
    },
    maintenancePolicy: {
      endpoints: [`${configMaps}/{name}`],
      call: (signal) => client.maintenancePolicy(signal),
      on: { 404: 'nothing' },
    },
  }),
});
