import { isDeepStrictEqual } from 'node:util';
import { isFields, type Fields } from './kubernetes-object.ts';

/** RFC 7386: maps are merged, null removes, everything else replaces. */
export function mergePatch(target: unknown, patch: unknown): unknown {
  if (!isFields(patch)) return patch;
  const result: Fields = isFields(target) ? { ...target } : {};
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) delete result[key];
    else result[key] = mergePatch(result[key], value);
  }
  return result;
}

/** Lists that are merged by this key of their elements, or by value; all others are replaced. */
const mergedLists: Readonly<Record<string, string | undefined>> = {
  'metadata.finalizers': undefined,
  'metadata.ownerReferences': 'uid',
};

/**
 * A strategic merge patch as far as our kinds need it, with its directives: `$patch`, `$retainKeys`,
 * `$deleteFromPrimitiveList/…`; `$setElementOrder/…` is about order alone and is passed over.
 */
export function strategicMergePatch(
  target: unknown,
  patch: unknown,
  path: readonly string[] = [],
): unknown {
  if (Array.isArray(patch)) return mergedList(Array.isArray(target) ? target : [], patch, path);
  if (!isFields(patch)) return patch;
  const { $patch: directive, $retainKeys: retained, ...changes } = patch;
  if (directive === 'delete') return undefined;
  const result: Fields = isFields(target) && directive !== 'replace' ? { ...target } : {};
  for (const [key, value] of Object.entries(changes)) {
    const [instruction, field] = key.split('/', 2);
    if (instruction === '$setElementOrder') continue;
    if (instruction === '$deleteFromPrimitiveList' && field && Array.isArray(value)) {
      const list = result[field];
      if (Array.isArray(list)) result[field] = list.filter((each) => !value.includes(each));
      continue;
    }
    const merged =
      value === null ? undefined : strategicMergePatch(result[key], value, [...path, key]);
    if (merged === undefined) delete result[key];
    else result[key] = merged;
  }
  if (!Array.isArray(retained)) return result;
  return Object.fromEntries(Object.entries(result).filter(([key]) => retained.includes(key)));
}

/** Also what applying does with lists: those that have no key are taken as a whole. */
export function mergedList(
  target: readonly unknown[],
  patch: readonly unknown[],
  path: readonly string[],
): unknown[] {
  const name = path.join('.');
  if (!Object.hasOwn(mergedLists, name)) return [...patch];
  const key = mergedLists[name];
  const isSame = (a: unknown, b: unknown) =>
    key === undefined ? isDeepStrictEqual(a, b) : isFields(a) && isFields(b) && a[key] === b[key];
  let result = [...target];
  for (const each of patch) {
    const { $patch: directive, ...element } = isFields(each) ? each : { $patch: undefined };
    const at = result.findIndex((one) => isSame(one, each));
    if (directive === 'replace') result = [];
    else if (directive === 'delete') result = result.filter((one) => !isSame(one, each));
    else if (at === -1) result.push(each);
    else if (isFields(each)) result[at] = { ...(result[at] as Fields), ...element }; // found by its key, so it has fields
  }
  return result;
}
