import assert from 'node:assert/strict';
import { test } from 'node:test';
import { minutes, seconds } from '#time';
import { runtimeClusters } from '../runtime-cluster/runtime-cluster.ts';
import {
  as,
  clientOf,
  demo,
  failsWith,
  inventory,
  kymaConfig,
  oidcConfig,
  provisioned,
  signal,
  startProvisioner,
  tenant,
  withCluster,
} from './testing.ts';
import type { ProviderInput } from './runtime-input.ts';

const administrators = ['admin@example.com'];

test('a runtime is provisioned, upgraded and deprovisioned, each by an operation that takes its time', async () => {
  await using landscape = await startProvisioner();
  const client = clientOf(landscape);
  const statusOf = (id: string) => client.runtimeOperationStatus(tenant, id, signal);

  const provisioning = await client.provisionRuntime(as('a'), demo, signal);
  const runtimeId = provisioning.runtimeID;
  const begun = { operation: 'Provision', state: 'InProgress', message: 'Provisioning started' };
  assert.partialDeepStrictEqual(provisioning, { ...begun, lastError: undefined });
  assert.deepEqual(await statusOf(provisioning.id), provisioning);
  landscape.time.advance(minutes(1));
  const message = 'Operation in progress. Stage WaitingForClusterCreation';
  assert.partialDeepStrictEqual(await statusOf(provisioning.id), { ...begun, message });
  landscape.time.advance(minutes(5));
  const ended = { state: 'Succeeded', message: 'Operation succeeded', runtimeID: runtimeId };
  assert.partialDeepStrictEqual(await statusOf(provisioning.id), { ...ended });

  const gardenerConfig = { kubernetesVersion: '1.27.1', machineType: 'Standard_D8_v3' };
  const upgrade = { gardenerConfig, administrators };
  assert.partialDeepStrictEqual(await client.upgradeShoot(as('b'), runtimeId, upgrade, signal), {
    operation: 'UpgradeShoot',
    state: 'InProgress',
    message: 'Starting Gardener Shoot upgrade',
    runtimeID: runtimeId,
  });
  landscape.time.advance(minutes(5));
  const shoot = { name: 'c-1a2b3c4', provider: 'azure', region: 'westeurope', ...gardenerConfig };
  const labels = { broker_instance_id: '1111' };
  const askedBy = 'kyma-control-plane';
  const registered = { id: runtimeId, tenant, subaccount: 'sa-1', name: 'demo', labels, askedBy };
  assert.deepEqual(inventory(landscape).runtimes, [{ ...registered, shoot, administrators }]);

  const deprovisioningId = await client.deprovisionRuntime(as('c'), runtimeId, signal);
  assert.partialDeepStrictEqual(await statusOf(deprovisioningId), {
    operation: 'DeprovisionNoInstall',
    state: 'InProgress',
    message: 'Deprovisioning started',
  });
  landscape.time.advance(minutes(5));
  assert.partialDeepStrictEqual(await statusOf(deprovisioningId), ended);
  assert.deepEqual(inventory(landscape).runtimes, []);
});

test('a kubeconfig appears when the cluster is there, and goes with it', async () => {
  await using landscape = await startProvisioner();
  const client = clientOf(landscape);
  const { runtimeID } = await client.provisionRuntime(as('a'), demo, signal);
  const kubeconfig = async () => (await client.runtimeStatus(tenant, runtimeID, signal)).kubeconfig;
  assert.equal(await kubeconfig(), undefined);
  landscape.time.advance(minutes(5));
  assert.match((await kubeconfig())?.reveal() ?? '', /^kind: Config\ncurrent-context: c-1a2b3c4$/m);
  assert.equal((await kubeconfig())?.reveal(), (await kubeconfig())?.reveal());
  await client.deprovisionRuntime(as('b'), runtimeID, signal);
  landscape.time.advance(minutes(5));
  assert.equal(await kubeconfig(), undefined);
});

const providers: readonly (readonly [ProviderInput, answer: object, more?: object])[] = [
  [
    { provider: 'gcp', providerSpecificConfig: { gcpConfig: { zones: ['a', 'b'] } } },
    { zones: ['a', 'b'] },
  ],
  [
    { provider: 'azure', providerSpecificConfig: { azureConfig: { vnetCidr: '10.0.0.0/16' } } },
    { vnetCidr: '10.0.0.0/16' },
  ],
  [
    {
      provider: 'aws',
      providerSpecificConfig: {
        awsConfig: {
          vpcCidr: '10.0.0.0/16',
          awsZones: [{ name: 'a', publicCidr: 'p', internalCidr: 'i', workerCidr: 'w' }],
        },
      },
    },
    {
      vpcCidr: '10.0.0.0/16',
      awsZones: [{ name: 'a', publicCidr: 'p', internalCidr: 'i', workerCidr: 'w' }],
    },
  ],
  [
    {
      provider: 'openstack',
      providerSpecificConfig: {
        openStackConfig: {
          zones: ['a'],
          floatingPoolName: 'pool',
          cloudProfileName: 'profile',
          loadBalancerProvider: 'f5',
        },
      },
    },
    {},
    { volumeSizeGB: undefined, diskType: undefined },
  ],
];
for (const [input, providerSpecificConfig, more] of providers) {
  test(`the status of a runtime on ${input.provider} tells how it was ordered, and its seed`, async () => {
    await using landscape = await startProvisioner();
    const client = clientOf(landscape);
    const id = await provisioned(landscape, client, withCluster({ ...input, ...more }));
    const { lastOperation, agentConnection, cluster } = await client.runtimeStatus(
      tenant,
      id,
      signal,
    );
    const message = 'Operation succeeded';
    const succeeded = { operation: 'Provision', state: 'Succeeded', message, lastError: undefined };
    assert.deepEqual(lastOperation, succeeded);
    assert.equal(agentConnection, 'Pending');
    assert.deepEqual(cluster, {
      name: 'c-1a2b3c4',
      kubernetesVersion: '1.26.5',
      volumeSizeGB: 50,
      diskType: 'Standard_LRS',
      machineType: 'Standard_D4_v3',
      region: 'westeurope',
      provider: input.provider,
      seed: `${input.provider}-westeurope`,
      targetSecret: 'az-pool-07',
      workerCidr: '10.250.0.0/16',
      autoScalerMin: 3,
      autoScalerMax: 20,
      maxSurge: 3,
      maxUnavailable: 0,
      providerSpecificConfig,
      oidcConfig,
      ...more,
    });
  });
}

