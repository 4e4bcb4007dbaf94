import { days, hours, minutes, seconds } from '#time';
import { usage } from './problem.ts';

const units: Readonly<Record<string, number>> = {
  s: seconds(1),
  m: minutes(1),
  h: hours(1),
  d: days(1),
};

/** `2h`, `30m` or `7d` before now, or a time in RFC 3339; as the services read it. */
export function sinceTime(flag: string, text: string | undefined, now: Date): string | undefined {
  if (text === undefined) return undefined;
  const time = timeIn(text, now);
  if (time !== undefined) return time;
  throw usage(`${flag} is ${text}: write 30m, 2h, 7d or a time like 2026-11-15T13:00:00Z`);
}

/** The same, or as kcp shows times: `2026/11/15 13:00:00`, in this order or the other, the day or the time of today alone. */
export function shownTime(
  flag: '--before' | '--after',
  text: string | undefined,
  now: Date,
): string | undefined {
  if (text === undefined) return undefined;
  const time = timeIn(text, now) ?? dayAndTimeIn(text, now, flag === '--after');
  if (time !== undefined) return time;
  throw usage(
    `${flag} is ${text}: write 2026/11/15 13:00:00, 2026/11/15, 13:00:00, 30m, 2h, 7d or 2026-11-15T13:00:00Z`,
  );
}

/** A day alone is at its beginning, or at its end. */
function dayAndTimeIn(text: string, now: Date, isAtEnd: boolean): string | undefined {
  const words = text.split(' ');
  const day = words.find((word) => /^\d{4}\/\d\d\/\d\d$/.test(word));
  const time = words.find((word) => /^\d\d:\d\d:\d\d$/.test(word));
  if (words.length !== [day, time].filter(Boolean).length) return undefined;
  const date = day?.replaceAll('/', '-') ?? now.toISOString().slice(0, 10);
  const whole = `${date}T${time ?? (isAtEnd ? '23:59:59' : '00:00:00')}.000Z`;
  const read = new Date(whole);
  // A day that the month does not have would become one of the next.
  return Number.isNaN(read.getTime()) || read.toISOString() !== whole ? undefined : whole;
}

function timeIn(text: string, now: Date): string | undefined {
  const [, count, unit] = /^(\d{1,6})([smhd])$/.exec(text) ?? [];
  if (count !== undefined && unit !== undefined)
    return new Date(now.getTime() - Number(count) * (units[unit] ?? 0)).toISOString();
  if (/^\d{4}-\d\d-\d\dT/.test(text) && !Number.isNaN(Date.parse(text)))
    return new Date(text).toISOString();
  return undefined;
}
