import { createHash } from 'node:crypto';
import type { Milliseconds } from '#time';
import { workAfter } from './cluster-status.ts';
import type { Clusters, GivenStatus, Run, Version } from './clusters.ts';

/** One run over the components of a version: at work, or what is left of it. */
export type Reconciliation = {
  readonly version: Version;
  readonly given: GivenStatus;
  readonly run: Run;
};

export const reconciliationsOf = (versions: readonly Version[]): Reconciliation[] =>
  versions.flatMap((version) =>
    version.given.flatMap((given) => (given.run ? [{ version, given, run: given.run }] : [])),
  );

export const dateAt = ({ at }: GivenStatus, after: Milliseconds) => new Date(at + after);

/** As lists show it. The lock is the cluster's while the work goes on. */
export function summaryOf(clusters: Clusters, { version, given, run }: Reconciliation) {
  const { runtimeID } = version.configuration;
  const last = clusters.statusesOf(given).at(-1);
  const elapsed = clusters.elapsedOf(given);
  const isTakenOver = given.next !== undefined && !isWorkedOff(given, elapsed);
  const finished = isTakenOver || isWorkedOff(given, elapsed);
  return {
    lock: finished ? '' : runtimeID,
    runtimeID,
    schedulingID: run.schedulingID,
    created: dateAt(given, 0),
    updated: dateAt(given, isTakenOver ? elapsed : (last?.from ?? 0)),
    status: isTakenOver ? given.next?.status : last?.status,
    finished,
  };
}

/**
 * One for each component, in their order. What cannot be installed stops at the first one that nobody has left out; what
 * another status has taken over leaves orphans.
 */
export function operationsOf(clusters: Clusters, { version, given, run }: Reconciliation) {
  const { components } = version.configuration.kymaConfig;
  const { waits, lasts } = workAfter(given.status) ?? { waits: 0, lasts: 0 };
  const isDeletion = given.status.startsWith('delete');
  const elapsed = clusters.elapsedOf(given);
  const isTakenOver = given.next !== undefined && !isWorkedOff(given, elapsed);
  const failing =
    given.isBroken && !isDeletion ? components.findIndex((_, at) => !run.stopped.has(at)) : -1;
  return components.map(({ component }, place) => {
    const begins = waits + (place * lasts) / components.length;
    const stopped = run.stopped.get(place);
    const course = stopped
      ? [{ state: 'done', from: stopped.after, reason: stopped.reason }]
      : failing === -1
        ? [
            { state: 'in_progress', from: begins },
            { state: 'done', from: begins + lasts / components.length },
          ]
        : failing === place
          ? [
              { state: 'in_progress', from: begins },
              { state: 'error', from: waits + lasts, reason: 'timeout' },
            ]
          : [];
    const now = course.findLast(({ from }) => from <= elapsed) ?? { state: 'new', from: 0 };
    const isOrphan = isTakenOver && (now.state === 'new' || now.state === 'in_progress');
    return {
      priority: place + 1,
      schedulingID: run.schedulingID,
      correlationID: correlationId(version, run, place),
      component,
      state: isOrphan ? 'orphan' : now.state,
      reason: 'reason' in now ? now.reason : '',
      created: dateAt(given, 0),
      updated: dateAt(given, isOrphan ? elapsed : now.from),
      type: isDeletion ? 'delete' : 'reconcile',
    };
  });
}

const isWorkedOff = ({ status }: GivenStatus, elapsed: Milliseconds) => {
  const work = workAfter(status);
  return work !== undefined && elapsed >= work.waits + work.lasts;
};

/** Derived, so that nobody has to keep thousands of them. Of the real one's form: the cluster's id, and a UUID. */
function correlationId({ configuration }: Version, { schedulingID }: Run, place: number): string {
  const digest = createHash('sha256').update(`${schedulingID} ${place}`).digest('hex');
  const parts = /^(.{8})(.{4})(.{4})(.{4})(.{12})/.exec(digest)?.slice(1) ?? [];
  return `${configuration.runtimeID}--${parts.join('-')}`;
}

/** Ids of reconciliations and operations begin with the cluster's. */
export const runtimeIdIn = (id: string): string => id.replace(/--[^-]+(?:-[^-]+){4}$/, '');
