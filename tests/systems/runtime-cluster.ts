import {
  BtpCredentials,
  Kubeconfig,
  kubernetesConnection,
  runtimeClusters,
  type KubernetesConnection,
} from '#clients';
import { minutes } from '#time';
import { gardenerWith } from '../../src/landscape/gardener/testing.ts';
import { apiServer, mayBeGone, mayBeMissing, tokensIn } from './cluster.ts';
import { contract, signal } from './contract.ts';
import { runtimeKubeconfig } from './runtime.ts';
import { canary } from './secrets.ts';

const credentials = new BtpCredentials({
  clientid: 'client-1',
  clientsecret: canary('runtime-cluster', 1),
  sm_url: 'https://sm.example.com',
  tokenurl: 'https://token.example.com',
  cluster_id: 'cluster-1',
});
const agent = {
  connectorUrl: 'https://connector.example.com',
  runtimeId: 'runtime-1',
  tenant: 'ga-1',
  token: canary('runtime-cluster', 2),
};
const access = { l2Group: 'operators', l3Group: 'admins', administrators: ['a@example.com'] };
const others = { l3Group: 'others', administrators: ['b@example.com'] };
const guest = { name: 'guest', lifetime: minutes(10) };

const namespaces = 'POST /api/v1/namespaces';
const home = '/api/v1/namespaces/{namespace}';
const secrets = `${home}/secrets`;
const clusterInfo = `${home}/configmaps`;
const accounts = `${home}/serviceaccounts`;
const rbac = '/apis/rbac.authorization.k8s.io/v1';
const btp = '/apis/services.cloud.sap.com/v1';
const unread = { malformed: 'done' } as const;
// Nobody reads what is answered to a creation; without the namespace nothing can be put there.
const noNamespace = { malformed: { temporary: false, reason: 'NotFound', status: 404 } } as const;
const inTheWay = { temporary: true, reason: 'Conflict' } as const;
const files = (name: string) => ({
  client: `src/clients/runtime-cluster/${name}.ts`,
  test: `src/clients/runtime-cluster/${name}.test.ts`,
});

const create = (cluster: KubernetesConnection, path: string, object: object) =>
  cluster.request({ method: 'POST', path, body: object, what: `create one of ${path}`, signal });

async function order(cluster: KubernetesConnection): Promise<void> {
  await create(cluster, '/api/v1/namespaces', { metadata: { name: 'shop' } });
  const apiVersion = 'services.cloud.sap.com/v1';
  const binding = { apiVersion, kind: 'ServiceBinding', metadata: { name: 'b' } };
  const instance = { apiVersion, kind: 'ServiceInstance', metadata: { name: 'i' } };
  await create(cluster, `${btp}/namespaces/shop/servicebindings`, binding);
  await create(cluster, `${btp}/namespaces/shop/serviceinstances`, instance);
}

