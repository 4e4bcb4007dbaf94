import { days, hours, minutes, seconds, type Milliseconds } from '#time';

export const weekdays = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'] as const;
export type Weekday = (typeof weekdays)[number];

/** When a runtime may be worked on, week for week. Times are `HHMMSS` with an offset of their own: 210000+0000. */
export type WindowTimes = {
  readonly days: readonly Weekday[];
  readonly opens: string;
  readonly closes: string;
};

export type Window = { readonly begin: Date; readonly end: Date };

/**
 * The window that is open at that time, or else the next one. Days are those on which it opens, where its clock stands;
 * one that closes before it opens closes on the next day.
 */
export function windowAt(times: WindowTimes, at: Date): Window {
  const opens = timeOfDay(times.opens);
  const closes = timeOfDay(times.closes);
  // The midnight of the day, as its own clock shows it. Yesterday's window may still be open.
  const today = Math.floor((at.getTime() + opens.offset) / days(1)) * days(1);
  for (let midnight = today - days(1); ; midnight += days(1)) {
    if (!isAllowed(times.days, midnight)) continue;
    const begin = midnight + opens.time - opens.offset;
    let end = midnight + closes.time - closes.offset;
    while (end <= begin) end += days(1);
    if (end > at.getTime()) return { begin: new Date(begin), end: new Date(end) };
  }
}

/** Whether it can be understood. */
export const isTimeOfDay = (text: string): boolean => form.test(text);

const form = /^([01]\d|2[0-3])([0-5]\d)([0-5]\d)([+-])(\d{2})([0-5]\d)$/;

function timeOfDay(text: string): { readonly time: Milliseconds; readonly offset: Milliseconds } {
  const read = form.exec(text);
  if (!read) throw new Error(`${text} is no time of a day like 210000+0000`);
  const [, hour, minute, second, sign, zoneHours, zoneMinutes] = read;
  const offset = hours(Number(zoneHours)) + minutes(Number(zoneMinutes));
  return {
    time: hours(Number(hour)) + minutes(Number(minute)) + seconds(Number(second)),
    offset: sign === '-' ? -offset : offset,
  };
}

function isAllowed(allowed: readonly Weekday[], midnight: Milliseconds): boolean {
  const day = weekdays[(new Date(midnight).getUTCDay() + 6) % 7];
  return allowed.length === 0 || (day !== undefined && allowed.includes(day));
}
