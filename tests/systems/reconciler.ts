import { clusterNotFound, configuredComponents, reconcilerClient } from '#clients';
import { reconciler as simulated } from '../../src/landscape/reconciler/testing.ts';
import { contract, signal } from './contract.ts';
import { canary } from './secrets.ts';

const runtimeID = '7b1e0f5e-0000-4000-8000-000000000010';
const components = configuredComponents(
  [
    {
      component: 'istio',
      namespace: 'istio-system',
      overrides: [{ key: 'password', value: canary('reconciler', 2), secret: true }],
    },
  ],
  'c-1a2b3c4.kyma.example.com',
);
const configuration = {
  runtimeID,
  runtimeInput: { name: 'demo', description: '' },
  kymaConfig: { version: '2.4.0', profile: 'Production', components, administrators: [] },
  metadata: {
    globalAccountID: 'ga-1',
    subAccountID: 'sa-1',
    serviceID: 'service-1',
    servicePlanID: 'plan-1',
    servicePlanName: 'azure',
    shootName: 'c-1a2b3c4',
    instanceID: '1111',
    region: 'westeurope',
  },
  kubeconfig: `kind: Config\n# ${canary('reconciler', 1)}`,
} as const;
const clusters = '/v1/clusters';
const operators = 'for operators, and to stage troubles';
const kcp = 'for kcp reconciliations';

export const reconciler = contract({
  title: 'Reconciler',
  section: '9',
  system: 'reconciler',
  maker: 'reconcilerClient',
  client: 'src/clients/reconciler/reconciler-client.ts',
  landscape: 'src/landscape/reconciler/reconciler.ts',
  test: 'src/clients/reconciler/reconciler-client.test.ts',
  simulators: [simulated],
  others: {
    [`PUT ${clusters}`]: 'means the same as the POST, as in the real one',
    [`GET ${clusters}/{runtimeId}/status`]: operators,
    [`PUT ${clusters}/{runtimeId}/status`]: operators,
    [`GET ${clusters}/{runtimeId}/statusChanges`]: 'for operators',
    [`GET ${clusters}/{runtimeId}/config/{version}`]: kcp,
    [`GET ${clusters}/state`]: kcp,
    'GET /v1/reconciliations': kcp,
    'GET /v1/reconciliations/{schedulingId}/info': kcp,
    'PUT /v1/reconciliations/{schedulingId}/debug': kcp,
    'DELETE /v1/reconciliations/cluster/{runtimeId}': kcp,
    'POST /v1/operations/{schedulingId}/{correlationId}/stop': kcp,
    'PUT /v1/operations/{schedulingId}/{correlationId}/debug': kcp,
    'PUT /versions/{version}': 'stages a version of Kyma that cannot be installed',
    'GET /health/live': 'for probes',
    'GET /health/ready': 'for probes',
  },
  connect: ({ url }, limits) => reconcilerClient({ ...limits, url: `${url}/reconciler` }),
  calls(client, patient) {
    let version = 1;
    const prepare = async () => {
      version = (await patient.applyConfiguration(configuration, signal)).configurationVersion;
    };
    return {
      applyConfiguration: {
        endpoints: [`POST ${clusters}`],
        call: (signal) => client.applyConfiguration(configuration, signal),
      },
      clusterState: {
        endpoints: [`GET ${clusters}/{runtimeID}/configs/{configVersion}/status`],
        prepare,
        call: (signal) => client.clusterState(runtimeID, version, signal),
        on: { 404: { temporary: false, reason: clusterNotFound } },
        missing: { temporary: false, reason: clusterNotFound, status: 404 },
      },
      deleteCluster: {
        endpoints: [`DELETE ${clusters}/{runtimeID}`],
        prepare,
        call: (signal) => client.deleteCluster(runtimeID, signal),
        on: { 404: 'done' },
        malformed: 'done',
        missing: 'done',
      },
    };
  },
});
