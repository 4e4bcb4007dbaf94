import { Kubeconfig, kymaMetadata, kymaResource, lifecycleManagerClient } from '#clients';
import { facts, place, template } from '../../src/clients/lifecycle-manager/testing.ts';
import { controlPlane as simulated } from '../../src/landscape/control-plane/testing.ts';
import { apiServer, kubeconfigOf, mayBeGone, mayBeMissing, tokensIn } from './cluster.ts';
import { contract, signal } from './contract.ts';
import { canary } from './secrets.ts';

const all = '/apis/operator.kyma-project.io/v1beta2/namespaces/{namespace}/kymas';
const secrets = '/api/v1/namespaces/{namespace}/secrets';
const resource = kymaResource(template, facts);
const metadata = kymaMetadata(facts);
const opensRuntime = new Kubeconfig(`kind: Config # ${canary('lifecycle-manager', 1)}`);
const kubeconfig = kubeconfigOf('control-plane');
const inKymas = {
  client: 'src/clients/lifecycle-manager/kymas.ts',
  test: 'src/clients/lifecycle-manager/kymas.test.ts',
};

export const lifecycleManager = contract({
  title: 'Lifecycle Manager',
  section: '13',
  system: 'lifecycle-manager',
  prefix: 'control-plane',
  maker: 'lifecycleManagerClient',
  client: 'src/clients/lifecycle-manager/kubeconfig-secrets.ts',
  landscape: 'src/landscape/control-plane/control-plane.ts',
  test: 'src/clients/lifecycle-manager/kubeconfig-secrets.test.ts',
  simulators: [simulated],
  ...apiServer,
  kubeconfig,
  async connect(landscape, limits, keepSecret) {
    const opened = await kubeconfig(landscape);
    tokensIn(opened).forEach(keepSecret);
    return lifecycleManagerClient({ ...limits, kubeconfig: opened });
  },
  calls(client, patient) {
    const apply = () => patient.applyKyma(resource, signal);
    const store = () => patient.storeKubeconfig(place.namespace, metadata, opensRuntime, signal);
    return {
      applyKyma: {
        ...inKymas,
        endpoints: [`GET ${all}/{name}`, `POST ${all}`],
        call: (signal) => client.applyKyma(resource, signal),
        at: { [`GET ${all}/{name}`]: { on: { 404: 'done' } } },
      },
      'applyKyma (of one that is there)': {
        ...inKymas,
        endpoints: [`GET ${all}/{name}`, `PUT ${all}/{name}`],
        prepare: apply,
        call: (signal) => client.applyKyma(resource, signal),
        // Found and gone again a moment later: it is created anew, which here meets the one that is there.
        on: { 404: { temporary: true, reason: 'AlreadyExists', status: 409 } },
      },
      getKyma: {
        ...inKymas,
        endpoints: [`GET ${all}/{name}`],
        prepare: apply,
        call: (signal) => client.getKyma(place, signal),
        ...mayBeMissing,
      },
      kymaExists: {
        ...inKymas,
        endpoints: [`GET ${all}/{name}`],
        prepare: apply,
        call: (signal) => client.kymaExists(place, signal),
        ...mayBeGone,
      },
      deleteKyma: {
        ...inKymas,
        endpoints: [`DELETE ${all}/{name}`],
        prepare: apply,
        call: (signal) => client.deleteKyma(place, signal),
        ...mayBeGone,
        malformed: 'done',
      },
      storeKubeconfig: {
        endpoints: [`POST ${secrets}`],
        call: (signal) => client.storeKubeconfig(place.namespace, metadata, opensRuntime, signal),
        malformed: 'done',
      },
      'storeKubeconfig (of one that is there)': {
        endpoints: [`POST ${secrets}`, `PUT ${secrets}/{name}`],
        prepare: store,
        call: (signal) => client.storeKubeconfig(place.namespace, metadata, opensRuntime, signal),
        at: {
          [`POST ${secrets}`]: { malformed: 'done' },
          [`PUT ${secrets}/{name}`]: {
            on: { 404: { temporary: true, reason: 'AlreadyExists', status: 409 } },
          },
        },
      },
      readKubeconfig: {
        endpoints: [`GET ${secrets}/{name}`],
        prepare: store,
        call: (signal) => client.readKubeconfig(place, signal),
        ...mayBeMissing,
      },
      deleteKubeconfig: {
        endpoints: [`DELETE ${secrets}/{name}`],
        prepare: store,
        call: (signal) => client.deleteKubeconfig(place, signal),
        ...mayBeGone,
        malformed: 'done',
      },
    };
  },
});
