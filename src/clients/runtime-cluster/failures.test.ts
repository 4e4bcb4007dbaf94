import assert from 'node:assert/strict';
import { test } from 'node:test';
import { seconds } from '#time';
import { runtimeClusters, type RuntimeCluster } from './runtime-cluster.ts';
import {
  btpApi,
  configuration,
  credentials,
  named,
  order,
  roleBindings,
  signal,
  startRuntimes,
  type Runtime,
} from './testing.ts';

type Case = {
  readonly name: string;
  readonly call: (cluster: RuntimeCluster, signal: AbortSignal) => Promise<unknown>;
  readonly before?: (runtime: Runtime) => Promise<unknown>;
};

const access = { l2Group: 'operators', l3Group: 'admins', administrators: ['a@example.com'] };
const inKymaSystem = async (runtime: Runtime, plural: string, object: object) => {
  await runtime.create('/api/v1/namespaces', named('kyma-system'));
  await runtime.create(`/api/v1/namespaces/kyma-system/${plural}`, object);
};
const secretOf = (name: string) => ({ metadata: { name }, data: { foreign: 'AAAA' } });

/** Every function, in every way it can go. */
const cases: readonly Case[] = [
  { name: 'version', call: (cluster, signal) => cluster.version(signal) },
  {
    name: 'ensureNamespace',
    call: (cluster, signal) => cluster.ensureNamespace('istio-system', signal),
  },
  { name: 'clusterId of a new cluster', call: (cluster, signal) => cluster.clusterId(signal) },
  {
    name: 'clusterId where only the id is missing',
    before: (runtime) => inKymaSystem(runtime, 'configmaps', named('cluster-info')),
    call: (cluster, signal) => cluster.clusterId(signal),
  },
  {
    name: 'btpCredentials.get',
    before: ({ cluster }) => cluster.btpCredentials.ensure(credentials, signal),
    call: (cluster, signal) => cluster.btpCredentials.get(signal),
  },
  {
    name: 'btpCredentials.ensure in a new cluster',
    call: (cluster, signal) => cluster.btpCredentials.ensure(credentials, signal),
  },
  {
    name: 'btpCredentials.ensure over a foreign Secret',
    before: (runtime) => inKymaSystem(runtime, 'secrets', secretOf('sap-btp-manager')),
    call: (cluster, signal) => cluster.btpCredentials.ensure(credentials, signal),
  },
  {
    name: 'ensureAgentConfiguration in a new cluster',
    call: (cluster, signal) => cluster.ensureAgentConfiguration(configuration, signal),
  },
  {
    name: 'ensureAgentConfiguration over an old one',
    before: (runtime) => inKymaSystem(runtime, 'secrets', secretOf('compass-agent-configuration')),
    call: (cluster, signal) => cluster.ensureAgentConfiguration(configuration, signal),
  },
  {
    name: 'ensureOperatorAccess in a new cluster',
    call: (cluster, signal) => cluster.ensureOperatorAccess(access, signal),
  },
  {
    name: 'ensureOperatorAccess for others than before',
    before: ({ cluster }) =>
      cluster.ensureOperatorAccess({ l3Group: 'others', administrators: ['b', 'c'] }, signal),
    call: (cluster, signal) => cluster.ensureOperatorAccess(access, signal),
  },
  {
    name: 'btpResources.count',
    before: (runtime) => order(runtime, 'shop', 'a'),
    call: (cluster, signal) => cluster.btpResources.count('servicebindings', signal),
  },
  {
    name: 'btpResources.deleteAll',
    before: (runtime) => order(runtime, 'shop', 'a', 'b'),
    call: (cluster, signal) => cluster.btpResources.deleteAll('servicebindings', signal),
  },
  {
    name: 'btpResources.removeFinalizers',
    before: (runtime) => order(runtime, 'shop', 'a'),
    call: (cluster, signal) => cluster.btpResources.removeFinalizers('servicebindings', signal),
  },
];

const statuses = [
  [400, 'BadRequest', false],
  [401, 'Unauthorized', false],
  [403, 'Forbidden', false],
  [408, 'Timeout', true],
  [409, 'Conflict', true],
  [410, 'Expired', true],
  [422, 'Invalid', false],
  [429, 'TooManyRequests', true],
  [500, 'InternalError', true],
  [503, 'ServiceUnavailable', true],
] as const;

