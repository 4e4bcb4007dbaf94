import type { WaveCount } from './upgrades-table.ts';

/** How far an orchestration has come. Each runtime counts once, but for attempts that failed and were followed by others. */
export type Progress = {
  readonly total: number;
  readonly pending: number;
  readonly inProgress: number;
  readonly succeeded: number;
  readonly failed: number;
  readonly canceled: number;
  /** The one that is on, or the last. */
  readonly wave: number;
  readonly waves: number;
};

/** What processing wants to know besides. */
export type Standing = Progress & {
  /** In the waves that have begun. */
  readonly inBegunWaves: number;
  /** Nothing of the wave has begun, and the last of the one before ended then. */
  readonly waveBefore: Date | undefined;
};

export function standingOf(counts: readonly WaveCount[]): Standing {
  const counted = counts.filter(({ superseded }) => !superseded);
  const sum = (fits: (count: WaveCount) => boolean) =>
    counted.filter(fits).reduce((total, { count }) => total + count, 0);
  const waves = Math.max(0, ...counted.map((each) => each.wave));
  const isOpen = ({ state }: WaveCount) => state === 'pending' || state === 'in progress';
  const wave = Math.min(waves, ...counted.filter(isOpen).map((each) => each.wave));
  const hasBegun = (which: number) =>
    counts.some(
      (each) => each.wave === which && each.state !== 'pending' && each.state !== 'canceled',
    );
  const ends = counts.flatMap((each) => (each.wave < wave && each.lastEnd ? [each.lastEnd] : []));
  const lastEnd = ends.reduce<Date | undefined>(
    (last, end) => (last && last > end ? last : end),
    undefined,
  );
  return {
    total: sum(() => true),
    pending: sum(({ state }) => state === 'pending'),
    inProgress: sum(({ state }) => state === 'in progress'),
    succeeded: sum(({ state }) => state === 'succeeded'),
    failed: sum(({ state }) => state === 'failed'),
    canceled: sum(({ state }) => state === 'canceled'),
    wave,
    waves,
    inBegunWaves: sum((each) => hasBegun(each.wave)),
    waveBefore: hasBegun(wave) ? undefined : lastEnd,
  };
}

/** '12 of 14 upgrades succeeded, 2 failed'. */
export function inWords({ total, succeeded, failed, canceled }: Progress): string {
  const others = [
    ...(failed > 0 ? [`${failed} failed`] : []),
    ...(canceled > 0 ? [`${canceled} canceled`] : []),
  ];
  if (total === 0) return 'there was nothing to upgrade';
  return [`${succeeded} of ${total} upgrades succeeded`, ...others].join(', ');
}
