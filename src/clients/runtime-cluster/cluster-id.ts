import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { goneMeanwhile, type ClusterConnection } from './cluster-connection.ts';

const ConfigMap = z.object({
  metadata: z.object({ resourceVersion: z.string() }),
  data: z.object({ id: z.string().default('') }).nullish(),
});

const namespace = 'kyma-system';
const name = 'cluster-info';
const all = `/api/v1/namespaces/${namespace}/configmaps`;

/** The identity of the cluster towards BTP. It gets one when first asked; of two who ask at once, both get the same. */
export const clusterIdOf =
  (cluster: ClusterConnection) =>
  async (signal: AbortSignal): Promise<string> => {
    const read = () =>
      cluster.find({
        method: 'GET',
        path: `${all}/${name}`,
        answer: ConfigMap,
        what: 'get the cluster id',
        signal,
      });
    const found = await read();
    if (found?.data?.id) return found.data.id;
    const id = randomUUID();
    const what = 'give the cluster an id';
    if (found) {
      // With the version that was read: whoever comes second meets a conflict, and finds the id of the first next time.
      const { resourceVersion } = found.metadata;
      const given = await cluster.find({
        method: 'PATCH',
        path: `${all}/${name}`,
        contentType: 'application/merge-patch+json',
        body: { metadata: { resourceVersion }, data: { id } },
        answer: ConfigMap,
        what,
        signal,
      });
      if (!given) throw goneMeanwhile(what);
      return id;
    }
    await cluster.ensureNamespace(namespace, signal);
    const body = {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name, namespace },
      data: { id },
    };
    if ((await cluster.create({ path: all, body, what, signal })) === 'created') return id;
    const theirs = (await read())?.data?.id;
    if (!theirs) throw goneMeanwhile(what);
    return theirs;
  };
