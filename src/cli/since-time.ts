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
  const [, count, unit] = /^(\d{1,6})([smhd])$/.exec(text) ?? [];
  if (count !== undefined && unit !== undefined)
    return new Date(now.getTime() - Number(count) * (units[unit] ?? 0)).toISOString();
  if (/^\d{4}-\d\d-\d\dT/.test(text) && !Number.isNaN(Date.parse(text)))
    return new Date(text).toISOString();
  throw usage(`${flag} is ${text}: write 30m, 2h, 7d or a time like 2026-11-15T13:00:00Z`);
}
