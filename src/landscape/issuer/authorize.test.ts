import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createRemoteJWKSet, jwtVerify } from 'jose';
import { minutes } from '#time';
import { startLandscape, type Landscape } from '../landscape.ts';
import {
  authorizationRequest,
  choose,
  codeFor,
  issuer,
  openPage,
  post,
  redirectUri,
  sentBack,
  users,
} from './testing.ts';

const start = () => startLandscape({ systems: [issuer] });
const authorize = (landscape: Landscape, more = {}) =>
  openPage(landscape, '/authorize', authorizationRequest(more).query);
const errorOf = async (landscape: Landscape, form: Readonly<Record<string, string>>) =>
  (await post(landscape, '/token', form)).body['error'];

test('the page lists the users of the demo, and sends the browser back with a code and its state', async () => {
  await using landscape = await start();
  const page = await authorize(landscape, { state: `"><script>alert('&')` });
  assert.equal(page.status, 200);
  assert.match(page.headers.get('content-type') ?? '', /^text\/html/);
  const html = await page.clone().text();
  for (const { name } of users) assert.ok(html.includes(`value="${name}"`), name);
  assert.doesNotMatch(html, /<script/);
  const response = await choose(page, 'admin');
  assert.equal(response.status, 303);
  const { origin, pathname, searchParams } = sentBack(response);
  assert.equal(origin + pathname, redirectUri);
  assert.equal(searchParams.get('state'), `"><script>alert('&')`);
  assert.equal(searchParams.get('iss'), `${landscape.url}/issuer`);
  assert.ok(searchParams.get('code'));
});

test('a code becomes tokens: the id token is for the client and has the nonce', async () => {
  await using landscape = await start();
  const form = await codeFor(landscape, 'admin', { nonce: 'nonce-7' });
  const { status, body } = await post(landscape, '/token', form);
  assert.equal(status, 200);
  const keys = createRemoteJWKSet(new URL(`${landscape.url}/issuer/jwks`));
  const expected = { issuer: `${landscape.url}/issuer`, audience: 'console', typ: 'JWT' };
  const { payload } = await jwtVerify(String(body['id_token']), keys, expected);
  assert.equal(payload['nonce'], 'nonce-7');
  assert.equal(payload.sub, 'admin');
  assert.equal(payload['email'], 'admin@kyma.example');
  assert.deepEqual(payload['groups'], ['runtimeAdmin', 'orchestrationsAdmin']);
  assert.ok(body['refresh_token']);
  const access = await jwtVerify(String(body['access_token']), keys);
  assert.equal(access.payload['scope'], 'openid email profile groups');
});

test('without the scope openid there is no id token', async () => {
  await using landscape = await start();
  const form = await codeFor(landscape, 'admin', { scope: 'broker:write' });
  const { body } = await post(landscape, '/token', form);
  assert.equal(body['scope'], 'broker:write');
  assert.equal('id_token' in body, false);
});

for (const [what, more] of [
  ['a wrong verifier', { code_verifier: 'x'.repeat(43) }],
  ['no verifier', { code_verifier: '' }],
  ['another redirect URI', { redirect_uri: 'http://127.0.0.1:8001/callback' }],
  ['another client', { client_id: 'kcp' }],
  ['an invented code', { code: 'invented' }],
] as const) {
  test(`a code is refused with ${what}`, async () => {
    await using landscape = await start();
    const form = await codeFor(landscape, 'admin');
    assert.equal(await errorOf(landscape, { ...form, ...more }), 'invalid_grant');
  });
}

test('a code is good for one try, and a second one ends the session that came of it', async () => {
  await using landscape = await start();
  const form = await codeFor(landscape, 'admin');
  const { body } = await post(landscape, '/token', form);
  assert.equal(await errorOf(landscape, form), 'invalid_grant');
  const refresh = {
    grant_type: 'refresh_token',
    client_id: 'console',
    refresh_token: String(body['refresh_token']),
  };
  assert.equal(await errorOf(landscape, refresh), 'invalid_grant');
  const other = await codeFor(landscape, 'admin');
  assert.equal(
    await errorOf(landscape, { ...other, code_verifier: 'x'.repeat(43) }),
    'invalid_grant',
  );
  assert.equal(await errorOf(landscape, other), 'invalid_grant');
});

test('a code expires within a minute', async () => {
  await using landscape = await start();
  const form = await codeFor(landscape, 'admin');
  landscape.time.advance(minutes(1));
  assert.equal(await errorOf(landscape, form), 'invalid_grant');
});

