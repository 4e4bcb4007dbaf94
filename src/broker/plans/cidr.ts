import { isIPv4 } from 'node:net';

/** A range of IPv4 addresses. */
export type Cidr = {
  /** As a number of 32 bits. */
  readonly address: number;
  readonly prefix: number;
};

export function parseCidr(text: string): Cidr | undefined {
  const [address = '', prefix = '', ...rest] = text.split('/');
  if (!isIPv4(address) || !/^(?:[0-9]|[12][0-9]|3[0-2])$/.test(prefix) || rest.length > 0) {
    return undefined;
  }
  const bytes = address.split('.').map(Number);
  return { address: bytes.reduce((sum, byte) => sum * 256 + byte, 0), prefix: Number(prefix) };
}

export function formatCidr({ address, prefix }: Cidr): string {
  return `${formatAddress(address)}/${prefix}`;
}

export function formatAddress(address: number): string {
  return [24, 16, 8, 0].map((shift) => (address >>> shift) & 255).join('.');
}

/** Whether the address is the first one of the range. */
export function isCanonical({ address, prefix }: Cidr): boolean {
  return address % sizeOf(prefix) === 0;
}

/** Of two ranges that overlap, one contains the other. */
export function overlap(one: Cidr, other: Cidr): boolean {
  const size = sizeOf(Math.min(one.prefix, other.prefix));
  return Math.floor(one.address / size) === Math.floor(other.address / size);
}

/** The index-th of the blocks into which a range falls when its prefix grows by so many bits. */
export function block(range: Cidr, bits: number, index: number): Cidr {
  const prefix = range.prefix + bits;
  if (index >= 2 ** bits || prefix > 32) {
    throw new RangeError(`${formatCidr(range)} has no block ${index} of /${prefix}`);
  }
  return { address: range.address + index * sizeOf(prefix), prefix };
}

const sizeOf = (prefix: number) => 2 ** (32 - prefix);
