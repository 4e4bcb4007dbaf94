import { isDeepStrictEqual } from 'node:util';
import {
  isFields,
  type Fields,
  type KubernetesObject,
  type ManagedFieldsEntry,
} from './kubernetes-object.ts';

/** Who writes, in what way, and when. */
export type Author = Omit<ManagedFieldsEntry, 'fieldsType' | 'fieldsV1'>;

/**
 * Each field that somebody can own, with its value, by its path as in `fieldsV1`: `["f:spec","f:region"]`.
 * Lists are owned as a whole, but for finalizers and owners, which are owned one by one.
 */
export function ownableFields(object: Partial<KubernetesObject>): Map<string, unknown> {
  const found = new Map<string, unknown>();
  const visit = (value: unknown, path: readonly string[]) => {
    const name = path.join('.');
    if (isFields(value) && Object.keys(value).length > 0) {
      for (const [key, each] of Object.entries(value)) visit(each, [...path, `f:${key}`]);
    } else if (name === 'f:metadata.f:finalizers' && Array.isArray(value)) {
      for (const each of value)
        found.set(JSON.stringify([...path, `v:${JSON.stringify(each)}`]), each);
    } else if (name === 'f:metadata.f:ownerReferences' && Array.isArray(value)) {
      for (const each of value as unknown[]) {
        const uid = isFields(each) ? each['uid'] : undefined;
        found.set(JSON.stringify([...path, `k:${JSON.stringify({ uid })}`]), each);
      }
    } else found.set(JSON.stringify(path), value);
  };
  const { apiVersion: _apiVersion, kind: _kind, metadata, ...content } = object;
  const { labels, annotations, finalizers, ownerReferences } = metadata ?? {};
  const owned = { labels, annotations, finalizers, ownerReferences };
  for (const [key, value] of Object.entries(owned)) {
    if (value !== undefined) visit(value, ['f:metadata', `f:${key}`]);
  }
  for (const [key, value] of Object.entries(content)) visit(value, [`f:${key}`]);
  return found;
}

/** After a create, an update or a patch: its author owns what it changed, and nobody what is gone. */
export function ownersAfterUpdate(
  before: KubernetesObject | undefined,
  after: KubernetesObject,
  author: Author,
): ManagedFieldsEntry[] {
  const old = before ? ownableFields(before) : new Map<string, unknown>();
  const now = ownableFields(after);
  const changed = [...now].filter(
    ([path, value]) => !old.has(path) || !isDeepStrictEqual(old.get(path), value),
  );
  const isLost = new Set(changed.map(([path]) => path));
  for (const path of old.keys()) if (!now.has(path)) isLost.add(path);
  const entries = before?.metadata.managedFields ?? [];
  const own = entries.find((entry) => isBy(entry, author));
  const ownPaths = new Set(own ? [...pathsOf(own)].filter((path) => now.has(path)) : []);
  for (const [path] of changed) ownPaths.add(path);
  return entriesWith(entries, own, entryOf(own, author, ownPaths), (path) => !isLost.has(path));
}

/** The own entry anew, where it was or at the end; of the others what they keep. */
export function entriesWith(
  entries: readonly ManagedFieldsEntry[],
  own: ManagedFieldsEntry | undefined,
  renewed: ManagedFieldsEntry,
  isKept: (path: string) => boolean,
): ManagedFieldsEntry[] {
  const all = entries.map((entry) =>
    entry === own
      ? renewed
      : { ...entry, fieldsV1: treeOf([...pathsOf(entry)].filter((path) => isKept(path))) },
  );
  if (!own) all.push(renewed);
  return all.filter(({ fieldsV1 }) => Object.keys(fieldsV1).length > 0);
}

export const isBy = (entry: ManagedFieldsEntry, author: Author) =>
  entry.manager === author.manager &&
  entry.operation === author.operation &&
  entry.subresource === author.subresource;

/** The time is that of the last change: whoever writes the same once more changes nothing. */
export function entryOf(
  previous: ManagedFieldsEntry | undefined,
  author: Author,
  paths: Iterable<string>,
): ManagedFieldsEntry {
  const fieldsV1 = treeOf(paths);
  if (previous && isDeepStrictEqual(previous.fieldsV1, fieldsV1)) return previous;
  return { ...author, fieldsType: 'FieldsV1', fieldsV1 };
}

export function pathsOf({ fieldsV1 }: ManagedFieldsEntry): Set<string> {
  const paths = new Set<string>();
  const visit = (tree: Fields, path: readonly string[]) => {
    const entries = Object.entries(tree);
    if (entries.length === 0 && path.length > 0) paths.add(JSON.stringify(path));
    for (const [key, below] of entries) if (isFields(below)) visit(below, [...path, key]);
  };
  visit(fieldsV1, []);
  return paths;
}

function treeOf(paths: Iterable<string>): Fields {
  const tree: Fields = {};
  for (const path of [...paths].toSorted()) {
    let at = tree;
    for (const key of JSON.parse(path) as string[]) {
      at[key] ??= {};
      at = at[key] as Fields; // made in the line above
    }
  }
  return tree;
}
