import assert from 'node:assert/strict';
import { createPrivateKey, X509Certificate } from 'node:crypto';
import { test } from 'node:test';
import { selfSignedCertificate } from './self-signed-certificate.ts';

test('a self-signed certificate is good for this machine, and for nothing else', () => {
  const { key, certificate } = selfSignedCertificate('landscape');
  const read = new X509Certificate(certificate);
  assert.equal(read.subject, 'CN=landscape');
  assert.equal(read.issuer, 'CN=landscape');
  assert.ok(read.verify(read.publicKey));
  assert.ok(read.checkPrivateKey(createPrivateKey(key)));
  assert.ok(read.ca);
  assert.equal(read.checkIP('127.0.0.1'), '127.0.0.1');
  assert.equal(read.checkHost('localhost'), 'localhost');
  assert.equal(read.checkHost('example.com'), undefined);
  assert.ok(read.validFromDate < new Date() && new Date() < read.validToDate);
});
