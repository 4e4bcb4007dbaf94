import { gardenerClient } from '#clients';
import { minutes } from '#time';
import { shootOf } from '../../src/clients/gardener/testing.ts';
import { gardenerWith } from '../../src/landscape/gardener/testing.ts';
import { apiServer, kubeconfigOf, mayBeGone, mayBeMissing, tokensIn } from './cluster.ts';
import { contract, signal } from './contract.ts';

const project = '/apis/core.gardener.cloud/v1beta1/namespaces/{namespace}';
const bindings = `GET ${project}/secretbindings`;
const label = `PUT ${project}/secretbindings/{name}`;
const shoots = `GET ${project}/shoots`;
const shoot = `${project}/shoots/{name}`;
const owner = { tenantName: 'ga-1', hyperscalerType: 'azure', euAccess: false };
const kubeconfig = kubeconfigOf('gardener');
const pool = {
  client: 'src/clients/gardener/account-pool.ts',
  test: 'src/clients/gardener/account-pool.test.ts',
};

const credentials = {
  client: 'src/clients/gardener/account-credentials.ts',
  test: 'src/clients/gardener/account-credentials.test.ts',
  endpoints: ['GET /api/v1/namespaces/{namespace}/secrets/{name}'],
};

export const gardener = contract({
  title: 'Gardener',
  section: '12',
  system: 'gardener',
  maker: 'gardenerClient',
  client: 'src/clients/gardener/shoots.ts',
  landscape: 'src/landscape/gardener/gardener.ts',
  test: 'src/clients/gardener/shoots.test.ts',
  simulators: [gardenerWith({ freeAccounts: 2 })],
  ...apiServer,
  others: {
    'GET /kubeconfig': 'gives away the kubeconfig of the project',
    'PUT /shoots/{name}/hibernation': 'a switch: whether a shoot can be put to sleep',
    'PUT /shoots/{name}/operation': 'a switch: how the operation of a shoot goes',
    'kind cloudprofiles.core.gardener.cloud':
      'belongs to a Gardener; people look at it with kubectl',
    'kind configmaps': 'belongs to every cluster: audit policies are named, not read',
    'kind events': 'belongs to every cluster',
    'kind namespaces': 'belongs to every cluster',
    'kind serviceaccounts': 'belongs to every cluster',
  },
  kubeconfig,
  connect: async (landscape, limits, keepSecret) => {
    const opened = await kubeconfig(landscape);
    tokensIn(opened).forEach(keepSecret);
    return gardenerClient({ ...limits, kubeconfig: opened, project: 'kyma' });
  },
  calls({ accounts, azureAccount, awsAccount, shoots: clusters, seedProvider }, patient, { time }) {
    let [seed, secret] = ['no-such-seed', 'no-such-secret'];
    const claim = () => patient.accounts.claim(owner, signal);
    const release = async () => {
      await claim();
      await patient.accounts.release(owner, signal);
    };
    const apply = () => patient.shoots.apply(shootOf('a'), signal);
    return {
      'accounts.findOwn': {
        ...pool,
        endpoints: [bindings],
        prepare: claim,
        call: (signal) => accounts.findOwn(owner, signal),
        missing: 'nothing',
      },
      'accounts.claim': {
        ...pool,
        endpoints: [bindings, label],
        call: (signal) => accounts.claim(owner, signal),
        at: { [label]: { malformed: 'done' } },
      },
      'accounts.leastUsedShared': {
        ...pool,
        endpoints: [bindings, shoots],
        call: (signal) => accounts.leastUsedShared('azure', signal),
      },
      'accounts.release': {
        ...pool,
        endpoints: [bindings, shoots, label],
        prepare: claim,
        call: (signal) => accounts.release(owner, signal),
        missing: 'done',
        at: { [label]: { malformed: 'done' } },
      },
      'accounts.released': {
        ...pool,
        endpoints: [bindings, shoots],
        prepare: release,
        call: (signal) => accounts.released(signal),
        missing: 'done',
      },
      'accounts.giveBack': {
        ...pool,
        endpoints: [bindings, label],
        prepare: release,
        call: (signal) => accounts.giveBack('azure-pool-001', signal),
        missing: 'done',
        at: { [label]: { malformed: 'done' } },
      },
      'accounts.list': {
        ...pool,
        endpoints: [bindings],
        call: (signal) => accounts.list(signal),
        missing: 'done',
      },
      azureAccount: {
        ...credentials,
        prepare: async () => {
          secret = 'azure-pool-001';
        },
        call: (signal) => azureAccount(secret, signal),
        ...mayBeMissing,
      },
      awsAccount: {
        ...credentials,
        prepare: async () => {
          secret = 'aws-pool-001';
        },
        call: (signal) => awsAccount(secret, signal),
        ...mayBeMissing,
      },
      seedProvider: {
        client: 'src/clients/gardener/gardener-client.ts',
        endpoints: ['GET /apis/core.gardener.cloud/v1beta1/seeds/{name}'],
        prepare: async () => {
          seed = 'azure-eu1';
        },
        call: (signal) => seedProvider(seed, signal),
        ...mayBeMissing,
      },
      'shoots.get': {
        endpoints: [`GET ${shoot}`],
        prepare: apply,
        call: (signal) => clusters.get('a', signal),
        ...mayBeMissing,
      },
      'shoots.findByRuntimeId': {
        endpoints: [shoots],
        prepare: apply,
        call: (signal) => clusters.findByRuntimeId('ga-1', 'runtime-a', signal),
        missing: 'nothing',
      },
      'shoots.list': {
        endpoints: [shoots],
        prepare: apply,
        call: (signal) => clusters.list(signal),
        missing: 'done',
      },
      'shoots.apply': {
        endpoints: [`PATCH ${shoot}`],
        call: (signal) => clusters.apply(shootOf('a'), signal),
      },
      'shoots.check': {
        endpoints: [`PATCH ${shoot}`],
        call: (signal) => clusters.check(shootOf('a'), signal),
      },
      'shoots.delete': {
        endpoints: [`PATCH ${shoot}`, `DELETE ${shoot}`],
        prepare: apply,
        call: (signal) => clusters.delete('a', {}, signal),
        ...mayBeGone,
        at: { [`DELETE ${shoot}`]: { malformed: 'done' } },
      },
      'shoots.adminKubeconfig': {
        endpoints: [`POST ${shoot}/adminkubeconfig`],
        async prepare() {
          await apply();
          time.advance(minutes(6));
        },
        call: (signal) => clusters.adminKubeconfig('a', signal),
        ...mayBeMissing,
      },
    };
  },
});
