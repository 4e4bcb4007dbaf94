import assert from 'node:assert/strict';
import { test } from 'node:test';
import { order, startProvisioner } from '../../../src/provisioner/testing.ts';
import { awsZones, azureZones, oidcConfig } from '../../../src/provisioner/config/testing.ts';
import {
  changeShoot,
  inCluster,
  provisioned,
  refuses,
  rowsIn,
  shootIn,
  stage,
  statusOf,
  succeeds,
  upgrade,
  upgrading,
  type ShootObject,
  type World,
} from './world.ts';

const vnetCidr = '10.250.0.0/19';
const vpcCidr = '10.250.0.0/16';
const ofAzure = (azureConfig: object) => ({
  providerSpecificConfig: { azureConfig: { vnetCidr, ...azureConfig } },
});
const ofAws = (awsConfig: object) => ({
  providerSpecificConfig: { awsConfig: { vpcCidr, awsZones, ...awsConfig } },
});

async function upgraded(world: World, id: string, gardenerConfig: object): Promise<ShootObject> {
  await succeeds(world, (await upgrade(world, id, gardenerConfig)).id);
  return shootIn(world);
}

/** What the database says, for callers. */
const stored = (world: World, id: string, fields: string): Promise<never> =>
  world.result(
    `{ result: runtimeStatus(id: "${id}") { runtimeConfiguration { clusterConfig { ${fields} } } } }`,
  );

const bindings = async (world: World) => {
  const found = await inCluster(world, '/apis/rbac.authorization.k8s.io/v1/clusterrolebindings');
  return found.map(({ metadata }) => metadata.name);
};

test('38: what an upgrade does not name stays as it was', async () => {
  await using world = await startProvisioner();
  const { runtimeID } = await provisioned(world, order('azure', { oidcConfig }));
  const [before, boundBefore] = [await shootIn(world), await bindings(world)];
  const { spec } = await upgraded(world, runtimeID, { autoScalerMax: 8 });
  const [pool, ...others] = before.spec.provider.workers;
  assert.equal(pool?.['maximum'], 20);
  const workers = [{ ...pool, maximum: 8 }, ...others];
  assert.deepEqual(spec, { ...before.spec, provider: { ...before.spec.provider, workers } });
  assert.deepEqual(await bindings(world), boundBefore);
  assert.ok(boundBefore.includes('administrator1'));
});

test('38: a list of administrators takes the place of the one before', async () => {
  await using world = await startProvisioner();
  const { runtimeID } = await provisioned(world);
  const { id } = await upgrade(world, runtimeID, {}, { administrators: ['user-2'] });
  await succeeds(world, id);
  const bound = await bindings(world);
  assert.ok(bound.includes('administrator0') && !bound.includes('administrator1'), String(bound));
});

test('39: Kubernetes is upgraded only', async () => {
  await using world = await startProvisioner();
  const { runtimeID } = await provisioned(world);
  const lower = upgrading(runtimeID, { gardenerConfig: { kubernetesVersion: '1.25.9' } });
  await refuses(
    world,
    lower,
    /kubernetesVersion is "1.25.9": must be 1.26.5 or later: upgrade only/,
  );
  const { spec } = await upgraded(world, runtimeID, { kubernetesVersion: '1.27.1' });
  assert.partialDeepStrictEqual(spec, { kubernetes: { version: '1.27.1' } });
});

test('39: what Gardener has updated by itself is no longer a version to upgrade to', async () => {
  await using world = await startProvisioner();
  const { runtimeID } = await provisioned(world);
  await changeShoot(world, { spec: { kubernetes: { version: '1.26.9' } } });
  const lower = upgrading(runtimeID, { gardenerConfig: { kubernetesVersion: '1.26.7' } });
  await refuses(world, lower, /must be 1.26.9 or later/);
  const { spec } = await upgraded(world, runtimeID, { autoScalerMax: 8 });
  assert.partialDeepStrictEqual(spec, { kubernetes: { version: '1.26.9' } });
});

const [zone1, zone2] = azureZones;
const [awsZone1, awsZone2] = awsZones;
for (const [what, provider, gardenerConfig, message] of [
  [
    'a new zone on Azure',
    'azure',
    ofAzure({ azureZones: [...azureZones, { name: 3, cidr: '10.250.8.0/22' }] }),
    /extension of shoot network zones is not supported/,
  ],
  [
    'another range of a zone on Azure',
    'azure',
    ofAzure({ azureZones: [{ ...zone1, cidr: '10.250.16.0/22' }, zone2] }),
    /cannot change shoot network zone CIDR from 10.250.0.0\/22 to 10.250.16.0\/22/,
  ],
  [
    'another range of a zone on AWS',
    'aws',
    ofAws({ awsZones: [{ ...awsZone1, publicCidr: '10.250.128.0/20' }, awsZone2] }),
    /cannot change shoot network zone public CIDR from 10.250.32.0\/20/,
  ],
] as const) {
  test(`40: ${what} is refused, and nothing is stored`, async () => {
    await using world = await startProvisioner();
    const { runtimeID } = await provisioned(world, order(provider));
    const rows = await rowsIn(world);
    const before = await world.database.pool.query('select config from runtimes');
    await refuses(world, upgrading(runtimeID, { gardenerConfig }), message);
    const after = await world.database.pool.query('select config from runtimes');
    assert.deepEqual(after.rows, before.rows);
    assert.equal(await rowsIn(world), rows);
  });
}

