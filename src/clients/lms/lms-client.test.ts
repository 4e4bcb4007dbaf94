import assert from 'node:assert/strict';
import { test } from 'node:test';
import { minutes, seconds } from '#time';
import { lms } from '../../landscape/lms/testing.ts';
import { startLandscape, type Landscape } from '../../landscape/testing.ts';
import { certificateRequest } from './certificate-request.ts';
import { lmsClient, type LmsSettings } from './lms-client.ts';
import { failuresOf } from '../testing.ts';

const { signal } = new AbortController();
const tenant = { name: 'ga0a1b', region: 'eu' };
const canary = 'canary-secret';
const { csr } = await certificateRequest('ga-0a1b');

const startLms = () => startLandscape({ systems: [lms] });

const clientOf = (landscape: Landscape, more: Partial<LmsSettings> = {}) =>
  lmsClient({
    url: `${landscape.url}/lms`,
    token: canary,
    clusterType: 'single-node',
    environment: 'dev',
    samlTenant: 'saml.example.com',
    ...more,
  });

const failsWith = failuresOf('lms', canary);

const answers = (
  landscape: Landscape,
  path: string,
  status: number,
  body: string,
  headers: Record<string, string> = {},
) =>
  landscape.faults.add({
    system: 'lms',
    path,
    probability: 1,
    action: { kind: 'answer', status, body, headers },
  });

test('a tenant is created, and is ready once both of its parts can be reached', async () => {
  await using landscape = await startLms();
  const client = clientOf(landscape);
  const id = await client.createTenant(tenant, signal);
  assert.equal((await client.tenantStatus(id, signal)).ready, false);
  landscape.time.advance(minutes(4));
  assert.equal((await client.tenantStatus(id, signal)).ready, false);
  landscape.time.advance(minutes(1));
  assert.equal((await client.tenantStatus(id, signal)).ready, true);
  assert.equal(await client.tenantDns(id, signal), `${id}.lms.example.com`);
  assert.deepEqual(landscape.inventory()['lms'], {
    tenants: [{ id, ...tenant, ready: true, askedBy: 'kyma-control-plane' }],
    certificates: [],
  });
});

test('a certificate is there some time after it was requested, and the CA with the tenant', async () => {
  await using landscape = await startLms();
  const client = clientOf(landscape);
  const id = await client.createTenant(tenant, signal);
  const url = await client.requestCertificate(id, csr, signal);
  assert.equal(await client.certificate(url, signal), undefined);
  assert.equal(await client.caCertificate(id, signal), undefined);
  landscape.time.advance(minutes(5));
  assert.match((await client.certificate(url, signal)) ?? '', /^-----BEGIN CERTIFICATE-----/);
  assert.match((await client.caCertificate(id, signal)) ?? '', /^-----BEGIN CERTIFICATE-----/);
});

test('a tenant whose answer was lost exists twice when it is asked for again', async () => {
  await using landscape = await startLms();
  const client = clientOf(landscape);
  const action = { kind: 'lost answer' } as const;
  landscape.faults.add({ system: 'lms', method: 'POST', count: 1, probability: 1, action });
  await assert.rejects(
    client.createTenant(tenant, signal),
    failsWith({ temporary: true, reason: 'unreachable' }),
  );
  await client.createTenant(tenant, signal);
  assert.equal(landscape.inventory()['lms']?.['tenants']?.length, 2);
});

test('a broken connection is temporary', async () => {
  await using landscape = await startLms();
  landscape.faults.add({ system: 'lms', probability: 1, action: { kind: 'reset' } });
  await assert.rejects(
    clientOf(landscape).caCertificate('t', signal),
    failsWith({ temporary: true, reason: 'unreachable' }),
  );
});

for (const status of [400, 401, 403, 404, 408, 429, 500, 503]) {
  test(`status ${status} for a tenant is permanent`, async () => {
    await using landscape = await startLms();
    const body = JSON.stringify({ message: canary, error: canary });
    answers(landscape, 'tenants', status, body, status === 429 ? { 'retry-after': '7' } : {});
    const client = clientOf(landscape);
    const expected = {
      temporary: false,
      status,
      reason: 'err_http_status_code',
      ...(status === 429 && { retryAfter: seconds(7) }),
    };
    await assert.rejects(client.createTenant(tenant, signal), failsWith(expected));
    await assert.rejects(client.tenantStatus('t', signal), failsWith(expected));
    await assert.rejects(client.tenantDns('t', signal), failsWith(expected));
    await assert.rejects(client.requestCertificate('t', csr, signal), failsWith(expected));
  });
}

