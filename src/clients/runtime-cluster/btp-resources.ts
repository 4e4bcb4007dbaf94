import { z } from 'zod';
import { SystemError } from '../system-error.ts';
import { noSuchKind } from '../kubernetes/kubernetes-answer.ts';
import type { ClusterConnection } from './cluster-connection.ts';

/** Bindings hold their instances: they go first. */
export type BtpKind = 'servicebindings' | 'serviceinstances';

/** What was ordered from BTP out of the cluster, in all its namespaces. A cluster that does not know the kind has none. */
export type BtpResources = {
  readonly count: (kind: BtpKind, signal: AbortSignal) => Promise<number>;
  /** Asks for the deletion of all, and says how many are left: the BTP operator lets each go when its order is undone. */
  readonly deleteAll: (kind: BtpKind, signal: AbortSignal) => Promise<number>;
  /** Nobody is waited for any more: what is being deleted goes at once, and its order stays behind in BTP. */
  readonly removeFinalizers: (kind: BtpKind, signal: AbortSignal) => Promise<void>;
};

const Resource = z.object({
  metadata: z.object({
    name: z.string(),
    namespace: z.string(),
    deletionTimestamp: z.string().nullish(),
    finalizers: z.array(z.string()).nullish(),
  }),
});

const api = '/apis/services.cloud.sap.com/v1';
const pathOf = (kind: BtpKind, namespace: string) =>
  `${api}/namespaces/${encodeURIComponent(namespace)}/${kind}`;

export function btpResources(cluster: ClusterConnection): BtpResources {
  async function list(kind: BtpKind, signal: AbortSignal) {
    try {
      const path = `${api}/${kind}`;
      const found = await cluster.list({ path, item: Resource, what: `list ${kind}`, signal });
      return found.map(({ metadata }) => metadata);
    } catch (error) {
      if (error instanceof SystemError && error.reason === noSuchKind) return [];
      throw error;
    }
  }

  return {
    count: async (kind, signal) => (await list(kind, signal)).length,

    async deleteAll(kind, signal) {
      const found = await list(kind, signal);
      const toDelete = found.filter(({ deletionTimestamp }) => !deletionTimestamp);
      const namespaces = new Set(toDelete.map(({ namespace }) => namespace));
      for (const namespace of namespaces) {
        await cluster.request({
          method: 'DELETE',
          path: pathOf(kind, namespace),
          what: `delete ${kind} in namespace ${namespace}`,
          signal,
        });
      }
      return namespaces.size > 0 ? (await list(kind, signal)).length : found.length;
    },

    async removeFinalizers(kind, signal) {
      for (const { name, namespace, finalizers } of await list(kind, signal)) {
        if (!finalizers?.length) continue;
        // What has gone meanwhile has no finalizers either.
        await cluster.find({
          method: 'PATCH',
          path: `${pathOf(kind, namespace)}/${encodeURIComponent(name)}`,
          contentType: 'application/merge-patch+json',
          body: { metadata: { finalizers: null } },
          what: `remove the finalizers of ${kind} ${name}`,
          signal,
        });
      }
    },
  };
}
