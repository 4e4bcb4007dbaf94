import { Kubeconfig, kymaInstallerOn, noSuchKind, type KymaInstaller } from '#clients';
import { gardenerWith } from '../../src/landscape/gardener/testing.ts';
import { apiServer, tokensIn } from './cluster.ts';
import { contract, signal } from './contract.ts';
import { runtimeKubeconfig } from './runtime.ts';
import { canary } from './secrets.ts';

const kyma = {
  version: '1.24.10',
  profile: 'Production',
  configuration: [
    { key: 'global.domainName', value: 'a.kyma.example.com' },
    { key: 'global.password', value: canary('kyma-installer', 1), secret: true },
  ],
  components: [{ component: 'cluster-essentials', namespace: 'kyma-system' }],
} as const;
const formerly = {
  ...kyma,
  components: [
    {
      component: 'former',
      namespace: 'kyma-system',
      configuration: [{ key: 'token', value: canary('kyma-installer', 2), secret: true }],
    },
  ],
} as const;

const crd = (group: string, version: string, kind: string, plural: string, scope: string) => `---
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: { name: ${plural}.${group} }
spec:
  group: ${group}
  scope: ${scope}
  names: { kind: ${kind}, singular: ${kind.toLowerCase()}, plural: ${plural} }
  versions: [{ name: ${version}, served: true, storage: true }]
`;
const installer = `---
apiVersion: v1
kind: ServiceAccount
metadata: { name: kyma-installer, namespace: kyma-installer }
---
apiVersion: v1
kind: Namespace
metadata: { name: kyma-installer }
---
apiVersion: apps/v1
kind: Deployment
metadata: { name: kyma-installer, namespace: kyma-installer }
spec: { replicas: 1 }
${crd('installer.kyma-project.io', 'v1alpha1', 'Installation', 'installations', 'Namespaced')}`;

const catalogVersion = 'servicecatalog.k8s.io/v1beta1';
const catalogKind = (kind: string, plural: string, scope = 'Cluster') =>
  crd('servicecatalog.k8s.io', 'v1beta1', kind, plural, scope);
const catalog =
  catalogKind('ClusterServiceBroker', 'clusterservicebrokers') +
  catalogKind('ClusterServiceClass', 'clusterserviceclasses') +
  catalogKind('ServiceInstance', 'serviceinstances', 'Namespaced');
const ordered = `---
apiVersion: ${catalogVersion}
kind: ClusterServiceBroker
metadata: { name: mine }
spec: { url: https://service-manager.example.com }
---
apiVersion: ${catalogVersion}
kind: ClusterServiceClass
metadata: { name: database-class }
spec: { clusterServiceBrokerName: mine }
---
apiVersion: ${catalogVersion}
kind: ServiceInstance
metadata: { name: database }
spec: { clusterServiceClassRef: { name: database-class } }
`;

const core = '/api/v1';
const home = `${core}/namespaces/{namespace}`;
const installation =
  '/apis/installer.kyma-project.io/v1alpha1/namespaces/{namespace}/installations/{name}';
const compass = '/apis/compass.kyma-project.io/v1alpha1/compassconnections/{name}';
const services = `/apis/${catalogVersion}`;
const unread = { malformed: 'done' } as const;
const mayBeAbsent = { on: { 404: 'done' }, missing: 'done' } as const;
const goes = { on: { 404: 'done' }, malformed: 'done' } as const;
const files = (name: string) => ({
  client: `src/clients/kyma-installer/${name}.ts`,
  test: `src/clients/kyma-installer/${name}.test.ts`,
});
const applies = (...paths: string[]) =>
  Object.fromEntries(paths.map((path) => [`PATCH ${path}`, unread]));

