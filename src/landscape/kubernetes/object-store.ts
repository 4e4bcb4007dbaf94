import { keeping } from '../kept-state.ts';
import type { KubernetesObject, Place } from './kubernetes-object.ts';
import { qualifiedName, type ResourceKind } from './resource-kind.ts';

/** What happened to an object, with how it was before: a watcher with a selector needs both. */
export type StoreEvent = {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  readonly kind: string;
  readonly version: number;
  readonly object: KubernetesObject;
  readonly before: KubernetesObject | undefined;
};

/** Objects, the one counter of their versions, and the last events. Objects in here are never changed, only replaced. */
export class ObjectStore {
  readonly #objects = new Map<string, Map<string, KubernetesObject>>();
  /** By the identity of objects, which outlives all their versions. None for what the systems make by themselves. */
  readonly #askedBy = new Map<string, string>();
  readonly #listeners = new Set<(event: StoreEvent) => void>();
  readonly #history: StoreEvent[] = [];
  readonly #historySize: number;
  readonly #last = { version: 1 };
  #forgotten = 0;

  /** What happened is not kept: whoever watched has to list anew, as after a compaction. */
  readonly state = {
    save: () => this.#kept.save(),
    restore: (saved: unknown) => {
      this.#kept.restore(saved);
      this.forgetHistory();
    },
  };
  readonly #kept = keeping({
    objects: this.#objects,
    askedBy: this.#askedBy,
    last: this.#last,
  });

  constructor(historySize: number) {
    this.#historySize = historySize;
  }

  get version(): number {
    return this.#last.version;
  }

  get(kind: ResourceKind, place: Place): KubernetesObject | undefined {
    return this.#objects.get(qualifiedName(kind))?.get(keyOf(place));
  }

  /** In the order of namespaces and names. */
  list(kind: ResourceKind): readonly KubernetesObject[] {
    return [...(this.#objects.get(qualifiedName(kind)) ?? [])]
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([, object]) => object);
  }

  /** Whether there is anything in a namespace. */
  isEmpty(namespace: string): boolean {
    for (const objects of this.#objects.values()) {
      for (const { metadata } of objects.values()) {
        if (metadata.namespace === namespace) return false;
      }
    }
    return true;
  }

  /** Who asked for the object of this identity. */
  askedBy(uid: string): string | undefined {
    return this.#askedBy.get(uid);
  }

  put(kind: ResourceKind, object: KubernetesObject, askedBy?: string): KubernetesObject {
    if (askedBy !== undefined) this.#askedBy.set(object.metadata.uid, askedBy);
    const name = qualifiedName(kind);
    const objects = this.#objects.getOrInsertComputed(name, () => new Map());
    const key = keyOf(object.metadata);
    const before = objects.get(key);
    const stored = this.#nextVersionOf(object);
    objects.set(key, stored);
    this.#tell({
      type: before ? 'MODIFIED' : 'ADDED',
      kind: name,
      version: this.#last.version,
      object: stored,
      before,
    });
    return stored;
  }

  remove(kind: ResourceKind, object: KubernetesObject): KubernetesObject {
    const name = qualifiedName(kind);
    const key = keyOf(object.metadata);
    const before = this.#objects.get(name)?.get(key);
    this.#objects.get(name)?.delete(key);
    this.#askedBy.delete(object.metadata.uid);
    const last = this.#nextVersionOf(object);
    this.#tell({ type: 'DELETED', kind: name, version: this.#last.version, object: last, before });
    return last;
  }

  /** What happened after a version, or nothing if that is no longer known. */
  eventsAfter(version: number): readonly StoreEvent[] | undefined {
    if (version < this.#forgotten) return undefined;
    return this.#history.filter((event) => event.version > version);
  }

  /** Forgets what happened so far, as after a compaction: older versions can no longer be watched from. */
  forgetHistory(): void {
    this.#history.length = 0;
    this.#forgotten = this.#last.version;
  }

  listen(listener: (event: StoreEvent) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  #nextVersionOf(object: KubernetesObject): KubernetesObject {
    this.#last.version += 1;
    return {
      ...object,
      metadata: { ...object.metadata, resourceVersion: `${this.#last.version}` },
    };
  }

  #tell(event: StoreEvent): void {
    this.#history.push(event);
    if (this.#history.length > this.#historySize) {
      this.#forgotten = this.#history.shift()?.version ?? this.#forgotten;
    }
    for (const listener of this.#listeners) listener(event);
  }
}

/** Sorts as the real store does; no name contains a slash. */
export const keyOf = ({ namespace, name }: Place) =>
  namespace === undefined ? name : `${namespace}/${name}`;