for (const uri of [
  'http://evil.example/callback',
  'http://127.0.0.1:8000/elsewhere',
  'http://127.0.0.1:8000/callback?more=1',
  'http://127.0.0.1:8000/callback#fragment',
  'http://127.0.0.1@evil.example/callback',
  'http://user@127.0.0.1:8000/callback',
  'https://127.0.0.1:8000/callback',
  'http://127.0.0.1.evil.example/callback',
  'javascript:alert(1)',
  '',
]) {
  test(`the browser is not sent to ${uri || 'nowhere'}`, async () => {
    await using landscape = await start();
    const page = await authorize(landscape, { redirect_uri: uri });
    assert.equal(page.status, 400);
    assert.equal(page.headers.has('location'), false);
    const { query } = authorizationRequest({ redirect_uri: uri });
    const posted = await fetch(`${landscape.url}/issuer/authorize`, {
      method: 'POST',
      body: new URLSearchParams({ ...query, username: 'admin' }),
      redirect: 'manual',
    });
    assert.equal(posted.status, 400);
    assert.equal(posted.headers.has('location'), false);
  });
}

test('the browser is not sent anywhere for a client that nobody knows', async () => {
  await using landscape = await start();
  const page = await authorize(landscape, { client_id: 'nobody' });
  assert.equal(page.status, 400);
  assert.equal(page.headers.has('location'), false);
});

for (const uri of [
  'http://127.0.0.1:18000',
  'http://localhost:1/callback',
  'http://[::1]:5000/console/',
]) {
  test(`the browser is sent to ${uri}, whatever the port`, async () => {
    await using landscape = await start();
    const form = await codeFor(landscape, 'viewer', { redirect_uri: uri });
    assert.equal((await post(landscape, '/token', form)).status, 200);
  });
}

for (const [what, more, error] of [
  ['another response type', { response_type: 'token' }, 'unsupported_response_type'],
  ['a plain challenge', { code_challenge_method: 'plain' }, 'invalid_request'],
  ['no challenge', { code_challenge: '' }, 'invalid_request'],
  ['a scope of others', { scope: 'openid root' }, 'invalid_scope'],
  ['no question to the user', { prompt: 'none' }, 'login_required'],
] as const) {
  test(`a request with ${what} goes back as ${error}`, async () => {
    await using landscape = await start();
    const response = await authorize(landscape, more);
    assert.equal(response.status, 303);
    const { searchParams } = sentBack(response);
    assert.equal(searchParams.get('error'), error);
    assert.equal(searchParams.get('state'), 'state-1');
    assert.equal(searchParams.has('code'), false);
  });
}

for (const username of ['', 'nobody']) {
  test(`who chooses ${username || 'to cancel'} goes back without a code`, async () => {
    await using landscape = await start();
    const response = await choose(await authorize(landscape), username);
    const { searchParams } = sentBack(response);
    assert.equal(searchParams.get('error'), 'access_denied');
    assert.equal(searchParams.has('code'), false);
  });
}

test('the end of a session ends its refresh token and userinfo, and sends the browser where it may go', async () => {
  await using landscape = await start();
  const { body } = await post(landscape, '/token', await codeFor(landscape, 'admin'));
  const end = (more: Record<string, string>) => openPage(landscape, '/end_session', more);
  const stranger = await end({ id_token_hint: 'invented', client_id: 'console' });
  assert.equal(stranger.status, 200);
  assert.equal(landscape.inventory()['issuer']?.['sessions']?.length, 1);
  const target = 'http://127.0.0.1:8000/console/';
  const ended = await end({
    id_token_hint: String(body['id_token']),
    post_logout_redirect_uri: target,
    state: 'bye',
  });
  assert.equal(sentBack(ended).href, `${target}?state=bye`);
  assert.deepEqual(landscape.inventory()['issuer']?.['sessions'], []);
  const refresh = {
    grant_type: 'refresh_token',
    client_id: 'console',
    refresh_token: String(body['refresh_token']),
  };
  assert.equal(await errorOf(landscape, refresh), 'invalid_grant');
  const userInfo = await fetch(`${landscape.url}/issuer/userinfo`, {
    headers: { authorization: `Bearer ${String(body['access_token'])}` },
  });
  assert.equal(userInfo.status, 401);
  const elsewhere = await end({
    client_id: 'console',
    post_logout_redirect_uri: 'http://evil.example/',
  });
  assert.equal(elsewhere.status, 200);
});