test('an error for a certificate is permanent, but for the 404 of one that is not there yet', async () => {
  await using landscape = await startLms();
  answers(landscape, 'certs', 500, '<html>');
  const expected = { temporary: false, status: 500, reason: 'err_http_status_code' };
  const client = clientOf(landscape);
  await assert.rejects(client.caCertificate('t', signal), failsWith(expected));
  await assert.rejects(client.certificate('tenants/t/certs/0', signal), failsWith(expected));
  landscape.faults.remove();
  answers(landscape, 'certs', 404, '<html>');
  assert.equal(await client.certificate('tenants/t/certs/0', signal), undefined);
});

test('an error page is a wrong answer, and permanent', async () => {
  await using landscape = await startLms();
  answers(landscape, 'tenants', 500, `<html>${canary}</html>`);
  await assert.rejects(
    clientOf(landscape).createTenant(tenant, signal),
    failsWith({ temporary: false, reason: 'wrong_answer', status: 500 }),
  );
});

test('an answer of the wrong shape names the field', async () => {
  await using landscape = await startLms();
  answers(landscape, 'tenants$', 200, '{"id":7}');
  answers(landscape, 'certs$', 200, '{}');
  const client = clientOf(landscape);
  const names = (field: RegExp) => (error: Error) => {
    assert.match(error.message, field);
    return failsWith({ reason: 'wrong_answer' })(error);
  };
  await assert.rejects(client.createTenant(tenant, signal), names(/expected: id:/));
  await assert.rejects(client.requestCertificate('t', csr, signal), names(/callbackUrl/));
});

test('states are passed on as they are, and a part that is not mentioned is not ready', async () => {
  await using landscape = await startLms();
  answers(landscape, 'status$', 200, '{"kibanaDNSResolves":true,"kibanaState":"ultraviolet"}');
  assert.deepEqual(await clientOf(landscape).tenantStatus('t', signal), {
    ready: false,
    kibanaState: 'ultraviolet',
  });
});

test('both spellings of the callback URL are understood', async () => {
  await using landscape = await startLms();
  const client = clientOf(landscape);
  for (const field of ['callbackUrl', 'callbackURL']) {
    landscape.faults.remove();
    answers(landscape, 'certs$', 201, JSON.stringify({ [field]: 'https://lms.example.com/c/1' }));
    const url = await client.requestCertificate('t', csr, signal);
    assert.equal(url, 'https://lms.example.com/c/1');
  }
});

test('the token goes to no other server, whatever URL a certificate is said to have', async () => {
  await using landscape = await startLms();
  await using other = await startLms();
  const expected = failsWith({ temporary: false, reason: 'foreign_url' });
  for (const url of [`${other.url}/lms/tenants/t/certs/0`, 'file:///etc/passwd', 'http://'])
    await assert.rejects(clientOf(landscape).certificate(url, signal), expected);
  assert.equal(other.requests.length, 0);
});

test('LMS refuses who brings no token, and what it cannot use', async () => {
  await using landscape = await startLms();
  const refused = (status: number) => failsWith({ temporary: false, status });
  const stranger = clientOf(landscape, { token: '' });
  await assert.rejects(stranger.createTenant(tenant, signal), refused(401));
  const client = clientOf(landscape);
  const name = 'not-only-letters';
  await assert.rejects(client.createTenant({ ...tenant, name }, signal), refused(400));
  await assert.rejects(client.tenantStatus('unknown', signal), refused(404));
  const id = await client.createTenant(tenant, signal);
  await assert.rejects(client.requestCertificate(id, 'no request', signal), refused(400));
});

test('a call ends at its signal', async () => {
  await using landscape = await startLms();
  const reason = new Error('canceled');
  const aborted = AbortSignal.abort(reason);
  await assert.rejects(clientOf(landscape).createTenant(tenant, aborted), reason);
  assert.equal(landscape.requests.length, 0);
});
