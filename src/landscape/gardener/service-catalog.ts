import { createHash } from 'node:crypto';
import { seconds } from '#time';
import type { Change } from '../kubernetes/kinds-served.ts';
import type { KubernetesApi } from '../kubernetes/kubernetes-api.ts';
import { valueAt, type KubernetesObject } from '../kubernetes/kubernetes-object.ts';
import type { ResourceKind } from '../kubernetes/resource-kind.ts';
import type { SimulatedTime } from '../simulated-time.ts';
import type { SimulatedKind } from './custom-resources.ts';

const catalog = {
  group: 'servicecatalog.k8s.io',
  version: 'v1beta1',
  hasStatus: true,
  isCustom: true,
} as const;

export const clusterServiceBroker: ResourceKind = {
  ...catalog,
  plural: 'clusterservicebrokers',
  singular: 'clusterservicebroker',
  kind: 'ClusterServiceBroker',
  namespaced: false,
  additionalPrinterColumns: [{ name: 'URL', type: 'string', value: '.spec.url' }],
};

export const clusterServiceClass: ResourceKind = {
  ...catalog,
  plural: 'clusterserviceclasses',
  singular: 'clusterserviceclass',
  kind: 'ClusterServiceClass',
  namespaced: false,
  additionalPrinterColumns: [
    { name: 'Broker', type: 'string', value: '.spec.clusterServiceBrokerName' },
  ],
};

export const catalogServiceInstance: ResourceKind = {
  ...catalog,
  plural: 'serviceinstances',
  singular: 'serviceinstance',
  kind: 'ServiceInstance',
  namespaced: true,
  additionalPrinterColumns: [
    { name: 'Class', type: 'string', value: '.spec.clusterServiceClassRef.name' },
  ],
};

export const catalogKinds = [
  clusterServiceBroker,
  clusterServiceClass,
  catalogServiceInstance,
] as const;

const finalizer = 'kubernetes-incubator/service-catalog';
const deprovisioning = seconds(30);

/** What Kyma's component `service-catalog` does with its kinds. */
export function simulatedCatalog(api: KubernetesApi, time: SimulatedTime): SimulatedKind[] {
  /** Brokers and instances do not go before what they stand for is given back. */
  const hold = (change: Change) => {
    if (change.operation !== 'CREATE') return;
    const { metadata } = change.object;
    metadata.finalizers = [...new Set([...(metadata.finalizers ?? []), finalizer])];
  };
  /** Labels are hashes: names can be too long for them. */
  const label = (path: readonly string[]) => (change: Change) => {
    if (change.operation === 'DELETE') return;
    const { metadata, spec } = change.object;
    const name = valueAt(spec, path);
    if (typeof name !== 'string') return;
    const hash = createHash('sha224').update(name).digest('hex');
    const key = `${catalog.group}/spec.${path.join('.')}`;
    metadata.labels = { ...metadata.labels, [key]: hash };
  };
  const labelClass = label(['clusterServiceBrokerName']);
  const labelInstance = label(['clusterServiceClassRef', 'name']);

  const giveBack = ({ metadata }: KubernetesObject) => {
    if (!metadata.deletionTimestamp) return;
    time.after(deprovisioning, () => {
      const { uid } = api.get(catalogServiceInstance, metadata)?.metadata ?? {};
      if (uid === metadata.uid)
        api.patch(catalogServiceInstance, metadata, { metadata: { finalizers: null } });
    });
  };

  return [
    { kind: clusterServiceBroker, hooks: { admit: hold } },
    { kind: clusterServiceClass, hooks: { admit: labelClass } },
    {
      kind: catalogServiceInstance,
      hooks: {
        admit(change) {
          hold(change);
          labelInstance(change);
        },
        onUpdate(object, before) {
          if (!before.metadata.deletionTimestamp) giveBack(object);
        },
        onRestore: giveBack,
      },
    },
  ];
}
