// The few parts of ASN.1 in DER that certificates and requests consist of.

export const tags = {
  boolean: 0x01,
  integer: 0x02,
  bitString: 0x03,
  octetString: 0x04,
  null: 0x05,
  oid: 0x06,
  utf8String: 0x0c,
  utcTime: 0x17,
  sequence: 0x30,
  set: 0x31,
  /** What they mean depends on where they stand. */
  context: (number: number, form: 'plain' | 'constructed') =>
    (form === 'plain' ? 0x80 : 0xa0) | number,
} as const;

export const oids = {
  commonName: Buffer.from('550403', 'hex'),
  organization: Buffer.from('55040a', 'hex'),
  organizationalUnit: Buffer.from('55040b', 'hex'),
  subjectAltName: Buffer.from('551d11', 'hex'),
  basicConstraints: Buffer.from('551d13', 'hex'),
  sha256WithRsa: Buffer.from('2a864886f70d01010b', 'hex'),
  sha256WithEcdsa: Buffer.from('2a8648ce3d040302', 'hex'),
} as const;

export function element(tag: number, ...parts: readonly Buffer[]): Buffer {
  const content = Buffer.concat(parts);
  return Buffer.concat([Buffer.from([tag, ...lengthOf(content)]), content]);
}

/** Up to 127 in one byte; else their number, and then the bytes, the highest first. */
function lengthOf({ length }: Buffer): number[] {
  if (length < 0x80) return [length];
  const bytes: number[] = [];
  for (let rest = length; rest > 0; rest >>= 8) bytes.unshift(rest & 0xff);
  return [0x80 | bytes.length, ...bytes];
}

export const sequence = (...parts: readonly Buffer[]): Buffer => element(tags.sequence, ...parts);

/** One part of a distinguished name. */
export const named = (oid: Buffer, value: string): Buffer =>
  element(tags.set, sequence(element(tags.oid, oid), element(tags.utf8String, Buffer.from(value))));

/** A signature, and other things of whole bytes. */
export const bits = (bytes: Buffer): Buffer => element(tags.bitString, Buffer.from([0]), bytes);

export const pem = (label: string, der: Buffer): string =>
  [
    `-----BEGIN ${label}-----`,
    ...(der.toString('base64').match(/.{1,64}/g) ?? []),
    `-----END ${label}-----`,
    '',
  ].join('\n');