test('41: NAT gateways come and go, one for each zone', async () => {
  await using world = await startProvisioner();
  const { runtimeID } = await provisioned(world);
  const natGateway = { enabled: true, idleConnectionTimeoutMinutes: 4 };
  const zonesOf = ({ spec }: ShootObject) => spec.provider.infrastructureConfig.networks.zones;
  const withGateway = await upgraded(world, runtimeID, ofAzure({ enableNatGateway: true }));
  assert.deepEqual(
    zonesOf(withGateway),
    azureZones.map((zone) => ({ ...zone, natGateway })),
  );
  const without = await upgraded(world, runtimeID, ofAzure({ enableNatGateway: false }));
  assert.deepEqual(zonesOf(without), azureZones);
});

test('42: IMDSv2 is switched on in the worker pool', async () => {
  await using world = await startProvisioner();
  const { runtimeID } = await provisioned(world, order('aws'));
  const { spec } = await upgraded(world, runtimeID, ofAws({ enableIMDSv2: true }));
  assert.partialDeepStrictEqual(spec.provider.workers[0], {
    providerConfig: {
      kind: 'WorkerConfig',
      instanceMetadataOptions: { httpTokens: 'required', httpPutResponseHopLimit: 2 },
    },
  });
});

test('43: the networking filter is switched alone, and an operator’s choice is kept and stored', async () => {
  await using world = await startProvisioner();
  const { runtimeID } = await provisioned(world);
  const filter = (disabled: boolean) => (each: { readonly type: string }) =>
    each.type === 'shoot-networking-filter' ? { ...each, disabled } : each;
  const { extensions } = (await shootIn(world)).spec;
  const on = await upgraded(world, runtimeID, { shootNetworkingFilterDisabled: false });
  assert.deepEqual(on.spec.extensions, extensions.map(filter(false)));
  assert.notDeepEqual(on.spec.extensions, extensions);

  await changeShoot(world, { spec: { extensions: extensions.map(filter(true)) } });
  const kept = await upgraded(world, runtimeID, { autoScalerMax: 8 });
  assert.deepEqual(kept.spec.extensions, extensions.map(filter(true)));
  assert.deepEqual(await stored(world, runtimeID, 'shootNetworkingFilterDisabled'), {
    runtimeConfiguration: { clusterConfig: { shootNetworkingFilterDisabled: true } },
  });
});

test('44: the operation waits until Gardener has seen the change, and then for its end', async () => {
  await using world = await startProvisioner();
  const { runtimeID } = await provisioned(world);
  const { id } = await upgrade(world, runtimeID, { autoScalerMax: 8 });
  await world.pass(id, ({ step, because }) => step === 'Await_Shoot_Seen' && because !== null);
  assert.match((await statusOf(world, id)).message, /Stage WaitingForShootNewVersion/);
  await world.pass(id, ({ step, because }) => step === 'Await_Shoot_Upgrade' && because !== null);
  assert.match((await statusOf(world, id)).message, /Stage WaitingForShootUpgrade/);
  await succeeds(world, id);
});

test('44: a failed upgrade is blamed on Gardener, and the status shows what the Shoot has', async () => {
  await using world = await startProvisioner();
  const { runtimeID } = await provisioned(world);
  const { id } = await upgrade(world, runtimeID, { autoScalerMax: 8, maxSurge: 5 });
  await world.pass(id, ({ step }) => step === 'Await_Shoot_Upgrade');
  const [pool] = (await shootIn(world)).spec.provider.workers;
  await changeShoot(world, { spec: { provider: { workers: [{ ...pool, maximum: 6 }] } } });
  const codes = ['ERR_CONFIGURATION_PROBLEM'];
  await stage(world, { state: 'Failed', errors: [{ description: 'no such machine', codes }] });
  await world.pass(id);
  const { state, lastError } = await statusOf(world, id);
  assert.equal(state, 'Failed');
  assert.deepEqual([lastError.component, lastError.reason], ['gardener', codes[0]]);
  assert.match(
    lastError.errMessage,
    /^gardener Shoot cluster upgrade failed\. Last Shoot state: Failed/,
  );
  assert.deepEqual(await stored(world, runtimeID, 'autoScalerMax maxSurge'), {
    runtimeConfiguration: { clusterConfig: { autoScalerMax: 6, maxSurge: 5 } },
  });
});

test('45: a disk on OpenStack is refused', async () => {
  await using world = await startProvisioner();
  const { runtimeID } = await provisioned(world, order('openstack'));
  await refuses(
    world,
    upgrading(runtimeID, { gardenerConfig: { diskType: 'standard' } }),
    /OpenStack mutation does not accept diskType or volumeSizeGb parameters/,
  );
});
