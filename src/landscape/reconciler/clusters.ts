import { randomUUID } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import type { Milliseconds } from '#time';
import { keeping, type KeptState } from '../kept-state.ts';
import type { Surroundings } from '../simulated-system.ts';
import { statusesUntil, workAfter } from './cluster-status.ts';

/** What is kept and compared: all but the kubeconfig. */
export const Configuration = z.object({
  runtimeID: z.string().min(1),
  runtimeInput: z.object({ name: z.string(), description: z.string().default('') }),
  kymaConfig: z.looseObject({
    version: z.string(),
    profile: z.string(),
    components: z.array(z.looseObject({ component: z.string() })),
  }),
  metadata: z.looseObject({}),
});
export type Configuration = z.infer<typeof Configuration>;

/** One version of a configuration, and what became of it. */
export type Version = {
  readonly number: number;
  readonly clusterVersion: number;
  readonly configuration: Configuration;
  readonly askedBy: string;
  /** In the order of time; never empty. */
  readonly given: GivenStatus[];
};

/** A status that somebody gave; others follow from it by themselves, until the next one is given. */
export type GivenStatus = {
  readonly id: number;
  readonly status: string;
  /** In the time of the landscape, and as a date. */
  readonly since: Milliseconds;
  readonly at: Milliseconds;
  /** Its version of Kyma could not be installed at that time. */
  readonly isBroken: boolean;
  next?: { readonly status: string; readonly since: Milliseconds };
  /** Undefined if it begins no work on components, or if that was purged. */
  run: Run | undefined;
};

/** Work on the components, one after the other: what cannot be told from the time. By the place of the component. */
export type Run = {
  readonly schedulingID: string;
  readonly stopped: Map<number, { readonly after: Milliseconds; readonly reason: string }>;
  readonly debugged: Set<number>;
};

export type Clusters = ReturnType<typeof clustersOf>;

export function clustersOf({ time, caller }: Pick<Surroundings, 'time' | 'caller'>) {
  const clusters = new Map<string, Version[]>();
  const last = { cluster: 0, configuration: 0, status: 0 };
  const brokenVersions = new Set<string>();

  const elapsedOf = ({ since, next }: GivenStatus) => (next?.since ?? time.now()) - since;
  const statusesOf = (given: GivenStatus) =>
    statusesUntil(given.status, elapsedOf(given), given.isBroken);
  const statusOf = ({ given }: Version): string => {
    const current = given.at(-1);
    return (current && statusesOf(current).at(-1)?.status) ?? '';
  };
  /** Of a cluster whose deletion is not finished. */
  const versionsOf = (runtimeId: string): readonly Version[] => {
    const versions = clusters.get(runtimeId) ?? [];
    const latest = versions.at(-1);
    if (!latest || statusOf(latest) !== 'gone') return versions;
    clusters.delete(runtimeId);
    return [];
  };
  const give = (version: Version, status: string, replaced = version) => {
    const since = time.now();
    const before = replaced.given.at(-1);
    if (before) before.next = { status, since };
    const { runtimeID, kymaConfig } = version.configuration;
    const works = workAfter(status) !== undefined && kymaConfig.components.length > 0;
    last.status += 1;
    version.given.push({
      id: last.status,
      status,
      since,
      at: time.date().getTime(),
      isBroken: brokenVersions.has(kymaConfig.version),
      run: works
        ? {
            schedulingID: `${runtimeID}--${randomUUID()}`,
            stopped: new Map(),
            debugged: new Set(),
          }
        : undefined,
    });
  };

  return {
    brokenVersions,
    elapsedOf,
    statusesOf,
    statusOf,
    versionsOf,
    give,
    latestOf: (runtimeId: string) => versionsOf(runtimeId).at(-1),
    all: () => [...clusters.keys()].map(versionsOf).filter(({ length }) => length > 0),
    apply(wanted: Configuration): Version {
      const versions = versionsOf(wanted.runtimeID);
      const latest = versions.at(-1);
      const disabled = latest !== undefined && statusOf(latest) === 'reconcile_disabled';
      const status = disabled ? 'reconcile_disabled' : 'reconcile_pending';
      if (latest && isDeepStrictEqual(latest.configuration, wanted)) {
        give(latest, status);
        return latest;
      }
      const sameCluster =
        latest &&
        isDeepStrictEqual(latest.configuration.runtimeInput, wanted.runtimeInput) &&
        isDeepStrictEqual(latest.configuration.metadata, wanted.metadata);
      if (!sameCluster) last.cluster += 1;
      last.configuration += 1;
      const version: Version = {
        number: last.configuration,
        clusterVersion: sameCluster ? latest.clusterVersion : last.cluster,
        configuration: wanted,
        askedBy: latest?.askedBy ?? caller(),
        given: [],
      };
      give(version, status, latest);
      clusters.set(wanted.runtimeID, [...versions, version]);
      return version;
    },
    state: keptWith(keeping({ clusters, last, brokenVersions }), () => {
      for (const [runtimeId, versions] of clusters)
        clusters.set(
          runtimeId,
          versions.map((version) => ('given' in version ? version : withStatuses(version, time))),
        );
    }),
  };
}

const keptWith = (kept: KeptState, afterwards: () => void): KeptState => ({
  save: kept.save,
  restore(saved) {
    kept.restore(saved);
    afterwards();
  },
});

/** A landscape that was stopped before there were reconciliations kept the last status of each version alone. */
function withStatuses(old: Version, time: Surroundings['time']): Version {
  const { status, since, isBroken, replacedAt, ...version } = old as Version & OldVersion; // as it was kept then
  const at = time.date().getTime() - (time.now() - since);
  const next = replacedAt === undefined ? {} : { next: { status, since: replacedAt } };
  return { ...version, given: [{ id: 0, status, since, at, isBroken, ...next, run: undefined }] };
}
type OldVersion = {
  readonly status: string;
  readonly since: Milliseconds;
  readonly isBroken: boolean;
  readonly replacedAt?: Milliseconds;
};
