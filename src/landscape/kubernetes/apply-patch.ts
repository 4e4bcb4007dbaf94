import { isDeepStrictEqual } from 'node:util';
import { isFields, type Fields, type KubernetesObject } from './kubernetes-object.ts';
import {
  entriesWith,
  entryOf,
  isBy,
  ownableFields,
  pathsOf,
  type Author,
} from './managed-fields.ts';
import { mergedList } from './merge-patch.ts';
import { StatusError } from './status-error.ts';

/**
 * Server-side apply: what the author wants is set, what it wanted before and wants no longer goes away unless somebody
 * else owns it, and to change what somebody else owns takes force.
 */
export function applyPatch(
  live: KubernetesObject,
  wanted: Partial<KubernetesObject>,
  author: Author,
  force: boolean,
): KubernetesObject {
  const wantedFields = ownableFields(wanted);
  const liveFields = ownableFields(live);
  const entries = live.metadata.managedFields ?? [];
  const own = entries.find((entry) => isBy(entry, author));
  const others = entries.filter((entry) => entry !== own);

  const isChanged = (path: string) =>
    wantedFields.has(path) && !isDeepStrictEqual(wantedFields.get(path), liveFields.get(path));
  const conflicts = others.flatMap((entry) =>
    [...pathsOf(entry)].filter(isChanged).map((path) => ({ manager: entry.manager, path })),
  );
  if (conflicts.length > 0 && !force) throw applyConflict(conflicts, author.apiVersion);

  const ownedByOthers = new Set(others.flatMap((entry) => [...pathsOf(entry)]));
  const abandoned = [...(own ? pathsOf(own) : [])].filter(
    (path) => !wantedFields.has(path) && !ownedByOthers.has(path),
  );

  const result = structuredClone(merged(live, wanted)) as KubernetesObject; // two objects give an object
  const kept = [...wantedFields.keys()].map((path) => path.slice(0, -1));
  for (const path of abandoned) {
    const isParent = kept.some((one) => one.startsWith(`${path.slice(0, -1)},`));
    if (!isParent) removeAt(result, JSON.parse(path) as string[]);
  }
  const entry = entryOf(own, author, wantedFields.keys());
  result.metadata.managedFields = entriesWith(entries, own, entry, (path) => !isChanged(path));
  return result;
}

function merged(live: unknown, wanted: unknown, path: readonly string[] = []): unknown {
  if (Array.isArray(wanted)) return mergedList(Array.isArray(live) ? live : [], wanted, path);
  if (!isFields(wanted)) return wanted;
  const result: Fields = isFields(live) ? { ...live } : {};
  for (const [key, value] of Object.entries(wanted)) {
    result[key] = merged(result[key], value, [...path, key]);
  }
  return result;
}

/** Takes a field away, and the maps that are empty without it. */
function removeAt(at: unknown, [step = '', ...rest]: string[]): void {
  if (Array.isArray(at)) {
    const wanted: unknown = JSON.parse(step.slice(2));
    const isIt = (each: unknown) =>
      isFields(each) && isFields(wanted) ? each['uid'] === wanted['uid'] : each === wanted;
    const index = at.findIndex(isIt);
    if (index !== -1) at.splice(index, 1);
  } else if (isFields(at)) {
    const key = step.slice(2);
    const below = at[key];
    if (rest.length > 0) removeAt(below, rest);
    const isEmpty = Array.isArray(below)
      ? below.length === 0
      : isFields(below) && Object.keys(below).length === 0;
    if (rest.length === 0 || isEmpty) delete at[key];
  }
}

function applyConflict(
  conflicts: readonly { manager: string; path: string }[],
  apiVersion: string,
): StatusError {
  const causes = conflicts.map(({ manager, path }) => ({
    reason: 'FieldManagerConflict',
    message: `conflict with "${manager}" using ${apiVersion}`,
    field: (JSON.parse(path) as string[]).map((step) => `.${step.slice(2)}`).join(''),
  }));
  const count = `${causes.length} conflict${causes.length === 1 ? '' : 's'}`;
  const list = causes.map(({ message, field }) => `${message}: ${field}`).join(', ');
  return new StatusError(409, 'Conflict', `Apply failed with ${count}: ${list}`, { causes });
}
