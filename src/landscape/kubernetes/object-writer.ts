import { randomUUID } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import type { Change, KindsServed } from './kinds-served.ts';
import { timestamp, type Fields, type KubernetesObject, type Place } from './kubernetes-object.ts';
import { entryOf, ownableFields, ownersAfterUpdate, type Author } from './managed-fields.ts';
import { checkChange, checkMetadata, nameFor, wantedPart } from './metadata-rules.ts';
import { checkNamespace, emptyNamespace, isDone } from './namespaces.ts';
import type { ObjectStore } from './object-store.ts';
import { apiVersionOf, isNamespace, type ResourceKind } from './resource-kind.ts';
import { alreadyExists, conflict, internalError, notFound } from './status-error.ts';
import { allowedPart, checkVersion } from './update-rules.ts';

/** Who writes, and in what way. */
export type Write = {
  readonly manager: string;
  readonly operation?: 'Apply' | 'Update';
  readonly subresource?: 'status';
  readonly isDryRun?: boolean;
  /** The simulated system itself: it is not asked for admission, and writes status like anything else. */
  readonly isSystem?: boolean;
  /** For the inventory, of a request from outside. */
  readonly askedBy?: string;
};

/** The rules of every write: versions, generations, finalizers, namespaces, admission, and who is told afterwards. */
export class ObjectWriter {
  readonly #store: ObjectStore;
  readonly #kinds: KindsServed;
  readonly #now: () => Date;

  constructor(store: ObjectStore, kinds: KindsServed, now: () => Date) {
    this.#store = store;
    this.#kinds = kinds;
    this.#now = now;
  }

