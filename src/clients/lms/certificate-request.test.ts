import assert from 'node:assert/strict';
import { createPublicKey, verify } from 'node:crypto';
import { test } from 'node:test';
import { inspect } from 'node:util';
import { certificateRequest } from './certificate-request.ts';

const derOf = (pem: string) => Buffer.from(pem.replace(/-----.+-----/g, ''), 'base64');

/** The elements of a DER sequence, each with its head. */
function childrenOf(der: Buffer): Buffer[] {
  const children: Buffer[] = [];
  for (let at = headOf(der); at < der.length; at += children.at(-1)!.length)
    children.push(der.subarray(at, at + sizeOf(der.subarray(at))));
  return children;
}
const headOf = (der: Buffer) => 2 + (der[1]! & 0x80 ? der[1]! & 0x7f : 0);
const sizeOf = (der: Buffer) =>
  headOf(der) + (headOf(der) > 2 ? der.readUIntBE(2, headOf(der) - 2) : der[1]!);

test('a certificate request names the global account and is signed by its own key of 2048 bits', async () => {
  const { csr, privateKey } = await certificateRequest('ga-0a1b');
  assert.match(
    csr,
    /^-----BEGIN CERTIFICATE REQUEST-----\n[^]+\n-----END CERTIFICATE REQUEST-----\n$/,
  );
  assert.ok(csr.split('\n').every((line) => line.length <= 64));
  const [info, , signature] = childrenOf(derOf(csr));
  const [, subject, key] = childrenOf(info!);
  const publicKey = createPublicKey({ key: key!, format: 'der', type: 'spki' });
  assert.deepEqual(publicKey.asymmetricKeyDetails?.modulusLength, 2048);
  const headOfSignature = 5; // tag, three bytes of length, and the count of unused bits
  assert.ok(verify('sha256', info!, publicKey, signature!.subarray(headOfSignature)));
  assert.ok(createPublicKey(privateKey).equals(publicKey));
  assert.match(
    subject!.toString('latin1'),
    /ga-0a1b.+[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}.+fluentbit/s,
  );
});

test('a global account ID that is long or not ASCII fits too', async () => {
  const account = 'ä'.repeat(300);
  const { csr } = await certificateRequest(account);
  assert.ok(derOf(csr).includes(Buffer.from(account)));
});

test('a certificate request does not show its private key when it is logged', async () => {
  const request = await certificateRequest('ga');
  const shown = inspect(request, { depth: 9, showHidden: true }) + JSON.stringify(request);
  assert.doesNotMatch(shown, /PRIVATE KEY-----/);
  const key = request.privateKey.export({ type: 'pkcs1', format: 'pem' });
  const line = key.split('\n')[2] ?? '';
  assert.equal(line.length, 64);
  assert.equal(shown.includes(line), false);
});
