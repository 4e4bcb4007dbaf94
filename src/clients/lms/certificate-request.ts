import { generateKeyPair, randomUUID, sign, type KeyObject } from 'node:crypto';
import { promisify } from 'node:util';

export type CertificateRequest = {
  /** PKCS #10, as PEM. */
  readonly csr: string;
  /** Shows itself only by `export`; LMS is never told. */
  readonly privateKey: KeyObject;
};

/** A new key for a log forwarder, and the request to certify it: RSA 2048, SHA-256, `CN=fluentbit`. */
export async function certificateRequest(globalAccountId: string): Promise<CertificateRequest> {
  const { publicKey, privateKey } = await promisify(generateKeyPair)('rsa', {
    modulusLength: 2048,
  });
  const subject = sequence(
    named(oids.organization, globalAccountId),
    named(oids.organizationalUnit, randomUUID()),
    named(oids.commonName, 'fluentbit'),
  );
  const version0 = element(tags.integer, Buffer.from([0]));
  const key = publicKey.export({ type: 'spki', format: 'der' });
  const info = sequence(version0, subject, key, element(tags.attributes));
  const algorithm = sequence(element(tags.oid, oids.sha256WithRsa), element(tags.null));
  const signature = element(tags.bitString, Buffer.from([0]), sign('sha256', info, privateKey));
  return { csr: pem(sequence(info, algorithm, signature)), privateKey };
}

// The few parts of ASN.1 in DER that a request consists of: Node reads certificates, but writes no requests.

const tags = {
  integer: 0x02,
  bitString: 0x03,
  null: 0x05,
  oid: 0x06,
  utf8String: 0x0c,
  sequence: 0x30,
  set: 0x31,
  attributes: 0xa0,
} as const;

const oids = {
  commonName: Buffer.from('550403', 'hex'),
  organization: Buffer.from('55040a', 'hex'),
  organizationalUnit: Buffer.from('55040b', 'hex'),
  sha256WithRsa: Buffer.from('2a864886f70d01010b', 'hex'),
} as const;

function element(tag: number, ...parts: readonly Buffer[]): Buffer {
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

const sequence = (...parts: readonly Buffer[]) => element(tags.sequence, ...parts);

const named = (oid: Buffer, value: string) =>
  element(tags.set, sequence(element(tags.oid, oid), element(tags.utf8String, Buffer.from(value))));

const pem = (der: Buffer) =>
  [
    '-----BEGIN CERTIFICATE REQUEST-----',
    ...(der.toString('base64').match(/.{1,64}/g) ?? []),
    '-----END CERTIFICATE REQUEST-----',
    '',
  ].join('\n');