export const installerOfKyma = contract({
  title: 'Kyma installer, Runtime Agent and Service Catalog',
  section: '16',
  system: 'runtime-cluster',
  prefix: 'gardener',
  base: '/runtimes/{shoot}',
  maker: 'kymaInstallerOn',
  client: 'src/clients/kyma-installer/kyma-installation.ts',
  landscape: 'src/landscape/gardener/kyma-installation.ts',
  test: 'src/clients/kyma-installer/kyma-installation.test.ts',
  simulators: [gardenerWith({ freeAccounts: 2 })],
  ...apiServer,
  kubeconfig: runtimeKubeconfig,
  async connect(landscape, limits, keepSecret): Promise<KymaInstaller> {
    const kubeconfig = await runtimeKubeconfig(landscape);
    tokensIn(kubeconfig).forEach(keepSecret);
    return kymaInstallerOn(new Kubeconfig(kubeconfig), limits);
  },
  calls(client, patient) {
    const apply = () => patient.installation.applyInstaller(installer, signal);
    const applied = [
      `${core}/namespaces/{name}`,
      '/apis/apiextensions.k8s.io/v1/customresourcedefinitions/{name}',
      `${home}/serviceaccounts/{name}`,
      '/apis/apps/v1/namespaces/{namespace}/deployments/{name}',
    ];
    const overrides = [`${home}/configmaps/{name}`, `${home}/secrets/{name}`];
    return {
      'installation.applyInstaller': {
        endpoints: [
          `GET ${core}`,
          'GET /apis/apiextensions.k8s.io/v1',
          'GET /apis/apps/v1',
          ...applied.map((path) => `PATCH ${path}`),
        ],
        call: (signal) => client.installation.applyInstaller(installer, signal),
        at: {
          ...applies(...applied),
          // Without its namespace nothing can be put there.
          [`PATCH ${core}/namespaces/{name}`]: {
            malformed: { temporary: false, reason: 'NotFound', status: 404 },
          },
        },
      },
      'installation.applyOverrides': {
        client: 'src/clients/kyma-installer/overrides.ts',
        endpoints: [
          `GET ${home}/configmaps`,
          `GET ${home}/secrets`,
          ...overrides.map((path) => `PATCH ${path}`),
        ],
        prepare: apply,
        call: (signal) => client.installation.applyOverrides(kyma, signal),
        at: applies(...overrides),
        missing: { temporary: false, reason: 'NotFound', status: 404 },
      },
      'installation.applyOverrides (in place of others)': {
        client: 'src/clients/kyma-installer/overrides.ts',
        endpoints: [
          `GET ${home}/configmaps`,
          `GET ${home}/secrets`,
          ...overrides.map((path) => `PATCH ${path}`),
          `DELETE ${home}/secrets/{name}`,
        ],
        async prepare() {
          await apply();
          await patient.installation.applyOverrides(formerly, signal);
        },
        call: (signal) => client.installation.applyOverrides(kyma, signal),
        at: { ...applies(...overrides), [`DELETE ${home}/secrets/{name}`]: goes },
      },
      'installation.install': {
        endpoints: [`PATCH ${installation}`],
        prepare: apply,
        call: (signal) => client.installation.install(kyma, signal),
        ...unread,
        missing: { temporary: false, reason: noSuchKind, status: 404 },
      },
      'installation.uninstall': {
        endpoints: [`PATCH ${installation}`],
        async prepare() {
          await apply();
          await patient.installation.install(kyma, signal);
        },
        call: (signal) => client.installation.uninstall(signal),
        ...mayBeAbsent,
      },
      'installation.state': {
        endpoints: [`GET ${installation}`],
        async prepare() {
          await apply();
          await patient.installation.install(kyma, signal);
        },
        call: (signal) => client.installation.state(signal),
        ...mayBeAbsent,
      },
      'agent.connection': {
        ...files('runtime-agent'),
        endpoints: [`GET ${compass}`],
        call: (signal) => client.agent.connection(signal),
        ...mayBeAbsent,
      },
      'agent.connectAnew': {
        ...files('runtime-agent'),
        endpoints: [`PATCH ${compass}`],
        call: (signal) => client.agent.connectAnew(signal),
        ...mayBeAbsent,
      },
      'serviceCatalog.cleanUp': {
        ...files('service-catalog'),
        endpoints: [
          `GET ${services}/clusterservicebrokers`,
          `GET ${services}/clusterserviceclasses`,
          `GET ${services}/serviceinstances`,
          `DELETE ${services}/namespaces/{namespace}/serviceinstances/{name}`,
          `PATCH ${services}/clusterservicebrokers/{name}`,
        ],
        async prepare() {
          await patient.installation.applyInstaller(catalog, signal);
          await patient.installation.applyInstaller(ordered, signal);
        },
        call: (signal) => client.serviceCatalog.cleanUp(signal),
        missing: 'nothing',
        at: {
          [`DELETE ${services}/namespaces/{namespace}/serviceinstances/{name}`]: goes,
          [`PATCH ${services}/clusterservicebrokers/{name}`]: { on: { 404: 'done' } },
        },
      },
    };
  },
});
