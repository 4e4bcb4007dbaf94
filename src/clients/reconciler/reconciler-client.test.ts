import assert from 'node:assert/strict';
import { test } from 'node:test';
import { minutes, seconds } from '#time';
import { reconciler } from '../../landscape/reconciler/testing.ts';
import { startLandscape, type Landscape } from '../../landscape/testing.ts';
import type { SystemSettings } from '../http-client.ts';
import { configuredComponents, type ClusterConfiguration } from './cluster-configuration.ts';
import { clusterNotFound, reconcilerClient, type ClusterState } from './reconciler-client.ts';
import { failuresOf } from '../testing.ts';

const { signal } = new AbortController();
const canary = 'canary-secret';
const configuration: ClusterConfiguration = {
  runtimeID: '7b1e0f5e-0000-4000-8000-000000000010',
  runtimeInput: { name: 'demo', description: '' },
  kymaConfig: {
    version: '2.4.0',
    profile: 'Production',
    components: configuredComponents(
      [{ component: 'istio', namespace: 'istio-system' }],
      'c-1a2b3c4.kyma.example.com',
      [{ key: 'global.password', value: canary, secret: true }],
    ),
    administrators: ['admin@example.com'],
  },
  metadata: {
    globalAccountID: 'ga-1',
    subAccountID: 'sa-1',
    serviceID: '47c9dcbf-ff30-448e-ab36-d3bad66ba281',
    servicePlanID: 'plan',
    servicePlanName: 'azure',
    shootName: 'c-1a2b3c4',
    instanceID: 'instance',
    region: 'westeurope',
  },
  kubeconfig: `apiVersion: v1\nkind: Config\ntoken: ${canary}\n`,
};
const { runtimeID } = configuration;
const withVersion = (version: string): ClusterConfiguration => ({
  ...configuration,
  kymaConfig: { ...configuration.kymaConfig, version },
});

const start = () => startLandscape({ systems: [reconciler] });
const clientOf = ({ url }: Landscape, more: Partial<SystemSettings> = {}) =>
  reconcilerClient({ url: `${url}/reconciler`, ...more });
const setStatus = ({ url }: Landscape, status: string) =>
  fetch(`${url}/reconciler/v1/clusters/${runtimeID}/status`, {
    method: 'PUT',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ status }),
  });

const failsWith = failuresOf('reconciler', canary);
const notFound = failsWith({ temporary: false, reason: clusterNotFound, status: 404 });

test('a configuration is applied in the course of time', async () => {
  await using landscape = await start();
  const client = clientOf(landscape);
  const applied = await client.applyConfiguration(configuration, signal);
  assert.partialDeepStrictEqual(applied, {
    cluster: runtimeID,
    status: 'reconcile_pending',
    failures: [],
  } satisfies Partial<ClusterState>);
  for (const status of ['reconciling', 'reconciling', 'ready', 'ready']) {
    landscape.time.advance(minutes(1));
    const state = await client.clusterState(runtimeID, applied.configurationVersion, signal);
    assert.deepEqual(state, { ...applied, status });
  }
  assert.doesNotMatch(JSON.stringify(landscape.inventory()), new RegExp(canary));
});

test('the same configuration has the same version and is applied anew, whatever the kubeconfig', async () => {
  await using landscape = await start();
  const client = clientOf(landscape);
  const first = await client.applyConfiguration(configuration, signal);
  landscape.time.advance(minutes(5));
  const renewed = { ...configuration, kubeconfig: 'kind: Config' };
  assert.deepEqual(await client.applyConfiguration(renewed, signal), first);
});

test('another configuration has a new version, another cluster or owner both versions', async () => {
  await using landscape = await start();
  const client = clientOf(landscape);
  const first = await client.applyConfiguration(configuration, signal);
  const second = await client.applyConfiguration(withVersion('2.5.0'), signal);
  assert.notEqual(second.configurationVersion, first.configurationVersion);
  assert.equal(second.clusterVersion, first.clusterVersion);
  landscape.time.advance(minutes(5));
  const replaced = await client.clusterState(runtimeID, first.configurationVersion, signal);
  assert.equal(replaced.status, 'reconcile_pending', 'nobody works on it any more');

  const metadata = { ...configuration.metadata, globalAccountID: 'ga-2' };
  const third = await client.applyConfiguration({ ...withVersion('2.5.0'), metadata }, signal);
  assert.notEqual(third.configurationVersion, second.configurationVersion);
  assert.notEqual(third.clusterVersion, second.clusterVersion);
});

test('a deleted cluster is there for a while and then not found', async () => {
  await using landscape = await start();
  const client = clientOf(landscape);
  const { configurationVersion } = await client.applyConfiguration(configuration, signal);
  const status = async () =>
    (await client.clusterState(runtimeID, configurationVersion, signal)).status;
  await client.deleteCluster(runtimeID, signal);
  assert.equal(await status(), 'delete_pending');
  landscape.time.advance(minutes(1));
  await client.deleteCluster(runtimeID, signal); // does not begin anew
  assert.equal(await status(), 'deleting');
  landscape.time.advance(minutes(1));
  await assert.rejects(status(), notFound);
  assert.deepEqual(landscape.inventory()['reconciler'], { clusters: [] });
  await client.deleteCluster(runtimeID, signal);
});

test('a version that was never made is not found', async () => {
  await using landscape = await start();
  const client = clientOf(landscape);
  await assert.rejects(client.clusterState(runtimeID, 1, signal), notFound);
  const { configurationVersion } = await client.applyConfiguration(configuration, signal);
  const next = client.clusterState(runtimeID, configurationVersion + 1, signal);
  await assert.rejects(next, notFound);
});

