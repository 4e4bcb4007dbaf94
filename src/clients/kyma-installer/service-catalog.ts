import { createHash } from 'node:crypto';
import { z } from 'zod';
import type { KubernetesConnection } from '../kubernetes/kubernetes-connection.ts';
import { ifServed } from './if-served.ts';
import { fieldManager } from './server-side-apply.ts';

/** What users of Kyma 1.x ordered through the Service Catalog: to be given back before the cluster goes. */
export type ServiceCatalog = {
  /**
   * Asks for the deletion of all instances whose broker is below this URL, and lets the brokers go without their
   * controller. Gives the instances, as namespace and name; undefined if there is no Service Catalog.
   */
  readonly cleanUp: (
    signal: AbortSignal,
    brokerUrlPrefix?: string,
  ) => Promise<readonly string[] | undefined>;
};

const base = '/apis/servicecatalog.k8s.io/v1beta1';
const Named = z.object({ metadata: z.object({ name: z.string() }) });
const Broker = z.object({
  metadata: z.object({ name: z.string(), finalizers: z.array(z.string()).default([]) }),
  spec: z.object({ url: z.string().default('') }).prefault({}),
});
const Instance = z.object({ metadata: z.object({ name: z.string(), namespace: z.string() }) });

export const serviceCatalog = (connection: KubernetesConnection): ServiceCatalog => ({
  async cleanUp(signal, brokerUrlPrefix = 'https://service-manager.') {
    const list = <Item>(plural: string, item: z.ZodType<Item>, labelSelector = '') =>
      ifServed(
        connection.list({
          path: `${base}/${plural}`,
          labelSelector,
          item,
          what: `list ${plural}`,
          signal,
        }),
      );
    const brokers = await list('clusterservicebrokers', Broker);
    const instances = [];
    for (const { metadata, spec } of brokers ?? []) {
      if (!spec.url.startsWith(brokerUrlPrefix)) continue;
      const ofBroker = labelled('spec.clusterServiceBrokerName', metadata.name);
      const classes = await list('clusterserviceclasses', Named, ofBroker);
      if (!classes) return undefined;
      for (const each of classes) {
        const ofClass = labelled('spec.clusterServiceClassRef.name', each.metadata.name);
        const found = await list('serviceinstances', Instance, ofClass);
        if (!found) return undefined;
        instances.push(...found.map((instance) => instance.metadata));
      }
    }
    for (const { name, namespace } of instances) {
      await connection.find({
        method: 'DELETE',
        path: `${base}/namespaces/${encodeURIComponent(namespace)}/serviceinstances/${encodeURIComponent(name)}`,
        what: `delete service instance ${namespace}/${name}`,
        signal,
      });
    }
    for (const { metadata } of brokers ?? []) {
      if (metadata.finalizers.length === 0) continue;
      await connection.find({
        method: 'PATCH',
        path: `${base}/clusterservicebrokers/${encodeURIComponent(metadata.name)}`,
        query: { fieldManager },
        contentType: 'application/merge-patch+json',
        body: { metadata: { finalizers: null } },
        answer: Named,
        what: `let service broker ${metadata.name} go`,
        signal,
      });
    }
    return brokers && instances.map(({ name, namespace }) => `${namespace}/${name}`);
  },
});

/** The catalog labels with a hash of the name, as names may be longer than labels; older ones with the name itself. */
function labelled(field: string, name: string): string {
  const values = [
    createHash('sha224').update(name).digest('hex'),
    ...(name.length < 64 ? [name] : []),
  ];
  return `servicecatalog.k8s.io/${field} in (${values.join(',')})`;
}
