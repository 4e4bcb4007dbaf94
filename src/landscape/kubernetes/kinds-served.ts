import type { Fields, KubernetesObject } from './kubernetes-object.ts';
import { qualifiedName, versionsOf, type ResourceKind } from './resource-kind.ts';

/** What somebody asks for, before it is done. */
export type Change =
  | { readonly operation: 'CREATE'; readonly object: KubernetesObject }
  | {
      readonly operation: 'UPDATE';
      readonly object: KubernetesObject;
      readonly before: KubernetesObject;
      readonly subresource: 'status' | undefined;
    }
  | { readonly operation: 'DELETE'; readonly before: KubernetesObject };

/** What a simulator does with the objects of one kind. */
export type KindHooks = {
  /** Asked before a request changes anything: may amend `object`, and refuses by throwing a StatusError. */
  readonly admit?: (change: Change) => void;
  readonly onCreate?: (object: KubernetesObject) => void;
  /** Also when a delete only marks the object, because finalizers hold it: then it has a deletionTimestamp. */
  readonly onUpdate?: (object: KubernetesObject, before: KubernetesObject) => void;
  /** The object is gone. */
  readonly onDelete?: (object: KubernetesObject) => void;
  /** The object is there again after a restart of the landscape: what went on for it goes on. */
  readonly onRestore?: (object: KubernetesObject) => void;
  /** `POST <object>/<name>`: the answer, with status 201. */
  readonly subresources?: Readonly<
    Record<string, (object: KubernetesObject, body: unknown) => Fields>
  >;
};

/** The kinds that are served at the moment: they come and go, as CustomResourceDefinitions do. */
export class KindsServed {
  readonly #kinds = new Map<string, { readonly kind: ResourceKind; readonly hooks: KindHooks[] }>();

  add(kind: ResourceKind): void {
    this.#kinds.set(qualifiedName(kind), { kind, hooks: [] });
  }

  remove(kind: ResourceKind): void {
    this.#kinds.delete(qualifiedName(kind));
  }

  all(): readonly ResourceKind[] {
    return [...this.#kinds.values()].map(({ kind }) => kind);
  }

  find(group: string, version: string, plural: string): ResourceKind | undefined {
    const found = this.#kinds.get(qualifiedName({ group, plural }))?.kind;
    return found && versionsOf(found).includes(version) ? found : undefined;
  }

  hook(kind: ResourceKind, hooks: KindHooks): void {
    const served = this.#kinds.get(qualifiedName(kind));
    if (!served) throw new Error(`${qualifiedName(kind)} is not served here`);
    served.hooks.push(hooks);
  }

  /** After a restart. Kinds that come back on the way have their turn, too. */
  tellRestored(listOf: (kind: ResourceKind) => readonly KubernetesObject[]): void {
    for (const { kind, hooks } of this.#kinds.values())
      for (const object of listOf(kind))
        for (const { onRestore } of hooks) onRestore?.(structuredClone(object));
  }

  hooksOf(kind: ResourceKind): readonly KindHooks[] {
    return this.#kinds.get(qualifiedName(kind))?.hooks ?? [];
  }
}
