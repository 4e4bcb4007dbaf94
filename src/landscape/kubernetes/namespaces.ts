import type { KindsServed } from './kinds-served.ts';
import type { KubernetesObject } from './kubernetes-object.ts';
import { namespace as namespaceKind } from './kinds.ts';
import type { ObjectStore } from './object-store.ts';
import { isNamespace, type ResourceKind } from './resource-kind.ts';
import { badRequest, forbidden, notFound } from './status-error.ts';

/** Nothing is created in a namespace that is not there, or on its way out. */
export function checkNamespace(
  store: ObjectStore,
  kind: ResourceKind,
  { metadata: { name, namespace } }: KubernetesObject,
): void {
  if (!kind.namespaced) return;
  if (!namespace) throw badRequest('an object of this kind needs a namespace');
  const home = store.get(namespaceKind, { name: namespace });
  if (!home) throw notFound(namespaceKind, namespace);
  if (home.metadata.deletionTimestamp) {
    throw forbidden(
      kind,
      name,
      `unable to create new content in namespace ${namespace} because it is being terminated`,
      [
        {
          reason: 'NamespaceTerminating',
          message: `namespace ${namespace} is being terminated`,
          field: 'metadata.namespace',
        },
      ],
    );
  }
}

export function emptyNamespace(
  store: ObjectStore,
  kinds: KindsServed,
  name: string,
  remove: (kind: ResourceKind, object: KubernetesObject) => void,
): void {
  for (const kind of kinds.all().filter(({ namespaced }) => namespaced)) {
    for (const object of store.list(kind)) {
      // Hooks may have removed it meanwhile, together with another one.
      const isThere = store.get(kind, object.metadata) !== undefined;
      if (object.metadata.namespace === name && isThere) remove(kind, object);
    }
  }
}

/** Whether an object that is to be deleted has nothing left to wait for. */
export function isDone(
  store: ObjectStore,
  kind: ResourceKind,
  { metadata: { name, deletionTimestamp, finalizers = [] } }: KubernetesObject,
): boolean {
  if (!deletionTimestamp || finalizers.length > 0) return false;
  return !isNamespace(kind) || store.isEmpty(name);
}