/** All requests of a call that nothing disturbs, each once, and what the cluster looks like afterwards. */
async function undisturbed({ before, call }: Case, runtime: Runtime) {
  await before?.(runtime);
  const earlier = runtime.requests().length;
  await call(runtime.cluster, signal);
  const requests = [...new Set(runtime.requests().slice(earlier))];
  return { requests, contents: await contentsOf(runtime) };
}

for (const each of cases) {
  test(`${each.name}: whichever request fails, the error tells its class and no secret`, async () => {
    await using runtimes = await startRuntimes();
    const { requests } = await undisturbed(each, await runtimes.newCluster());
    assert.notEqual(requests.length, 0);
    const runtime = await runtimes.newCluster();
    await each.before?.(runtime);
    const { cluster, fault, failsWith } = runtime;
    const fails = (...expected: Parameters<typeof failsWith>) =>
      assert.rejects(each.call(cluster, signal), failsWith(...expected));
    for (const request of requests) {
      for (const [status, reason, temporary] of statuses) {
        const message = 'canary-of-btp canary-of-agent';
        const body = JSON.stringify({ kind: 'Status', reason, code: status, message });
        const headers = { 'retry-after': '7' };
        fault({ request, count: 1, action: { kind: 'answer', status, body, headers } });
        await fails({ temporary, reason, status, retryAfter: seconds(7) });
      }
      fault({ request, count: 1, action: { kind: 'reset' } });
      await fails({ temporary: true, reason: 'unreachable' });
      if (!request.startsWith('GET ')) continue;
      const html = '<html>canary-of-btp canary-of-agent</html>';
      fault({ request, count: 1, action: { kind: 'answer', status: 200, body: html } });
      await fails({ temporary: true, reason: 'wrong_answer' });
    }
    assert.deepEqual(
      runtimes.landscape.faults.list().filter(({ left }) => left !== 0),
      [],
    );
  });

  test(`${each.name}: whichever answer is lost, a repetition ends as if nothing had been`, async () => {
    await using runtimes = await startRuntimes();
    const { requests, contents } = await undisturbed(each, await runtimes.newCluster());
    for (const request of requests) {
      const runtime = await runtimes.newCluster();
      await each.before?.(runtime);
      runtime.fault({ request, count: 1, action: { kind: 'lost answer' } });
      const unreachable = runtime.failsWith({ temporary: true, reason: 'unreachable' });
      await assert.rejects(each.call(runtime.cluster, signal), unreachable);
      await each.call(runtime.cluster, signal);
      assert.deepEqual(await contentsOf(runtime), contents, `lost: ${request}`);
    }
  });

  test(`${each.name} ends at its timeout and at its signal`, async () => {
    await using runtimes = await startRuntimes();
    const { fault, failsWith, cluster, kubeconfig } = await runtimes.newCluster();
    fault({ action: { kind: 'delay', for: 60_000 } });
    const hasty = runtimeClusters({ timeout: 20 })(kubeconfig);
    await assert.rejects(
      each.call(hasty, signal),
      failsWith({ temporary: true, reason: 'unreachable' }),
    );
    const reason = new Error('canceled');
    await assert.rejects(each.call(cluster, AbortSignal.abort(reason)), reason);
    const controller = new AbortController();
    const call = each.call(cluster, controller.signal);
    controller.abort(reason);
    await assert.rejects(call, reason);
  });
}

/** What is in a cluster, without what differs between any two. */
async function contentsOf({ list }: Runtime) {
  const paths = [
    ...['namespaces', 'secrets', 'configmaps'].map((plural) => `/api/v1/${plural}`),
    ...['servicebindings', 'serviceinstances'].map((plural) => `${btpApi}/${plural}`),
    '/apis/rbac.authorization.k8s.io/v1/clusterroles',
    roleBindings,
  ];
  const all = [];
  for (const path of paths) {
    for (const { metadata, ...object } of await list(path)) {
      const { name, namespace, labels, annotations, finalizers, deletionTimestamp } = metadata;
      const isBeingDeleted = deletionTimestamp !== undefined;
      all.push({ ...object, name, namespace, labels, annotations, finalizers, isBeingDeleted });
    }
  }
  return JSON.parse(JSON.stringify(all).replace(/"id":"[0-9a-f-]{36}"/g, '"id":"any"')) as unknown;
}