test('a provider with the settings of another does not compile', () => {
  const gcpConfig = { zones: ['a'] };
  // @ts-expect-error: the provisioner would believe it
  const mixed: ProviderInput = { provider: 'aws', providerSpecificConfig: { gcpConfig } };
  assert.ok(mixed);
});

test('a runtime with Kyma 1.x can be upgraded, and its agent reconnected', async () => {
  await using landscape = await startProvisioner();
  const client = clientOf(landscape);
  const id = await provisioned(landscape, client, { ...demo, kymaConfig });
  const before = await client.runtimeStatus(tenant, id, signal);
  assert.partialDeepStrictEqual(before, { kymaVersion: '1.24.0', agentConnection: 'Connected' });

  const newer = { ...kymaConfig, version: '1.25.0' };
  const upgrade = await client.upgradeRuntime(as('a'), id, newer, signal);
  assert.partialDeepStrictEqual(upgrade, {
    operation: 'Upgrade',
    message: 'Starting Kyma upgrade',
  });
  landscape.time.advance(minutes(15));
  const after = await client.runtimeStatus(tenant, id, signal);
  assert.partialDeepStrictEqual(after, { kymaVersion: '1.25.0' });

  const reconnectId = await client.reconnectRuntimeAgent(as('b'), id, signal);
  const reconnect = await client.runtimeOperationStatus(tenant, reconnectId ?? '', signal);
  assert.equal(reconnect.operation, 'ReconnectRuntime');
});

test('without Kyma 1.x the upgrade is refused, and the agent has no operation to wait for', async () => {
  await using landscape = await startProvisioner();
  const client = clientOf(landscape);
  const id = await provisioned(landscape, client);
  const refused = failsWith({ temporary: true, code: 500 });
  await assert.rejects(client.upgradeRuntime(as('a'), id, kymaConfig, signal), refused);
  assert.equal(await client.reconnectRuntimeAgent(as('b'), id, signal), undefined);
  assert.equal(inventory(landscape).operations.length, 1);
});

test('names are never read as a part of the document', async () => {
  await using landscape = await startProvisioner();
  const name = 'say "hi" }) { id } injected: deprovisionRuntime(id: "R") #\n\\';
  const runtimeInput = { name, labels: { broker_instance_id: name } };
  await clientOf(landscape).provisionRuntime(as('a'), { ...demo, runtimeInput }, signal);
  const stored = { name, labels: { broker_instance_id: name } };
  assert.partialDeepStrictEqual(inventory(landscape).runtimes, [stored]);
});

test('whoever asks becomes the tenant, as after the move of a subaccount', async () => {
  await using landscape = await startProvisioner();
  const client = clientOf(landscape);
  const id = await provisioned(landscape, client);
  await client.runtimeStatus('ga-2', id, signal);
  assert.partialDeepStrictEqual(inventory(landscape).runtimes, [{ id, tenant: 'ga-2' }]);
});

test('a call ends at its timeout and at its signal', async () => {
  await using landscape = await startProvisioner();
  landscape.faults.add({ system: 'provisioner', action: { kind: 'delay', for: seconds(60) } });
  await assert.rejects(
    clientOf(landscape, { timeout: 20 }).runtimeStatus(tenant, 'R', signal),
    failsWith({ temporary: true, reason: 'unreachable' }),
  );
  const reason = new Error('canceled');
  const aborted = AbortSignal.abort(reason);
  await assert.rejects(clientOf(landscape).runtimeStatus(tenant, 'R', aborted), reason);
});

test('the kubeconfig leads into the cluster, as long as there is one', async () => {
  await using landscape = await startProvisioner();
  const client = clientOf(landscape);
  const { runtimeID } = await client.provisionRuntime(as('a'), demo, signal);
  landscape.time.advance(minutes(5));
  const { kubeconfig } = await client.runtimeStatus(tenant, runtimeID, signal);
  const cluster = runtimeClusters({})(kubeconfig ?? assert.fail('there is no kubeconfig'));
  await cluster.ensureNamespace('kyma-system', signal);
  await client.deprovisionRuntime(as('b'), runtimeID, signal);
  landscape.time.advance(minutes(5));
  await assert.rejects(cluster.ensureNamespace('kyma-system', signal), { reason: 'unreachable' });
});