  create(
    kind: ResourceKind,
    namespace: string | undefined,
    body: Fields & { metadata: Fields },
    write: Write,
  ): KubernetesObject {
    const { resourceVersion, ...metadata } = body.metadata;
    if (resourceVersion !== undefined && resourceVersion !== '') {
      throw internalError('resourceVersion should not be set on objects to be created');
    }
    delete metadata['deletionTimestamp'];
    delete metadata['managedFields'];
    const draft = structuredClone({
      ...body,
      apiVersion: apiVersionOf(kind),
      kind: kind.kind,
      metadata: {
        ...metadata,
        name: nameFor(kind, metadata),
        ...(kind.namespaced && namespace !== undefined && { namespace }),
        uid: randomUUID(),
        creationTimestamp: timestamp(this.#now()),
        ...((kind.hasGeneration ?? kind.hasStatus) && { generation: 1 }),
      },
    }) as unknown as KubernetesObject; // what comes from outside in it is checked below, and the version is the store's
    if (kind.hasStatus && !write.isSystem) delete draft['status'];
    checkNamespace(this.#store, kind, draft);
    this.#admit(kind, { operation: 'CREATE', object: draft }, write);
    kind.complete?.(draft);
    checkMetadata(kind, draft);
    if (this.#store.get(kind, draft.metadata)) throw alreadyExists(kind, draft.metadata.name);
    const author = this.#author(kind, write);
    draft.metadata.managedFields =
      write.operation === 'Apply'
        ? [entryOf(undefined, author, ownableFields(body as Partial<KubernetesObject>).keys())]
        : ownersAfterUpdate(undefined, draft, author);
    if (write.isDryRun) return draft;
    const created = this.#store.put(kind, draft, write.askedBy);
    for (const { onCreate } of this.#kinds.hooksOf(kind)) onCreate?.(structuredClone(created));
    return created;
  }

  /** Replaces the object by what `change` makes of it. A version in there must be the present one. */
  update(
    kind: ResourceKind,
    place: Place,
    change: (live: KubernetesObject, author: Author) => Fields & { metadata: Fields },
    write: Write,
  ): KubernetesObject {
    const before = this.#store.get(kind, place);
    if (!before) throw notFound(kind, place.name);
    const author = this.#author(kind, write);
    const wanted = structuredClone(change(structuredClone(before), author));
    checkVersion(kind, before, wanted.metadata, write);
    const after = allowedPart(kind, before, wanted as unknown as KubernetesObject, write); // checked below
    this.#admit(
      kind,
      { operation: 'UPDATE', object: after, before, subresource: write.subresource },
      write,
    );
    kind.complete?.(after);
    checkMetadata(kind, after);
    checkChange(kind, before, after);
    if (!isDeepStrictEqual(wantedPart(before), wantedPart(after))) countGeneration(after);
    if (write.operation !== 'Apply') {
      after.metadata.managedFields = ownersAfterUpdate(before, after, author);
    }
    if (write.isDryRun || isDeepStrictEqual(before, after)) return after;
    return this.#settle(kind, before, after);
  }

  /** Removes the object, or marks it when finalizers hold it. */
  delete(
    kind: ResourceKind,
    place: Place,
    write: Write,
    preconditions: { readonly uid?: string; readonly resourceVersion?: string } = {},
  ): { readonly object: KubernetesObject; readonly isGone: boolean } {
    const before = this.#store.get(kind, place);
    if (!before) throw notFound(kind, place.name);
    for (const field of ['uid', 'resourceVersion'] as const) {
      const [wanted, found] = [preconditions[field], before.metadata[field]];
      if (wanted !== undefined && wanted !== found) {
        const why = `Precondition failed: ${field} in precondition: ${wanted}, in object meta: ${found}`;
        throw conflict(kind, place.name, why);
      }
    }
    this.#admit(kind, { operation: 'DELETE', before }, write);
    if (before.metadata.deletionTimestamp) return { object: before, isGone: false };
    const after = structuredClone(before);
    after.metadata.deletionTimestamp = timestamp(this.#now());
    after.metadata.deletionGracePeriodSeconds = 0;
    countGeneration(after);
    kind.complete?.(after);
    const isGone = !isNamespace(kind) && !before.metadata.finalizers?.length;
    if (write.isDryRun) return { object: after, isGone };
    if (isGone) return { object: this.#remove(kind, before), isGone };
    // A namespace is always marked first, and goes when nothing is left in it.
    const marked = this.#replace(kind, before, after);
    if (!isNamespace(kind)) return { object: marked, isGone };
    emptyNamespace(this.#store, this.#kinds, place.name, (kind, object) =>
      this.delete(kind, object.metadata, { ...write, isSystem: true }),
    );
    this.#finish(kind, marked);
    return { object: marked, isGone };
  }

  #settle(kind: ResourceKind, before: KubernetesObject, after: KubernetesObject): KubernetesObject {
    return isDone(this.#store, kind, after)
      ? this.#remove(kind, after)
      : this.#replace(kind, before, after);
  }

  #remove(kind: ResourceKind, object: KubernetesObject): KubernetesObject {
    const last = this.#store.remove(kind, object);
    for (const { onDelete } of this.#kinds.hooksOf(kind)) onDelete?.(structuredClone(last));
    const { namespace } = last.metadata;
    const namespaces = this.#kinds.find('', 'v1', 'namespaces');
    const home = namespace && namespaces && this.#store.get(namespaces, { name: namespace });
    if (home) this.#finish(namespaces, home);
    return last;
  }

  /** Removes what was only waiting for others to go. */
  #finish(kind: ResourceKind, object: KubernetesObject): void {
    const isThere = this.#store.get(kind, object.metadata) === object;
    if (isThere && isDone(this.#store, kind, object)) this.#remove(kind, object);
  }

  #replace(
    kind: ResourceKind,
    before: KubernetesObject,
    after: KubernetesObject,
  ): KubernetesObject {
    const stored = this.#store.put(kind, after);
    for (const { onUpdate } of this.#kinds.hooksOf(kind)) {
      onUpdate?.(structuredClone(stored), structuredClone(before));
    }
    return stored;
  }

  #admit(kind: ResourceKind, change: Change, { isSystem }: Write): void {
    if (isSystem) return;
    for (const { admit } of this.#kinds.hooksOf(kind)) admit?.(change);
  }

  #author(kind: ResourceKind, { manager, operation = 'Update', subresource }: Write): Author {
    return {
      manager,
      operation,
      apiVersion: apiVersionOf(kind),
      time: timestamp(this.#now()),
      ...(subresource && { subresource }),
    };
  }
}

function countGeneration({ metadata }: KubernetesObject): void {
  if (metadata.generation !== undefined) metadata.generation += 1;
}
