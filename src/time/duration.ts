/** Every duration in this code base is a number of milliseconds, made by one of the functions below. */
export type Milliseconds = number;

export const milliseconds = (n: number): Milliseconds => n;
export const seconds = (n: number): Milliseconds => n * 1_000;
export const minutes = (n: number): Milliseconds => n * 60_000;
export const hours = (n: number): Milliseconds => n * 3_600_000;
export const days = (n: number): Milliseconds => n * 86_400_000;

const units = [
  ['d', days(1)],
  ['h', hours(1)],
  ['min', minutes(1)],
  ['s', seconds(1)],
  ['ms', 1],
] as const;

/** A duration as people say it, in its two largest units: '1 h 30 min', '45 s', '0 ms'. */
export function inWords(duration: Milliseconds): string {
  let rest = Math.max(0, Math.round(duration));
  const parts: string[] = [];
  for (const [unit, size] of units) {
    const count = Math.floor(rest / size);
    rest -= count * size;
    if (count > 0) parts.push(`${count} ${unit}`);
    else if (parts.length > 0) break;
    if (parts.length === 2) break;
  }
  return parts.join(' ') || '0 ms';
}
