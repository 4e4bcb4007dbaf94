const second = 1_000;
const minute = 60 * second;
const hour = 60 * minute;
const day = 24 * hour;

/** `1.2 s`, `4 min 10 s`, `3 h 5 min`, `2 d 4 h`: two units at most. */
export function inWords(duration: number): string {
  const ms = Math.max(0, duration);
  if (ms < second) return `${Math.round(ms)} ms`;
  if (ms < 10 * second) return `${(ms / second).toFixed(1)} s`;
  if (ms < minute) return `${Math.round(ms / second)} s`;
  if (ms < hour) return two(ms, minute, 'min', second, 's');
  if (ms < day) return two(ms, hour, 'h', minute, 'min');
  return two(ms, day, 'd', hour, 'h');
}

function two(ms: number, large: number, largeName: string, small: number, smallName: string) {
  const rounded = Math.round(ms / small) * small;
  const rest = Math.round((rounded % large) / small);
  return `${Math.floor(rounded / large)} ${largeName}${rest > 0 ? ` ${rest} ${smallName}` : ''}`;
}

/** `just now`, `in 12 s`, `3 min ago`: one unit. */
export function fromNow(at: number, now: number): string {
  const distance = Math.abs(at - now);
  if (distance < 1.5 * second) return 'just now';
  const text =
    distance < 59.5 * second
      ? `${Math.round(distance / second)} s`
      : distance < 59.5 * minute
        ? `${Math.round(distance / minute)} min`
        : distance < 2 * day
          ? `${Math.round(distance / hour)} h`
          : `${Math.round(distance / day)} d`;
  return at > now ? `in ${text}` : `${text} ago`;
}

/** Round distances for the marks of a time axis, so that there are at most this many. */
export function tickDistance(span: number, most: number): number {
  const steps = [
    ...[1, 2, 5].flatMap((each) => [each, each * 10, each * 100]).toSorted((a, b) => a - b),
    ...[1, 2, 5, 10, 15, 30].map((each) => each * second),
    ...[1, 2, 5, 10, 15, 30].map((each) => each * minute),
    ...[1, 2, 3, 6, 12].map((each) => each * hour),
    ...[1, 2, 7, 14, 30, 90, 365].map((each) => each * day),
  ];
  return steps.find((each) => span / each <= most) ?? 365 * day;
}
