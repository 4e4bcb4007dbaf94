import { z } from 'zod';
import type { KubernetesConnection } from '../kubernetes/kubernetes-connection.ts';
import { internalLabel, type KymaMetadata, type KymaResource } from './kyma-resource.ts';
import { Kyma } from './kyma.ts';
import { collectionPath, objectPath, type KymaPlace } from './object-path.ts';

export type Kymas = {
  /** Creates it. Of one that is there, only labels and annotations are brought up to date; those of others stay. */
  readonly applyKyma: (resource: KymaResource, signal: AbortSignal) => Promise<Kyma>;
  readonly getKyma: (kyma: KymaPlace, signal: AbortSignal) => Promise<Kyma | undefined>;
  readonly kymaExists: (kyma: KymaPlace, signal: AbortSignal) => Promise<boolean>;
  /** Asks for its deletion, which takes a while. What is gone already is as good as deleted. */
  readonly deleteKyma: (kyma: KymaPlace, signal: AbortSignal) => Promise<void>;
};

/** What is read to be written again: everything in it is kept. */
const Existing = z.looseObject({
  metadata: z.looseObject({
    resourceVersion: z.string(),
    labels: z.record(z.string(), z.string()).default({}),
    annotations: z.record(z.string(), z.string()).default({}),
  }),
});
type Existing = z.infer<typeof Existing>;

export function kymas(connection: KubernetesConnection): Kymas {
  const get: Kymas['getKyma'] = (kyma, signal) =>
    connection.find({
      method: 'GET',
      path: pathOf(kyma),
      answer: Kyma,
      what: `get Kyma ${kyma.name}`,
      signal,
    });

  return {
    getKyma: get,
    kymaExists: async (kyma, signal) => (await get(kyma, signal)) !== undefined,

    async applyKyma(resource, signal) {
      const { apiVersion, metadata } = resource;
      const { name, namespace } = metadata;
      const path = pathOf({ apiVersion, namespace, name });
      const existing = await connection.find({
        method: 'GET',
        path,
        answer: Existing,
        what: `look for Kyma ${name}`,
        signal,
      });
      const updated =
        existing &&
        (await connection.find({
          method: 'PUT',
          path,
          body: refreshed(existing, metadata),
          answer: Kyma,
          what: `update Kyma ${name}`,
          signal,
        }));
      if (updated) return updated;
      return connection.request({
        method: 'POST',
        path: collectionPath(`apis/${apiVersion}`, namespace, 'kymas'),
        body: resource,
        answer: Kyma,
        what: `create Kyma ${name}`,
        signal,
      });
    },

    async deleteKyma(kyma, signal) {
      const what = `delete Kyma ${kyma.name}`;
      await connection.find({ method: 'DELETE', path: pathOf(kyma), what, signal });
    },
  };
}

const pathOf = ({ namespace, name, apiVersion = 'operator.kyma-project.io/v1beta2' }: KymaPlace) =>
  objectPath(`apis/${apiVersion}`, namespace, 'kymas', name);

/** One of our labels is not on every Kyma: where it no longer belongs, it goes. */
function refreshed(existing: Existing, { labels, annotations }: KymaMetadata): Existing {
  const { [internalLabel]: _internal, ...others } = existing.metadata.labels;
  const metadata = {
    ...existing.metadata,
    labels: { ...others, ...labels },
    annotations: { ...existing.metadata.annotations, ...annotations },
  };
  return { ...existing, metadata };
}
