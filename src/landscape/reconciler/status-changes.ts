import { hours, minutes, seconds, type Milliseconds } from '#time';
import type { Clusters, Version } from './clusters.ts';
import { dateAt } from './reconciliations.ts';

const units: Readonly<Record<string, Milliseconds>> = {
  h: hours(1),
  m: minutes(1),
  s: seconds(1),
  ms: 1,
};

/** As Go writes durations. */
export function durationOf(text: string): Milliseconds | undefined {
  if (!/^(?:\d+(?:\.\d+)?(?:h|ms|m|s))+$/.test(text)) return undefined;
  return [...text.matchAll(/([\d.]+)([a-z]+)/g)].reduce(
    (sum, [, count, unit = '']) => sum + Number(count) * (units[unit] ?? 0),
    0,
  );
}

/** Those that began so long ago or later, the newest first; each lasts until the next one, in nanoseconds. */
export function statusChanges(
  clusters: Clusters,
  versions: readonly Version[],
  offset: Milliseconds,
) {
  const given = versions.flatMap((version) => version.given);
  const current = given.at(-1);
  const now = current ? dateAt(current, clusters.elapsedOf(current)).getTime() : 0;
  return given
    .flatMap((each) => {
      const statuses = clusters.statusesOf(each);
      const ends = clusters.elapsedOf(each);
      return statuses.map(({ status, from }, at) => ({
        status,
        started: dateAt(each, from),
        duration: Math.round(((statuses[at + 1]?.from ?? ends) - from) * 1e6),
      }));
    })
    .filter(({ started }) => started.getTime() >= now - offset)
    .toReversed();
}