test('what failed is told by component', async () => {
  await using landscape = await start();
  const client = clientOf(landscape);
  const { configurationVersion } = await client.applyConfiguration(configuration, signal);
  for (const status of ['error', 'delete_error']) {
    await setStatus(landscape, status);
    landscape.time.advance(minutes(90));
    const state = await client.clusterState(runtimeID, configurationVersion, signal);
    assert.equal(state.status, status);
    assert.deepEqual(state.failures, [{ component: 'istio', reason: 'timeout' }]);
  }
});

test('an error that the Reconciler tries to mend itself ends in readiness', async () => {
  await using landscape = await start();
  const client = clientOf(landscape);
  const { configurationVersion } = await client.applyConfiguration(configuration, signal);
  await setStatus(landscape, 'reconcile_error_retryable');
  for (const status of ['reconcile_error_retryable', 'ready']) {
    const state = await client.clusterState(runtimeID, configurationVersion, signal);
    assert.equal(state.status, status);
    landscape.time.advance(minutes(10));
  }
});

test('a cluster that is switched off stays so when a configuration is applied', async () => {
  await using landscape = await start();
  const client = clientOf(landscape);
  await client.applyConfiguration(configuration, signal);
  await setStatus(landscape, 'reconcile_disabled');
  for (const each of [configuration, withVersion('2.5.0')]) {
    assert.equal((await client.applyConfiguration(each, signal)).status, 'reconcile_disabled');
  }
});

test('a configuration that is not complete is not sent', async () => {
  await using landscape = await start();
  const incomplete = failsWith({ temporary: false, reason: 'incomplete_configuration' });
  const sent = clientOf(landscape).applyConfiguration({ ...configuration, kubeconfig: '' }, signal);
  await assert.rejects(sent, incomplete);
  assert.equal(landscape.requests.length, 0);
});

for (const [sentence, refused] of [
  ['a kubeconfig that the Reconciler cannot use', { kubeconfig: canary }],
  ['a body beyond the limit', { kubeconfig: configuration.kubeconfig.padEnd(100_000) }],
] as const) {
  test(`${sentence} is refused for good`, async () => {
    await using landscape = await start();
    await assert.rejects(
      clientOf(landscape).applyConfiguration({ ...configuration, ...refused }, signal),
      failsWith({ temporary: false, reason: 'err_http_status_code', status: 400 }),
    );
  });
}

for (const [status, temporary] of [
  [400, false],
  [403, false],
  [408, true],
  [429, true],
  [500, true],
  [503, true],
] as const) {
  test(`status ${status} is ${temporary ? 'temporary' : 'permanent'} for every call`, async () => {
    await using landscape = await start();
    const headers = status === 429 ? { 'retry-after': '7' } : undefined;
    landscape.faults.add({
      system: 'reconciler',
      probability: 1,
      action: { kind: 'answer', status, body: canary, headers: headers ?? {} },
    });
    const client = clientOf(landscape);
    const failure = failsWith({ temporary, status, ...(headers && { retryAfter: seconds(7) }) });
    await assert.rejects(client.applyConfiguration(configuration, signal), failure);
    await assert.rejects(client.clusterState(runtimeID, 1, signal), failure);
    await assert.rejects(client.deleteCluster(runtimeID, signal), failure);
  });
}

test('not found is permanent for a configuration, and no missing cluster', async () => {
  await using landscape = await start();
  landscape.faults.add({
    system: 'reconciler',
    probability: 1,
    action: { kind: 'answer', status: 404, body: '', headers: {} },
  });
  await assert.rejects(
    clientOf(landscape).applyConfiguration(configuration, signal),
    failsWith({ temporary: false, reason: 'err_http_status_code', status: 404 }),
  );
});

test('after a lost answer the configuration can be applied again: no second version', async () => {
  await using landscape = await start();
  const client = clientOf(landscape);
  for (const kind of ['reset', 'lost answer'] as const) {
    landscape.faults.add({ system: 'reconciler', count: 1, probability: 1, action: { kind } });
    const unreachable = failsWith({ temporary: true, reason: 'unreachable' });
    await assert.rejects(client.applyConfiguration(configuration, signal), unreachable);
  }
  const { configurationVersion } = await client.applyConfiguration(configuration, signal);
  assert.equal(configurationVersion, 1);
});

test('a status that nobody knows is passed on; an answer of another shape names the field', async () => {
  await using landscape = await start();
  const client = clientOf(landscape);
  const answer = { cluster: 'R', clusterVersion: 1, configurationVersion: 1, failures: null };
  const next = (body: object) =>
    landscape.faults.add({
      system: 'reconciler',
      count: 1,
      probability: 1,
      action: { kind: 'answer', status: 200, body: JSON.stringify(body), headers: {} },
    });
  next({ ...answer, status: 'dreaming' });
  assert.equal((await client.clusterState('R', 1, signal)).status, 'dreaming');
  next(answer);
  await assert.rejects(client.clusterState('R', 1, signal), (error: Error) => {
    assert.match(error.message, /expected: status: /);
    return failsWith({ temporary: true, reason: 'wrong_answer' })(error);
  });
});

test('a call ends at its timeout and at its signal', async () => {
  await using landscape = await start();
  const action = { kind: 'delay', for: 60_000 } as const;
  landscape.faults.add({ system: 'reconciler', probability: 1, action });
  await assert.rejects(
    clientOf(landscape, { timeout: 20 }).deleteCluster(runtimeID, signal),
    failsWith({ temporary: true, reason: 'unreachable' }),
  );
  const reason = new Error('canceled');
  const aborted = clientOf(landscape).deleteCluster(runtimeID, AbortSignal.abort(reason));
  await assert.rejects(aborted, reason);
});
