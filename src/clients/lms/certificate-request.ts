import { generateKeyPair, randomUUID, type KeyObject } from 'node:crypto';
import { promisify } from 'node:util';
import { certificateRequest as requestFor } from '#certificates';

export type CertificateRequest = {
  /** PKCS #10, as PEM. */
  readonly csr: string;
  /** Shows itself only by `export`; LMS is never told. */
  readonly privateKey: KeyObject;
};

/** A new key for a log forwarder, and the request to certify it: RSA 2048, SHA-256, `CN=fluentbit`. */
export async function certificateRequest(globalAccountId: string): Promise<CertificateRequest> {
  const { privateKey } = await promisify(generateKeyPair)('rsa', { modulusLength: 2048 });
  const subject = {
    organization: globalAccountId,
    organizationalUnit: randomUUID(),
    commonName: 'fluentbit',
  };
  return { csr: requestFor(subject, privateKey), privateKey };
}
