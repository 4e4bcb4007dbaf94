import { z } from 'zod';
import { seconds, type Milliseconds } from '#time';
import type { Kubeconfig } from '../provisioner/kubeconfig.ts';
import { goneMeanwhile, type ClusterConnection } from './cluster-connection.ts';
import { tokenKubeconfig } from './token-kubeconfig.ts';

/** A way into the cluster for somebody else, as an administrator, for a while. */
export type TemporaryAccess = {
  /** Each call makes another kubeconfig; the account behind all of one name is the same. */
  readonly grant: (
    wanted: { readonly name: string; readonly lifetime: Milliseconds },
    signal: AbortSignal,
  ) => Promise<GrantedAccess>;
  /** Ends all kubeconfigs of the name at once. What is not there is gone. */
  readonly revoke: (name: string, signal: AbortSignal) => Promise<void>;
};

export type GrantedAccess = {
  readonly kubeconfig: Kubeconfig;
  /** Where the API server is. */
  readonly server: string;
  /** May be shorter than what was wanted. */
  readonly lifetime: Milliseconds;
};

const namespace = 'kyma-system';
const rbac = 'rbac.authorization.k8s.io';
const labels = { 'app.kubernetes.io/managed-by': 'kcp-kyma-environment-broker' };
const accounts = `/api/v1/namespaces/${namespace}/serviceaccounts`;
const roleBindings = `/apis/${rbac}/v1/clusterrolebindings`;
const at = (all: string, name: string) => `${all}/${encodeURIComponent(name)}`;

const TokenRequest = z.object({
  spec: z.object({ expirationSeconds: z.number().positive() }),
  status: z.object({ token: z.string().min(1) }),
});

/** `admin` is the kubeconfig of the connection: others are led to the same place. */
export const temporaryAccess = (cluster: ClusterConnection, admin: string): TemporaryAccess => ({
  async grant({ name, lifetime }, signal) {
    await cluster.ensureNamespace(namespace, signal);
    await cluster.create({
      path: accounts,
      body: { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name, namespace, labels } },
      what: `create service account ${name}`,
      signal,
    });
    await cluster.create({
      path: roleBindings,
      body: {
        apiVersion: `${rbac}/v1`,
        kind: 'ClusterRoleBinding',
        metadata: { name, labels },
        subjects: [{ kind: 'ServiceAccount', namespace, name }],
        roleRef: { apiGroup: rbac, kind: 'ClusterRole', name: 'cluster-admin' },
      },
      what: `create ClusterRoleBinding ${name}`,
      signal,
    });
    const what = `request a token of service account ${name}`;
    const given = await cluster.find({
      method: 'POST',
      path: `${at(accounts, name)}/token`,
      body: {
        apiVersion: 'authentication.k8s.io/v1',
        kind: 'TokenRequest',
        spec: { expirationSeconds: Math.round(lifetime / seconds(1)) },
      },
      answer: TokenRequest,
      what,
      signal,
    });
    if (!given) throw goneMeanwhile(what);
    return {
      ...tokenKubeconfig(admin, { name, token: given.status.token }),
      lifetime: seconds(given.spec.expirationSeconds),
    };
  },

  /** The account first: with it, its tokens end. */
  async revoke(name, signal) {
    for (const [kind, path] of [
      ['service account', at(accounts, name)],
      ['ClusterRoleBinding', at(roleBindings, name)],
    ] as const)
      await cluster.find({ method: 'DELETE', path, what: `delete ${kind} ${name}`, signal });
  },
});