export const runtimeCluster = contract({
  title: 'Runtime cluster (SKR)',
  section: '15',
  system: 'runtime-cluster',
  prefix: 'gardener',
  base: '/runtimes/{shoot}',
  maker: 'runtimeClusters',
  client: 'src/clients/runtime-cluster/runtime-cluster.ts',
  landscape: 'src/landscape/gardener/runtime-clusters.ts',
  test: 'src/clients/runtime-cluster/runtime-cluster.test.ts',
  simulators: [gardenerWith({ freeAccounts: 2 })],
  ...apiServer,
  others: {
    'kind events': 'belongs to every cluster',
    'kind rolebindings.rbac.authorization.k8s.io': 'belongs to every cluster',
    'kind roles.rbac.authorization.k8s.io': 'belongs to every cluster',
  },
  kubeconfig: runtimeKubeconfig,
  async connect(landscape, limits, keepSecret) {
    const kubeconfig = await runtimeKubeconfig(landscape);
    tokensIn(kubeconfig).forEach(keepSecret);
    return runtimeClusters(limits)(new Kubeconfig(kubeconfig));
  },
  calls(client, patient, landscape) {
    const orders = async () =>
      order(kubernetesConnection('test', { kubeconfig: await runtimeKubeconfig(landscape) }));
    return {
      version: {
        endpoints: ['GET /version'],
        call: (signal) => client.version(signal),
      },
      ensureNamespace: {
        endpoints: [namespaces],
        call: (signal) => client.ensureNamespace('istio-system', signal),
        ...unread,
      },
      clusterId: {
        ...files('cluster-id'),
        endpoints: [`GET ${clusterInfo}/{name}`, namespaces, `POST ${clusterInfo}`],
        call: (signal) => client.clusterId(signal),
        at: {
          [`GET ${clusterInfo}/{name}`]: { on: { 404: 'done' } },
          [namespaces]: noNamespace,
          [`POST ${clusterInfo}`]: unread,
        },
      },
      'btpCredentials.get': {
        ...files('btp-credentials-secret'),
        endpoints: [`GET ${secrets}/{name}`],
        prepare: () => patient.btpCredentials.ensure(credentials, signal),
        call: (signal) => client.btpCredentials.get(signal),
        ...mayBeMissing,
      },
      'btpCredentials.isLeftAlone': {
        ...files('btp-credentials-secret'),
        endpoints: [`GET ${secrets}/{name}`],
        prepare: () => patient.btpCredentials.ensure(credentials, signal),
        call: (signal) => client.btpCredentials.isLeftAlone(signal),
        on: { 404: 'done' },
        missing: 'done',
      },
      'btpCredentials.ensure': {
        ...files('btp-credentials-secret'),
        endpoints: [`GET ${secrets}/{name}`, namespaces, `POST ${secrets}`],
        call: (signal) => client.btpCredentials.ensure(credentials, signal),
        at: {
          [`GET ${secrets}/{name}`]: { on: { 404: 'done' } },
          [namespaces]: noNamespace,
          [`POST ${secrets}`]: unread,
        },
      },
      'btpCredentials.ensure (of one that is there)': {
        ...files('btp-credentials-secret'),
        endpoints: [`GET ${secrets}/{name}`, `PUT ${secrets}/{name}`],
        prepare: () => patient.btpCredentials.ensure(credentials, signal),
        call: (signal) => client.btpCredentials.ensure(credentials, signal),
        // Said to be missing, and there when it is to be created, or missing when it is to be written.
        on: { 404: { ...inTheWay, status: undefined } },
      },
      ensureAgentConfiguration: {
        ...files('agent-configuration'),
        endpoints: [namespaces, `POST ${secrets}`],
        call: (signal) => client.ensureAgentConfiguration(agent, signal),
        at: { [namespaces]: noNamespace, [`POST ${secrets}`]: unread },
      },
      'ensureAgentConfiguration (of one that is there)': {
        ...files('agent-configuration'),
        endpoints: [
          namespaces,
          `POST ${secrets}`,
          `GET ${secrets}/{name}`,
          `PUT ${secrets}/{name}`,
        ],
        prepare: () => patient.ensureAgentConfiguration(agent, signal),
        call: (signal) => client.ensureAgentConfiguration(agent, signal),
        at: {
          [namespaces]: unread,
          [`POST ${secrets}`]: unread,
          [`GET ${secrets}/{name}`]: { on: { 404: { ...inTheWay, status: undefined } } },
          [`PUT ${secrets}/{name}`]: { on: { 404: { ...inTheWay, status: undefined } } },
        },
      },
      'temporaryAccess.grant': {
        ...files('temporary-access'),
        endpoints: [
          namespaces,
          `POST ${accounts}`,
          `POST ${rbac}/clusterrolebindings`,
          `POST ${accounts}/{name}/token`,
        ],
        call: (signal) => client.temporaryAccess.grant(guest, signal),
        at: {
          [namespaces]: noNamespace,
          // Said to be made, and missing when it is used.
          [`POST ${accounts}`]: { malformed: { ...inTheWay, status: undefined } },
          [`POST ${rbac}/clusterrolebindings`]: unread,
          [`POST ${accounts}/{name}/token`]: { on: { 404: { ...inTheWay, status: undefined } } },
        },
      },
      'temporaryAccess.revoke': {
        ...files('temporary-access'),
        endpoints: [`DELETE ${accounts}/{name}`, `DELETE ${rbac}/clusterrolebindings/{name}`],
        prepare: () => patient.temporaryAccess.grant(guest, signal),
        call: (signal) => client.temporaryAccess.revoke(guest.name, signal),
        ...unread,
        ...mayBeGone,
      },
      ensureOperatorAccess: {
        ...files('operator-access'),
        endpoints: [
          `POST ${rbac}/clusterroles`,
          `GET ${rbac}/clusterrolebindings`,
          `POST ${rbac}/clusterrolebindings`,
        ],
        call: (signal) => client.ensureOperatorAccess(access, signal),
        at: {
          [`POST ${rbac}/clusterroles`]: unread,
          [`POST ${rbac}/clusterrolebindings`]: unread,
        },
      },
      'ensureOperatorAccess (for others than before)': {
        ...files('operator-access'),
        endpoints: [
          `POST ${rbac}/clusterroles`,
          `GET ${rbac}/clusterrolebindings`,
          `DELETE ${rbac}/clusterrolebindings/{name}`,
          `POST ${rbac}/clusterrolebindings`,
        ],
        prepare: () => patient.ensureOperatorAccess(others, signal),
        call: (signal) => client.ensureOperatorAccess(access, signal),
        at: {
          [`POST ${rbac}/clusterroles`]: unread,
          [`DELETE ${rbac}/clusterrolebindings/{name}`]: { on: { 404: 'done' }, malformed: 'done' },
          [`POST ${rbac}/clusterrolebindings`]: unread,
        },
      },
      'btpResources.count': {
        ...files('btp-resources'),
        endpoints: [`GET ${btp}/servicebindings`],
        prepare: orders,
        call: (signal) => client.btpResources.count('servicebindings', signal),
        missing: 'done',
      },
      'btpResources.deleteAll': {
        ...files('btp-resources'),
        endpoints: [
          `GET ${btp}/serviceinstances`,
          `DELETE ${btp}/namespaces/{namespace}/serviceinstances`,
        ],
        prepare: orders,
        call: (signal) => client.btpResources.deleteAll('serviceinstances', signal),
        missing: 'done',
        at: { [`DELETE ${btp}/namespaces/{namespace}/serviceinstances`]: unread },
      },
      'btpResources.removeFinalizers': {
        ...files('btp-resources'),
        endpoints: [
          `GET ${btp}/servicebindings`,
          `PATCH ${btp}/namespaces/{namespace}/servicebindings/{name}`,
        ],
        prepare: orders,
        call: (signal) => client.btpResources.removeFinalizers('servicebindings', signal),
        missing: 'done',
        at: {
          [`PATCH ${btp}/namespaces/{namespace}/servicebindings/{name}`]: {
            on: { 404: 'done' },
            malformed: 'done',
          },
        },
      },
    };
  },
});
