export const idPattern = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g;

/** What differs by nature in two runs that do the same. */
export type Differences = {
  /** Members, wherever they stand. */
  readonly ignored?: readonly string[];
  /** Names that are drawn anew each time. */
  readonly drawn?: RegExp;
};

/**
 * The same for two runs that did the same: ids and drawn names are numbered in the order in which they appear, so that
 * what belongs together still does; times, and the place where the landscape listens, are left out.
 */
export function comparable(value: unknown, { ignored = [], drawn }: Differences = {}): unknown {
  const numbers = new Map<string, string>();
  const numbered = (id: string) => numbers.getOrInsertComputed(id, () => `id ${numbers.size + 1}`);
  const text = JSON.stringify(value, (key, member: unknown) =>
    ignored.includes(key) ? undefined : inOrder(member),
  );
  return JSON.parse(
    text
      .replaceAll(idPattern, numbered)
      .replaceAll(drawn ?? never, numbered)
      .replaceAll(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z/g, 'some time')
      .replaceAll(/127\.0\.0\.1:\d+/g, 'landscape'),
  );
}

const never = /(?!)/g;

/** By name: otherwise the numbers of ids would depend on who wrote which member first. */
const inOrder = (member: unknown): unknown =>
  typeof member === 'object' && member !== null && !Array.isArray(member)
    ? Object.fromEntries(Object.entries(member).toSorted(([a], [b]) => (a < b ? -1 : 1)))
    : member;
