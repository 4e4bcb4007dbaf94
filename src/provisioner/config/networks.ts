/** An IPv4 network, as the numbers of its first and its last address. */
type Network = { readonly first: number; readonly last: number };

/** Undefined for what is no network, or has bits beyond its prefix: Gardener takes neither. */
export function parseNetwork(cidr: string): Network | undefined {
  const [, address = '', prefix = ''] =
    /^((?:\d{1,3}\.){3}\d{1,3})\/(\d|[12]\d|3[0-2])$/.exec(cidr) ?? [];
  const bytes = address.split('.');
  if (bytes.length !== 4 || bytes.some((byte) => String(Number(byte)) !== byte)) return undefined;
  if (bytes.some((byte) => Number(byte) > 255)) return undefined;
  const first = bytes.reduce((sum, byte) => sum * 256 + Number(byte), 0);
  const size = 2 ** (32 - Number(prefix));
  return first % size === 0 ? { first, last: first + size - 1 } : undefined;
}

export const isNetwork = (cidr: string): boolean => parseNetwork(cidr) !== undefined;

/** What is no network overlaps nothing, and lies in everything: another rule refuses it. */
export function overlap(one: string, other: string): boolean {
  const [a, b] = [parseNetwork(one), parseNetwork(other)];
  return a !== undefined && b !== undefined && a.first <= b.last && b.first <= a.last;
}

export function liesWithin(inner: string, outer: string): boolean {
  const [a, b] = [parseNetwork(inner), parseNetwork(outer)];
  return a === undefined || b === undefined || (b.first <= a.first && a.last <= b.last);
}
