import { hours, minutes, seconds, type Milliseconds } from '#time';

const form = /^(?=\d)(?:(\d{1,4})h)?(?:(\d{1,5})m)?(?:(\d{1,6})s)?$/;

/** '1h30m', '10m', '45s'. */
export const isDuration = (text: string): boolean => form.test(text);

/** Of no text, none. */
export function durationOf(text: string | undefined): Milliseconds {
  const [, h = 0, m = 0, s = 0] = form.exec(text ?? '') ?? [];
  return hours(Number(h)) + minutes(Number(m)) + seconds(Number(s));
}
