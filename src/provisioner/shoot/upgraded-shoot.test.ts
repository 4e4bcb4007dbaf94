import assert from 'node:assert/strict';
import { test } from 'node:test';
import { minutes } from '#time';
import { signal, startGardener } from '../../clients/gardener/testing.ts';
import { acceptUpgrade } from '../config/accept-upgrade.ts';
import type { GardenerConfig } from '../config/gardener-config.ts';
import {
  accepted,
  awsZones,
  azureZones,
  oidcConfig,
  vnetCidr,
  vpcCidr,
} from '../config/testing.ts';
import { hibernatedShoot } from './hibernation.ts';
import { newShoot } from './new-shoot.ts';
import { seenConfig } from './seen-config.ts';
import { onGardener, withSettings } from './testing.ts';
import { upgradedShoot } from './upgraded-shoot.ts';

type Pool = { name: string; maximum: number; machine: object };
type Provider = { infrastructureConfig: { networks: { zones: object[] } }; workers: Pool[] };

/** A cluster in a Gardener that answers, and what an upgrade makes of it. */
async function startCluster(config: GardenerConfig) {
  const gardener = await startGardener();
  const { shoots } = gardener.client;
  await shoots.apply(newShoot(config, withSettings()), signal);
  gardener.landscape.time.advance(minutes(6));
  const read = async () =>
    (await shoots.get(config.name, signal)) ?? assert.fail('the Shoot has gone');
  let stored = config;
  return {
    gardener,
    read,
    stored: () => stored,
    /** What an operator does on Gardener's own page. */
    edit: async (spec: object) => {
      await gardener.project.request({
        method: 'PATCH',
        path: gardener.project.pathOf('shoots', config.name),
        query: { fieldManager: 'an-operator' },
        contentType: 'application/merge-patch+json',
        body: { spec },
        what: 'edit the Shoot',
        signal,
      });
    },
    upgrade: async (gardenerConfig: object) => {
      const current = await read();
      const before = { config: seenConfig(stored, current), administrators: [] };
      stored = acceptUpgrade({ gardenerConfig }, before).config;
      return shoots.apply(upgradedShoot(current, stored, withSettings()), signal);
    },
    hibernate: async () => {
      const current = await read();
      const own = upgradedShoot(current, seenConfig(stored, current), withSettings());
      return shoots.apply(hibernatedShoot(own), signal);
    },
    [Symbol.asyncDispose]: () => gardener[Symbol.asyncDispose](),
  };
}

const partOf = ({ spec }: { spec: object }) => (spec as { provider: Provider }).provider;

test('38: a new largest size changes nothing else, and what others wrote stays', async () => {
  await using cluster = await startCluster(accepted('azure', { oidcConfig, purpose: 'testing' }));
  const { provider, extensions } = (await cluster.read()).spec as unknown as {
    provider: Provider;
    extensions: object[];
  };
  const [pool] = provider.workers;
  await cluster.edit({
    extensions: [...extensions, { type: 'of-an-operator' }],
    resources: [{ name: 'theirs', resourceRef: { apiVersion: 'v1', kind: 'Secret', name: 'x' } }],
    provider: {
      workers: [
        {
          ...pool,
          labels: { theirs: 'yes' },
          machine: { ...pool?.machine, architecture: 'amd64' },
        },
        { name: 'theirs', minimum: 1, maximum: 2 },
      ],
    },
    addons: { theirs: true },
    maintenance: { timeWindow: { begin: '010000+0000', end: '020000+0000' } },
  });
  const before = await cluster.read();
  const after = await cluster.upgrade({ autoScalerMax: 8 });
  const expected = structuredClone(before.spec);
  const [expectedPool] = partOf({ spec: expected }).workers;
  assert.ok(expectedPool);
  expectedPool.maximum = 8;
  assert.deepEqual(after.spec, expected);
  assert.deepEqual(after.metadata.annotations, before.metadata.annotations);
  assert.deepEqual(after.metadata.labels, before.metadata.labels);
});

test('an upgrade that changes nothing is no work for Gardener', async () => {
  for (const provider of ['aws', 'azure', 'gcp', 'openstack'] as const) {
    await using cluster = await startCluster(
      accepted(provider, { targetSecret: 'azure-pool-001', oidcConfig }),
    );
    const before = await cluster.read();
    const after = await cluster.upgrade({});
    assert.deepEqual(after.spec, before.spec, provider);
    assert.equal(after.metadata.generation, before.metadata.generation, provider);
  }
});

test('a Shoot that changed after it was read is not overwritten', async () => {
  await using cluster = await startCluster(accepted('azure'));
  const current = await cluster.read();
  await cluster.edit({ purpose: 'testing' });
  const wanted = upgradedShoot(current, cluster.stored(), withSettings());
  await assert.rejects(cluster.gardener.client.shoots.apply(wanted, signal), {
    status: 409,
    temporary: true,
  });
});

