// For tests of this client: runtime clusters in this process, as many as wanted.
import assert from 'node:assert/strict';
import { parse } from 'yaml';
import { z } from 'zod';
import { minutes } from '#time';
import type { Landscape } from '../../landscape/testing.ts';
import { shootOf, signal, startGardener } from '../gardener/testing.ts';
import { kubernetesConnection } from '../kubernetes/kubernetes-connection.ts';
import type { Kubeconfig } from '../provisioner/kubeconfig.ts';
import type { SystemError } from '../system-error.ts';
import type { SystemLimits } from '../system-limits.ts';
import { failuresOf } from '../testing.ts';
import { BtpCredentials } from './btp-credentials.ts';
import { runtimeClusters } from './runtime-cluster.ts';

export { signal };

export const credentials = new BtpCredentials({
  clientid: 'client-1',
  clientsecret: 'canary-of-btp',
  sm_url: 'https://sm.example.com',
  tokenurl: 'https://token.example.com',
  cluster_id: 'cluster-1',
});
export const configuration = {
  connectorUrl: 'https://connector.example.com',
  runtimeId: 'runtime-1',
  tenant: 'tenant-1',
  token: 'canary-of-agent',
};
/** As they are, and as Secrets hold them. */
const canaries = ['canary-of-btp', 'canary-of-agent'].flatMap((each) => [
  each,
  Buffer.from(each).toString('base64'),
]);

const KubernetesObject = z.looseObject({
  metadata: z.looseObject({ name: z.string(), namespace: z.string().optional() }),
});

export async function startRuntimes(limits: SystemLimits = {}) {
  const { landscape, client, [Symbol.asyncDispose]: stop } = await startGardener();
  const connect = runtimeClusters({ breakAfter: 1_000, ...limits });
  let count = 0;

  async function newCluster() {
    count += 1;
    const shoot = `runtime-${count}`;
    await client.shoots.apply(shootOf(shoot), signal);
    landscape.time.advance(minutes(6));
    const { kubeconfig } =
      (await client.shoots.adminKubeconfig(shoot, signal)) ?? assert.fail('no such shoot');
    const api = kubernetesConnection('test', { kubeconfig: kubeconfig.reveal() });
    const below = `/runtimes/${shoot}`;
    return {
      kubeconfig,
      cluster: connect(kubeconfig),
      /** What this cluster was asked, as 'GET /version'. */
      requests: () =>
        landscape.requests
          .filter(({ path }) => path.startsWith(`${below}/`))
          .map(({ method, path }) => `${method} ${path.slice(below.length)}`),
      /** For requests of this cluster, or for one of them. */
      fault: ({ request, ...fault }: { request?: string; count?: number; action: Action }) => {
        const [method, path = ''] = request?.split(' ') ?? [];
        const whole = request === undefined ? '/' : `${RegExp.escape(path)}$`;
        landscape.faults.add({
          system: 'gardener',
          path: `^${RegExp.escape(below)}${whole}`,
          ...(method !== undefined && { method }),
          ...fault,
        });
      },
      /** To do what the client does not. */
      create: (path: string, object: object) =>
        api.request({ method: 'POST', path, body: object, what: 'create', signal }),
      get: (path: string) =>
        api.find({ method: 'GET', path, answer: KubernetesObject, what: 'get', signal }),
      list: (path: string) => api.list({ path, item: KubernetesObject, what: 'list', signal }),
      failsWith: failsWithout([...canaries, ...credentialsIn(kubeconfig)]),
    };
  }

  return { landscape, connect, newCluster, [Symbol.asyncDispose]: stop };
}
type Action = Parameters<Landscape['faults']['add']>[0]['action'];
export type Runtime = Awaited<ReturnType<Awaited<ReturnType<typeof startRuntimes>>['newCluster']>>;

const Users = z.object({
  users: z.array(z.object({ user: z.record(z.string(), z.string()) })).min(1),
});
const credentialsIn = (kubeconfig: Kubeconfig) =>
  Users.parse(parse(kubeconfig.reveal())).users.flatMap(({ user }) => Object.values(user));

const failsWithout =
  (canaries: readonly string[]) => (expected: Partial<SystemError>) => (error: unknown) =>
    canaries.every((canary) => failuresOf('runtime-cluster', canary)(expected)(error));

export const named = (name: string) => ({ metadata: { name } });
export const btpApi = '/apis/services.cloud.sap.com/v1';
export const roleBindings = '/apis/rbac.authorization.k8s.io/v1/clusterrolebindings';

/** A namespace with a service instance and its bindings. */
export async function order(runtime: Runtime, namespace: string, ...bindings: string[]) {
  await runtime.create('/api/v1/namespaces', named(namespace));
  const object = (kind: string, name: string) => ({
    apiVersion: 'services.cloud.sap.com/v1',
    kind,
    metadata: { name },
  });
  const path = `${btpApi}/namespaces/${namespace}`;
  await runtime.create(`${path}/serviceinstances`, object('ServiceInstance', 'instance'));
  for (const name of bindings)
    await runtime.create(`${path}/servicebindings`, object('ServiceBinding', name));
}
