import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inspect } from 'node:util';
import { seconds } from '#time';
import { ias, iasWith } from '../../landscape/ias/testing.ts';
import { startLandscape, type Landscape } from '../../landscape/testing.ts';
import { iasClient, type IasClient, type IasSettings } from './ias-client.ts';
import { serviceProviderKinds, serviceProviderName } from './service-provider-kinds.ts';
import { failuresOf } from '../testing.ts';

const { signal } = new AbortController();
const canary = 'canary-secret';
const { grafana, dex } = serviceProviderKinds;
const name = serviceProviderName(grafana, '11111111-2222');
const host = 'grafana.c-1a2b3c4.example.com';
const sps = '/service/sps';

/** New providers are visible at once, where a test is about something else. */
const start = () => startLandscape({ systems: [iasWith({ visibleAfter: 0 })] });

const clientOf = (landscape: Landscape, more: Partial<IasSettings> = {}) =>
  iasClient({
    url: `${landscape.url}/ias/`,
    userId: 'broker',
    userSecret: canary,
    identityProvider: 'https://idp.example.com',
    ...more,
  });

const failsWith = failuresOf('ias', canary);

const answer = (
  landscape: Landscape,
  status: number,
  { path = '', body = canary }: { path?: string; body?: string } = {},
) =>
  landscape.faults.add({
    system: 'ias',
    path,
    action: {
      kind: 'answer',
      status,
      body,
      headers: status === 429 ? { 'retry-after': '7' } : {},
    },
  });

async function created(client: IasClient) {
  await client.createServiceProvider(name, signal);
  return found(client);
}

async function found(client: IasClient) {
  const provider = await client.findServiceProvider(name, signal);
  assert.ok(provider);
  return provider;
}

const inventory = (landscape: Landscape) => landscape.inventory()['ias']?.['serviceProviders'];

test('a service provider is created, configured and deleted by its name', async () => {
  await using landscape = await start();
  const client = clientOf(landscape);
  assert.equal(await client.findServiceProvider(name, signal), undefined);
  const provider = await created(client);
  await client.configureServiceProvider(provider, grafana, signal);
  const secret = await client.generateSecret(provider, signal);
  assert.equal(secret.clientId, provider.userForRest);
  await client.setSignOn(provider.id, grafana, host, signal);
  assert.deepEqual(inventory(landscape), [
    {
      id: provider.id,
      name: 'SKR Grafana (instanceID: 11111111-2222)',
      ssoType: 'openIdConnect',
      returnsTo: [`https://${host}/login/generic_oauth`],
      attributes: {
        first_name: 'firstName',
        last_name: 'lastName',
        email: 'mail',
        groups: 'companyGroups',
      },
      subject: 'mail',
      identityProvider: '5e46ad8cc92edc106b93893b',
      letsIn: ['skr-monitoring-admin', 'skr-monitoring-viewer'],
      letsInOthers: false,
      secrets: 1,
      askedBy: 'kyma-control-plane',
    },
  ]);
  await client.deleteServiceProvider(name, signal);
  assert.deepEqual(inventory(landscape), []);
});

test('a provider for Dex signs on by SAML', async () => {
  await using landscape = await start();
  const client = clientOf(landscape);
  const { id } = await created(client);
  await client.setSignOn(id, dex, 'dex.c-1a2b3c4.example.com', signal);
  assert.partialDeepStrictEqual(inventory(landscape), [
    { ssoType: 'saml2', returnsTo: ['https://dex.c-1a2b3c4.example.com/callback'] },
  ]);
});

test('a new provider is not visible at once', async () => {
  await using landscape = await startLandscape({ systems: [ias] });
  const client = clientOf(landscape);
  await client.createServiceProvider(name, signal);
  assert.equal(await client.findServiceProvider(name, signal), undefined);
  landscape.time.advance(seconds(2));
  await found(client);
});

test('of two providers with one name the first is found, and both are deleted', async () => {
  await using landscape = await start();
  const client = clientOf(landscape);
  const first = await created(client);
  const second = await created(client);
  assert.equal(second.id, first.id);
  const another = serviceProviderName(dex, '11111111-2222');
  await client.createServiceProvider(another, signal);
  await client.deleteServiceProvider(name, signal);
  assert.equal(inventory(landscape)?.length, 1);
  assert.partialDeepStrictEqual(inventory(landscape), [{ name: another }]);
});

test('deleting what is not there sends nothing, and what has just gone is a success', async () => {
  await using landscape = await start();
  const client = clientOf(landscape);
  await client.deleteServiceProvider(name, signal);
  assert.deepEqual(
    landscape.requests.map(({ method }) => method),
    ['GET'],
  );
  await created(client);
  answer(landscape, 404, { path: `${sps}/delete` });
  await client.deleteServiceProvider(name, signal);
});

test('a configuration may be repeated, and keeps what somebody has set for a required attribute', async () => {
  await using landscape = await start();
  const client = clientOf(landscape);
  const provider = await created(client);
  const assertionAttributes = [
    { assertionAttribute: 'email', userAttribute: 'privateMail' },
    { assertionAttribute: 'shoe_size', userAttribute: 'shoeSize' },
  ];
  await client.configureServiceProvider({ ...provider, assertionAttributes }, grafana, signal);
  await client.configureServiceProvider(await found(client), grafana, signal);
  const attributes = {
    first_name: 'firstName',
    last_name: 'lastName',
    email: 'privateMail',
    groups: 'companyGroups',
  };
  assert.partialDeepStrictEqual(inventory(landscape), [{ attributes }]);
  const { assertionAttributes: kept } = await found(client);
  assert.equal(kept.length, 4);
});