test('39: versions that Gardener raised by itself stay, and are the ones to go on from', async () => {
  await using cluster = await startCluster(
    accepted('azure', { machineImage: 'gardenlinux', machineImageVersion: '934.8.0' }),
  );
  const [pool] = partOf(await cluster.read()).workers;
  const machine = { ...pool?.machine, image: { name: 'gardenlinux', version: '934.9.0' } };
  await cluster.edit({
    kubernetes: { version: '1.27.3' },
    provider: { workers: [{ ...pool, machine }] },
  });
  const { spec } = await cluster.upgrade({ maxSurge: 1 });
  assert.equal(spec.kubernetes?.version, '1.27.3');
  assert.partialDeepStrictEqual(partOf({ spec }).workers, [{ machine }]);
  assert.equal(cluster.stored().kubernetesVersion, '1.27.3');
  assert.equal(cluster.stored().machineImageVersion, '934.9.0');
  await assert.rejects(cluster.upgrade({ kubernetesVersion: '1.26.9' }), /upgrade only/);
});

test('41: NAT comes to each zone with its timeout, and goes again', async () => {
  await using cluster = await startCluster(accepted('azure'));
  const azure = (enableNatGateway: boolean) => ({
    providerSpecificConfig: { azureConfig: { vnetCidr, enableNatGateway } },
  });
  const zonesOf = (shoot: { spec: object }) => partOf(shoot).infrastructureConfig.networks.zones;
  const natGateway = { enabled: true, idleConnectionTimeoutMinutes: 4 };
  assert.deepEqual(
    zonesOf(await cluster.upgrade(azure(true))),
    azureZones.map((zone) => ({ ...zone, natGateway })),
  );
  assert.deepEqual(zonesOf(await cluster.upgrade(azure(false))), azureZones);
});

test('41: NAT of the one subnet comes and goes, too', async () => {
  const azure = (enableNatGateway: boolean) => ({
    providerSpecificConfig: { azureConfig: { vnetCidr, zones: ['1'], enableNatGateway } },
  });
  await using cluster = await startCluster(accepted('azure', azure(false)));
  const networksOf = (shoot: { spec: object }) => partOf(shoot).infrastructureConfig.networks;
  const natGateway = { enabled: true, idleConnectionTimeoutMinutes: 4 };
  assert.partialDeepStrictEqual(networksOf(await cluster.upgrade(azure(true))), { natGateway });
  assert.ok(!('natGateway' in networksOf(await cluster.upgrade(azure(false)))));
});

test('42: IMDSv2 is switched on in the pool', async () => {
  await using cluster = await startCluster(accepted('aws'));
  const awsConfig = { vpcCidr, awsZones, enableIMDSv2: true };
  const shoot = await cluster.upgrade({ providerSpecificConfig: { awsConfig } });
  assert.partialDeepStrictEqual(partOf(shoot).workers, [
    {
      providerConfig: {
        kind: 'WorkerConfig',
        instanceMetadataOptions: { httpTokens: 'required', httpPutResponseHopLimit: 2 },
      },
    },
  ]);
  assert.partialDeepStrictEqual(seenConfig(cluster.stored(), shoot), {
    providerSpecificConfig: { enableIMDSv2: true },
  });
});

test('43: the networking filter is set beside the other extensions, and kept as an operator set it', async () => {
  await using cluster = await startCluster(accepted('azure'));
  const extensionsOf = ({ spec }: { spec: object }) =>
    (spec as { extensions: { type: string; disabled?: boolean }[] }).extensions;
  const others = extensionsOf(await cluster.read()).filter(({ type }) => !type.includes('filter'));
  const filter = (disabled: boolean) => ({ type: 'shoot-networking-filter', disabled });
  const on = extensionsOf(await cluster.upgrade({ shootNetworkingFilterDisabled: false }));
  assert.deepEqual(
    on.filter(({ type }) => type.includes('filter')),
    [filter(false)],
  );
  assert.deepEqual(
    on.filter(({ type }) => !type.includes('filter')),
    others,
  );
  await cluster.edit({ extensions: [...others, filter(true)] });
  const kept = extensionsOf(await cluster.upgrade({ autoScalerMax: 9 }));
  assert.deepEqual(kept, [...others, filter(true)]);
  assert.equal(cluster.stored().shootNetworkingFilterDisabled, true);
});

