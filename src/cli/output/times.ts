import { days, hours, minutes, seconds, type Milliseconds } from '#time';

/** `2026/11/15 13:55:35`, in UTC like everything the services say. */
export function timeText(time: string | undefined | null): string {
  if (!time) return '';
  const date = new Date(time);
  if (Number.isNaN(date.getTime())) return time;
  return date.toISOString().slice(0, 19).replace('T', ' ').replaceAll('-', '/');
}

const units = [
  ['d', days(1)],
  ['h', hours(1)],
  ['m', minutes(1)],
  ['s', seconds(1)],
] as const;

/** In its largest unit, for narrow columns: `3m`, `2h`; `0s` for less than a second. */
export function roughly(duration: Milliseconds): string {
  for (const [unit, size] of units)
    if (duration >= size) return `${Math.floor(duration / size)}${unit}`;
  return '0s';
}

export const since = (time: string, now: Date): Milliseconds =>
  Math.max(0, now.getTime() - new Date(time).getTime());
