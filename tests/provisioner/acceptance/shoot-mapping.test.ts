import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { order, startProvisioner } from '../../../src/provisioner/testing.ts';
import { awsZones, azureZones } from '../../../src/provisioner/config/testing.ts';
import { shootIn, untilAfter, type ShootObject, type World } from './world.ts';

const maintenanceWindows = { westeurope: { begin: '200000+0000', end: '000000+0000' } };
const world = await startProvisioner({ settings: { shoot: { maintenanceWindows } } });
after(() => world[Symbol.asyncDispose]());

type Provider = Parameters<typeof order>[0];
let runtimes = 0;

/** The Shoot that the provisioner asked for. */
async function shootFor(
  provider: Provider,
  changes: object = {},
): Promise<ShootObject & { begun: Awaited<ReturnType<World['provision']>> }> {
  runtimes += 1;
  const name = `c-${runtimes}`;
  const begun = await world.provision(order(provider, { ...changes, name }));
  await untilAfter(world, begun.id, 'CreatingShoot');
  return { ...(await shootIn(world, name)), begun };
}

test('46: a Shoot on AWS', async () => {
  const { spec } = await shootFor('aws');
  const networks = {
    vpc: { cidr: '10.250.0.0/16' },
    zones: awsZones.map(({ name, internalCidr, publicCidr, workerCidr }) => ({
      name,
      internal: internalCidr,
      public: publicCidr,
      workers: workerCidr,
    })),
  };
  assert.partialDeepStrictEqual(spec, {
    cloudProfileName: 'aws',
    networking: { type: 'calico', nodes: '10.250.0.0/16' },
    provider: {
      type: 'aws',
      infrastructureConfig: { kind: 'InfrastructureConfig', networks },
      workers: [
        {
          name: 'cpu-worker-0',
          zones: ['eu-central-1a', 'eu-central-1b'],
          volume: { type: 'standard', size: '50Gi' },
        },
      ],
    },
  });
});

test('47: a Shoot on Azure, without zones and with them', async () => {
  const vnetCidr = '10.250.0.0/19';
  const azureConfig = { vnetCidr, enableNatGateway: true };
  const plain = await shootFor('azure', { providerSpecificConfig: { azureConfig } });
  assert.partialDeepStrictEqual(plain.spec.provider.infrastructureConfig, { zoned: false });
  const { networks } = plain.spec.provider.infrastructureConfig;
  assert.deepEqual(networks, { vnet: { cidr: vnetCidr }, workers: '10.250.0.0/19' });

  const zoned = await shootFor('azure');
  const { infrastructureConfig, workers } = zoned.spec.provider;
  assert.partialDeepStrictEqual(infrastructureConfig, { zoned: true });
  const { networks: ofZones } = infrastructureConfig;
  assert.deepEqual(ofZones, { vnet: { cidr: vnetCidr }, zones: azureZones });
  assert.deepEqual(workers[0]?.['zones'], ['1', '2']);
});

test('48: a Shoot on GCP', async () => {
  const { spec } = await shootFor('gcp');
  assert.partialDeepStrictEqual(spec.provider, {
    controlPlaneConfig: { zone: 'europe-west3-a' },
    infrastructureConfig: { networks: { worker: '10.250.0.0/19', workers: '10.250.0.0/19' } },
  });
});

test('49: a Shoot on OpenStack, with what nobody has chosen', async () => {
  const { spec } = await shootFor('openstack');
  assert.partialDeepStrictEqual(spec, {
    cloudProfileName: 'converged-cloud-kyma',
    exposureClassName: 'converged-cloud-internet',
    provider: { infrastructureConfig: { floatingPoolName: 'FloatingIP-external-kyma-01' } },
  });
  assert.equal(spec.provider.workers[0]?.['volume'], undefined);
});

test('50: only a production cluster in a known region gets a maintenance window', async () => {
  const windowOf = async (provider: Provider, purpose: string) =>
    (
      (await shootFor(provider, { purpose })).spec['maintenance'] as { timeWindow?: object }
    ) // as Gardener calls it
    .timeWindow;
  assert.deepEqual(await windowOf('azure', 'production'), maintenanceWindows.westeurope);
  assert.equal(await windowOf('azure', 'development'), undefined);
  assert.equal(await windowOf('gcp', 'production'), undefined);
});

test('51: EU access and the licence are annotations, and the licence is in the status', async () => {
  const euAccess = 'support.gardener.cloud/eu-access-for-cluster-nodes';
  const licence = 'kcp.provisioner.kyma-project.io/licence-type';
  const { metadata, begun } = await shootFor('azure', {
    euAccess: true,
    licenceType: 'TestCustomer',
  });
  assert.partialDeepStrictEqual(metadata.annotations, {
    [euAccess]: 'true',
    [licence]: 'TestCustomer',
  });
  for (const changes of [{ euAccess: false }, {}]) {
    const { annotations } = (await shootFor('azure', changes)).metadata;
    assert.ok(!(euAccess in annotations) && !(licence in annotations));
  }
  const query = `{ result: runtimeStatus(id: "${begun.runtimeID}") { runtimeConfiguration { clusterConfig { licenceType euAccess } } } }`;
  assert.deepEqual(await world.result(query), {
    runtimeConfiguration: { clusterConfig: { licenceType: 'TestCustomer', euAccess: true } },
  });
});

test('52: every Shoot says whose it is, and a restricted region is tolerated', async () => {
  const zones = ['me-central2-a'];
  const { metadata, spec, begun } = await shootFor('gcp', {
    region: 'me-central2',
    providerSpecificConfig: { gcpConfig: { zones } },
  });
  assert.partialDeepStrictEqual(metadata, {
    labels: { account: 'ga-1', subaccount: 'sa-1' },
    annotations: {
      'kcp.provisioner.kyma-project.io/runtime-id': begun.runtimeID,
      'kcp.provisioner.kyma-project.io/operation-id': begun.id,
      'compass.provisioner.kyma-project.io/runtime-id': begun.runtimeID,
      'compass.provisioner.kyma-project.io/operation-id': begun.id,
    },
  });
  assert.deepEqual(spec['tolerations'], [{ key: 'ksa-assured-workload' }]);
  assert.equal((await shootFor('gcp')).spec['tolerations'], undefined);
});