test('44: what is on the Shoot can be read back, whatever was stored', () => {
  const config = accepted('azure', { oidcConfig, purpose: 'testing', seed: 'az-eu1' });
  const stored: GardenerConfig = {
    ...config,
    kubernetesVersion: '1.27.0',
    machineType: 'large',
    autoScalerMin: 4,
    autoScalerMax: 8,
    maxSurge: 1,
    maxUnavailable: 1,
    volumeSizeGB: 80,
    diskType: 'fast',
    purpose: 'production',
    exposureClassName: 'x',
    enableKubernetesVersionAutoUpdate: true,
    enableMachineImageVersionAutoUpdate: true,
    shootNetworkingFilterDisabled: false,
    oidcConfig: { ...oidcConfig, clientID: 'other' },
  };
  const shoot = onGardener(config, { exposureClassName: 'y' });
  assert.deepEqual(seenConfig(stored, shoot), { ...config, exposureClassName: 'y' });
});

test('44: a Shoot that says nothing leaves all as it was stored', () => {
  const config = accepted('azure', { oidcConfig });
  assert.deepEqual(seenConfig(config, { metadata: { name: config.name }, spec: {} }), config);
  const strange = {
    kubernetes: { version: 'latest' },
    provider: { workers: [{ maxSurge: '25%' }] },
  };
  assert.deepEqual(seenConfig(config, { metadata: { name: config.name }, spec: strange }), config);
});

test('45: a pool without image and volume is upgraded without them', async () => {
  await using cluster = await startCluster(
    accepted('openstack', { targetSecret: 'azure-pool-001' }),
  );
  const [pool] = partOf(await cluster.upgrade({ machineType: 'large' })).workers;
  assert.deepEqual(pool?.machine, { type: 'large' });
  assert.ok(!('volume' in pool));
});

test('what the Shoot has for good stays with it: failure tolerance, domain, EU access, licence', async () => {
  const dnsConfig = { domain: 'demo.example.com', providers: [] };
  await using cluster = await startCluster(
    accepted('azure', {
      dnsConfig,
      controlPlaneFailureTolerance: 'zone',
      euAccess: true,
      licenceType: 'Demo',
    }),
  );
  const before = await cluster.read();
  const after = await cluster.upgrade({ machineType: 'large' });
  assert.deepEqual(after.spec['controlPlane'], before.spec['controlPlane']);
  assert.deepEqual(after.spec.dns, before.spec.dns);
  assert.deepEqual(after.metadata.annotations, before.metadata.annotations);
  assert.equal(cluster.stored().controlPlaneFailureTolerance, 'zone');
});

test('a hibernated cluster is not woken up by an upgrade', async () => {
  await using cluster = await startCluster(accepted('azure'));
  const before = await cluster.read();
  const asleep = await cluster.hibernate();
  assert.deepEqual(asleep.spec, { ...before.spec, hibernation: { enabled: true } });
  const after = await cluster.upgrade({ autoScalerMax: 8 });
  assert.deepEqual(after.spec['hibernation'], { enabled: true });
});

test('a window is not moved by an upgrade; a cluster that becomes productive gets one', () => {
  const timeWindow = { begin: '010000+0000', end: '020000+0000' };
  const maintenanceWindows = { westeurope: { begin: '220000+0000', end: '230000+0000' } };
  const windowAfter = (from: string, to: string) => {
    const current = onGardener(accepted('azure', { purpose: from }), {
      maintenance: { timeWindow },
    });
    const wanted = accepted('azure', { purpose: to });
    const { spec } = upgradedShoot(current, wanted, withSettings({ maintenanceWindows }));
    return (spec['maintenance'] as { timeWindow?: object }).timeWindow;
  };
  assert.deepEqual(windowAfter('production', 'production'), timeWindow);
  assert.deepEqual(windowAfter('testing', 'testing'), timeWindow);
  assert.deepEqual(windowAfter('testing', 'production'), maintenanceWindows.westeurope);
});

test('a version that Gardener raised in the meantime is not lowered again', () => {
  const config = accepted('azure');
  const versionOver = (version: string) => {
    const current = onGardener(config, { kubernetes: { version } });
    const { spec } = upgradedShoot(current, config, withSettings());
    return (spec['kubernetes'] as { version: string }).version;
  };
  assert.equal(versionOver('1.26.7'), '1.26.7');
  assert.equal(versionOver('1.26.4'), '1.26.5');
});

test('the audit policy and the seed stay as they are on the Shoot', () => {
  const config = accepted('azure', { seed: 'az-eu1', oidcConfig });
  const auditConfig = { auditPolicy: { configMapRef: { name: 'of-old' } } };
  const current = onGardener(config, {
    seedName: 'az-eu2',
    kubernetes: { version: '1.26.5', kubeAPIServer: { auditConfig } },
  });
  const { spec } = upgradedShoot(current, config, withSettings({ auditPolicyConfigMap: 'new' }));
  assert.equal(spec['seedName'], 'az-eu2');
  assert.partialDeepStrictEqual(spec['kubernetes'], { kubeAPIServer: { auditConfig, oidcConfig } });
});
