import type { Milliseconds } from '#time';

/** Multiplied by a number. */
export const ms = `interval '1 millisecond'`;

export const inMs = (interval: string): string =>
  `(extract(epoch from ${interval}) * 1000)::float8`;

/** The database's time, ahead by the clock's offset. Replicas' own clocks may disagree; nobody asks them. */
export const nowAt = (offset: Milliseconds): string =>
  offset === 0 ? 'now()' : `(now() + ${offset} * ${ms})`;

const texts = new Map<string, string>();

/** A statement of the hot path: planned once per connection. With a clock that was moved it is a new one each time. */
export function prepared(
  name: string,
  offset: Milliseconds,
  text: (now: string) => string,
): { readonly name?: string; readonly text: string } {
  if (offset !== 0) return { text: text(nowAt(offset)) };
  const known = texts.get(name);
  if (known !== undefined) return { name, text: known };
  texts.set(name, text(nowAt(0)));
  return prepared(name, offset, text);
}
