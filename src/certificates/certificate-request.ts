import { createPublicKey, sign, type KeyObject } from 'node:crypto';
import { bits, element, named, oids, pem, sequence, tags } from './der.ts';

export type Subject = Readonly<
  Record<'organization' | 'organizationalUnit' | 'commonName', string>
>;

/** A PKCS #10 request for a certificate on an RSA key, signed with SHA-256, as PEM. */
export function certificateRequest(subject: Subject, privateKey: KeyObject): string {
  const name = sequence(
    named(oids.organization, subject.organization),
    named(oids.organizationalUnit, subject.organizationalUnit),
    named(oids.commonName, subject.commonName),
  );
  const version0 = element(tags.integer, Buffer.from([0]));
  const key = createPublicKey(privateKey).export({ type: 'spki', format: 'der' });
  const noAttributes = element(tags.context(0, 'constructed'));
  const info = sequence(version0, name, key, noAttributes);
  const algorithm = sequence(element(tags.oid, oids.sha256WithRsa), element(tags.null));
  return pem(
    'CERTIFICATE REQUEST',
    sequence(info, algorithm, bits(sign('sha256', info, privateKey))),
  );
}
