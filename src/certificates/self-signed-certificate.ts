import { generateKeyPairSync, randomBytes, sign } from 'node:crypto';
import { days } from '#time';
import { bits, element, named, oids, pem, sequence, tags } from './der.ts';

/** A server's certificate that is its own authority, for this machine alone: a key on P-256, good for ten years. */
export function selfSignedCertificate(commonName: string): { key: string; certificate: string } {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const name = sequence(named(oids.commonName, commonName));
  const algorithm = sequence(element(tags.oid, oids.sha256WithEcdsa));
  const version3 = element(tags.context(0, 'constructed'), element(tags.integer, Buffer.from([2])));
  const serial = element(tags.integer, Buffer.from([1]), randomBytes(15)); // begins with 1: positive
  const now = Date.now();
  const validity = sequence(utcTime(now - days(1)), utcTime(now + days(3_650)));
  const info = sequence(
    version3,
    serial,
    algorithm,
    name,
    validity,
    name,
    publicKey.export({ type: 'spki', format: 'der' }),
    element(tags.context(3, 'constructed'), sequence(isAuthority, isThisMachine)),
  );
  return {
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }),
    certificate: pem(
      'CERTIFICATE',
      sequence(info, algorithm, bits(sign('sha256', info, privateKey))),
    ),
  };
}

const yes = element(tags.boolean, Buffer.from([0xff]));
const isAuthority = sequence(
  element(tags.oid, oids.basicConstraints),
  yes, // critical
  element(tags.octetString, sequence(yes)),
);
const isThisMachine = sequence(
  element(tags.oid, oids.subjectAltName),
  element(
    tags.octetString,
    sequence(
      element(tags.context(7, 'plain'), Buffer.from([127, 0, 0, 1])),
      element(tags.context(2, 'plain'), Buffer.from('localhost')),
    ),
  ),
);

/** YYMMDDHHMMSSZ. */
const utcTime = (at: number) =>
  element(
    tags.utcTime,
    Buffer.from(`${new Date(at).toISOString().replace(/\D/g, '').slice(2, 14)}Z`),
  );