test('a new secret replaces all that were there, also one whose answer was lost', async () => {
  await using landscape = await start();
  const client = clientOf(landscape);
  await client.generateSecret(await created(client), signal);
  landscape.faults.add({
    system: 'ias',
    method: 'PUT',
    path: `${sps}$`,
    count: 1,
    action: { kind: 'lost answer' },
  });
  await assert.rejects(
    client.generateSecret(await found(client), signal),
    failsWith({ temporary: true, reason: 'unreachable' }),
  );
  await client.generateSecret(await found(client), signal);
  assert.partialDeepStrictEqual(inventory(landscape), [{ secrets: 1 }]);
});

test('old secrets that have just gone do not hinder a new one', async () => {
  await using landscape = await start();
  const client = clientOf(landscape);
  await client.generateSecret(await created(client), signal);
  answer(landscape, 404, { path: 'clientSecret' });
  await client.generateSecret(await found(client), signal);
});

test('a company without our identity provider is not ours: nothing is found or deleted there', async () => {
  await using landscape = await start();
  await created(clientOf(landscape));
  const client = clientOf(landscape, { identityProvider: 'https://unknown.example.com' });
  const failure = failsWith({ temporary: false, reason: 'no_identity_provider' });
  await assert.rejects(client.findServiceProvider(name, signal), failure);
  await assert.rejects(client.deleteServiceProvider(name, signal), failure);
  assert.equal(inventory(landscape)?.length, 1);
});

test('a name that cannot be sent as it is, is refused before it is sent', async () => {
  await using landscape = await start();
  await assert.rejects(
    clientOf(landscape).createServiceProvider('SKR Grafana&company_id=other', signal),
    failsWith({ temporary: false, reason: 'unusable_name' }),
  );
  assert.equal(landscape.requests.length, 0);
});

for (const [status, temporary] of [
  [202, false],
  [400, false],
  [401, false],
  [403, false],
  [404, false],
  [408, true],
  [409, false],
  [429, true],
  [500, true],
  [502, true],
] as const) {
  test(`status ${status} is ${temporary ? 'temporary' : 'permanent'}`, async () => {
    await using landscape = await start();
    const client = clientOf(landscape);
    const provider = await created(client);
    answer(landscape, status);
    const failure = failsWith({
      temporary,
      reason: 'err_http_status_code',
      status,
      ...(status === 429 && { retryAfter: seconds(7) }),
    });
    await assert.rejects(client.findServiceProvider(name, signal), failure);
    await assert.rejects(client.createServiceProvider(name, signal), failure);
    await assert.rejects(client.configureServiceProvider(provider, grafana, signal), failure);
    await assert.rejects(client.setSignOn(provider.id, grafana, host, signal), failure);
    await assert.rejects(client.generateSecret(provider, signal), failure);
    await assert.rejects(client.deleteServiceProvider(name, signal), failure);
  });
}

test('a user without the right secret is refused for good', async () => {
  await using landscape = await start();
  await assert.rejects(
    clientOf(landscape, { userSecret: '' }).findServiceProvider(name, signal),
    failsWith({ temporary: false, status: 401 }),
  );
  assert.equal(landscape.requests.length, 1);
});

test('providers of others may look odd; ours are checked, and the message names the field', async () => {
  await using landscape = await start();
  const client = clientOf(landscape);
  const idp = { id: 'i', name: 'https://idp.example.com' };
  const documentWith = (ours: object) =>
    JSON.stringify({
      service_providers: [{ id: 5 }, { display_name: null }, { display_name: name, ...ours }],
      identity_providers: [{ id: null, name: 'odd' }, idp],
    });
  const fault = answer(landscape, 200, {
    body: documentWith({ id: 'p', assertion_attributes: null, ssoType: 'somethingNew' }),
  });
  assert.deepEqual(await client.findServiceProvider(name, signal), {
    id: 'p',
    assertionAttributes: [],
    secretIds: [],
    userForRest: '',
    identityProviderId: 'i',
  });
  landscape.faults.remove(fault);
  answer(landscape, 200, { body: documentWith({ id: '' }) });
  await assert.rejects(client.findServiceProvider(name, signal), (error: Error) => {
    assert.match(error.message, /service_providers\.0\.id: /);
    return failsWith({ temporary: true, reason: 'wrong_answer' })(error);
  });
});

test('a creation whose answer was lost has happened: it is found when one looks again', async () => {
  await using landscape = await start();
  const client = clientOf(landscape);
  landscape.faults.add({
    system: 'ias',
    method: 'POST',
    count: 1,
    action: { kind: 'lost answer' },
  });
  await assert.rejects(
    client.createServiceProvider(name, signal),
    failsWith({ temporary: true, reason: 'unreachable' }),
  );
  await found(client);
});

test('a call ends at its timeout and at its signal', async () => {
  await using landscape = await start();
  landscape.faults.add({ system: 'ias', action: { kind: 'delay', for: 60_000 } });
  const client = clientOf(landscape, { timeout: 20 });
  await assert.rejects(
    client.findServiceProvider(name, signal),
    failsWith({ temporary: true, reason: 'unreachable' }),
  );
  const reason = new Error('canceled');
  await assert.rejects(client.deleteServiceProvider(name, AbortSignal.abort(reason)), reason);
});

test('neither the client nor the inventory shows a secret', async () => {
  await using landscape = await start();
  const client = clientOf(landscape);
  const { clientSecret } = await client.generateSecret(await created(client), signal);
  assert.doesNotMatch(inspect(client, { depth: 9, showHidden: true }), new RegExp(canary));
  assert.doesNotMatch(
    JSON.stringify(inventory(landscape)),
    new RegExp(`${canary}|${clientSecret}`),
  );
});
