import assert from 'node:assert/strict';
import { test } from 'node:test';
import { btpCredentials, everyPlan, startBroker } from '../../src/broker/testing.ts';
import {
  base64,
  eachStageTwice,
  inventoryOf,
  objectsIn,
  succeeds,
  type BrokerWorld,
} from '../../src/broker/steps/testing.ts';

type Plan = (typeof everyPlan)[number];
type Expected = {
  /** Of the cluster; none if the customer brings it. */
  readonly provider?: string;
  readonly account?: string;
  /** How EDP calls the plan. */
  readonly edp?: string;
  readonly watchedFrom: readonly ('int' | 'ext')[];
  readonly hasReconciler: boolean;
};
const both = ['int', 'ext'] as const;

/** What there is after a provisioning. */
const expectations: Readonly<Record<Plan, Expected>> = {
  azure: {
    provider: 'azure',
    account: 'azure-pool-001',
    edp: 'standard',
    watchedFrom: both,
    hasReconciler: true,
  },
  azure_lite: {
    provider: 'azure',
    account: 'azure-pool-001',
    edp: 'tdd',
    watchedFrom: both,
    hasReconciler: true,
  },
  aws: {
    provider: 'aws',
    account: 'aws-pool-001',
    edp: 'standard',
    watchedFrom: both,
    hasReconciler: true,
  },
  gcp: {
    provider: 'gcp',
    account: 'gcp-pool-001',
    edp: 'standard',
    watchedFrom: both,
    hasReconciler: true,
  },
  openstack: {
    provider: 'openstack',
    account: 'openstack-pool-001',
    edp: 'standard',
    watchedFrom: both,
    hasReconciler: true,
  },
  trial: {
    provider: 'azure',
    account: 'azure-shared-1',
    edp: 'standard',
    watchedFrom: ['int'],
    hasReconciler: true,
  },
  free: {
    provider: 'azure',
    account: 'azure-pool-001',
    edp: 'free',
    watchedFrom: ['int'],
    hasReconciler: true,
  },
  own_cluster: { watchedFrom: both, hasReconciler: true },
  preview: {
    provider: 'aws',
    account: 'aws-pool-001',
    edp: 'standard',
    watchedFrom: both,
    hasReconciler: false,
  },
};

for (const plan of everyPlan) {
  test(`${plan}: a runtime is provisioned, with all that belongs to it and nothing else`, async () => {
    await using world = await startBroker();
    await provisionAndLook(world, plan);
  });

  test(`${plan}: a runtime is the same if every stage of its provisioning starts over`, async () => {
    await using world = await startBroker({ disturb: eachStageTwice });
    await provisionAndLook(world, plan);
  });
}

async function provisionAndLook(world: BrokerWorld, plan: Plan): Promise<void> {
  const { landscape } = world;
  const order = await world.order(plan, {
    region: 'cf-eu20', // on Azure
    parameters: plan === 'own_cluster' ? await aClusterOfTheirOwn(world) : {},
    context: { sm_operator_credentials: btpCredentials() },
  });
  const others = new Set(inventoryOf(landscape, 'provisioner', 'runtimes').map(({ id }) => id));
  await succeeds(world, order);

  const instance = (await world.instance(order.instanceId)) ?? assert.fail();
  const { runtimeId, shootName, details } = instance;
  const expected = expectations[plan];
  const runtimes = inventoryOf(landscape, 'provisioner', 'runtimes').filter(
    ({ id }) => !others.has(id),
  );
  assert.deepEqual(
    runtimes.map(({ id, shoot }) => [id, shoot.name, shoot.provider]),
    expected.provider ? [[runtimeId, shootName, expected.provider]] : [],
  );
  assert.equal(details.targetSecret, expected.account);
  assert.deepEqual(
    inventoryOf(landscape, 'avs', 'evaluations')
      .filter(({ name }) => name.includes(instance.id))
      .map(({ name }) => /Kyma-(\w+)-/.exec(name)?.[1]),
    expected.watchedFrom,
  );
  assert.deepEqual(
    inventoryOf(landscape, 'edp', 'dataTenants').map(
      ({ metadata }) => metadata['maasConsumerServicePlan'],
    ),
    expected.edp ? [expected.edp] : [],
  );
  assert.deepEqual(
    inventoryOf(landscape, 'reconciler', 'clusters').map(({ runtimeID, status, components }) => [
      runtimeID,
      status,
      components.includes('btp-operator'),
    ]),
    expected.hasReconciler ? [[runtimeId, 'ready', true]] : [],
  );
  assert.deepEqual(
    inventoryOf(landscape, 'control-plane', 'kymas.operator.kyma-project.io').map(
      ({ name }) => name,
    ),
    [runtimeId],
  );
  const secrets = inventoryOf(landscape, 'control-plane', 'secrets').map(({ name }) => name);
  assert.ok(secrets.includes(`kubeconfig-${runtimeId}`), secrets.join());
  const inCluster = objectsIn(landscape, clusterOf(plan, shootName), 'secrets');
  assert.deepEqual(
    inCluster.map(({ name }) => name),
    ['sap-btp-manager'],
  );
}

const theirShoot = 'their-own';
const clusterOf = (plan: Plan, shootName: string) =>
  plan === 'own_cluster' ? theirShoot : shootName;

/** The landscape's provisioner makes it, but the broker does not know. */
async function aClusterOfTheirOwn({ landscape, services }: BrokerWorld): Promise<object> {
  const { signal } = new AbortController();
  const { provisioner } = services.clients;
  const { runtimeID } = await provisioner.provisionRuntime(
    { tenant: 'somebody', subaccount: 'else', operationId: 'any' },
    {
      runtimeInput: { name: theirShoot },
      clusterConfig: {
        gardenerConfig: {
          provider: 'gcp',
          providerSpecificConfig: { gcpConfig: { zones: ['europe-west3-a'] } },
          name: theirShoot,
          kubernetesVersion: '1.26.5',
          targetSecret: 'theirs',
          region: 'europe-west3',
          machineType: 'n2-standard-4',
          diskType: 'pd-standard',
          volumeSizeGB: 50,
          workerCidr: '10.250.0.0/22',
          autoScalerMin: 1,
          autoScalerMax: 1,
          maxSurge: 1,
          maxUnavailable: 0,
        },
      },
    },
    signal,
  );
  landscape.time.advance(60 * 60_000);
  const { kubeconfig = assert.fail() } = await provisioner.runtimeStatus(
    'somebody',
    runtimeID,
    signal,
  );
  return {
    kubeconfig: base64(kubeconfig.reveal()),
    shootName: theirShoot,
    shootDomain: `${theirShoot}.example.com`,
  };
}
