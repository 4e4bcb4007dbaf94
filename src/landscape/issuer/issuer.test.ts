import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inspect } from 'node:util';
import {
  createRemoteJWKSet,
  decodeJwt,
  decodeProtectedHeader,
  errors,
  jwtVerify,
  UnsecuredJWT,
  type JWTVerifyOptions,
} from 'jose';
import { hours, seconds } from '#time';
import { startLandscape, type Landscape } from '../landscape.ts';
import {
  audience,
  clients,
  issuer,
  passwordForm,
  platformToken,
  post,
  userToken,
  users,
} from './testing.ts';

const start = () => startLandscape({ systems: [issuer] });
const platform = ['platform', 'platform-demo-secret'] as const;
const asPlatform = { grant_type: 'client_credentials' };

/** As our services will: by what the issuer publishes. */
const verify = (landscape: Landscape, token: string, options: JWTVerifyOptions = {}) =>
  jwtVerify(token, createRemoteJWKSet(new URL(`${landscape.url}/issuer/jwks`)), {
    issuer: `${landscape.url}/issuer`,
    audience,
    algorithms: ['ES256'],
    ...options,
  });
const admin = (landscape: Landscape, method: string, path: string, body?: unknown) =>
  fetch(`${landscape.url}/issuer${path}`, {
    method,
    ...(body !== undefined && {
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    }),
  });

test('the discovery document names the issuer by its own address, and endpoints that exist', async () => {
  await using landscape = await start();
  const base = `${landscape.url}/issuer`;
  const response = await fetch(`${base}/.well-known/openid-configuration`);
  const document = (await response.json()) as Record<string, unknown>;
  assert.equal(document['issuer'], base);
  assert.deepEqual(document['code_challenge_methods_supported'], ['S256']);
  assert.deepEqual(document['id_token_signing_alg_values_supported'], ['ES256']);
  const endpoints = Object.entries(document).filter(([name]) => /_(endpoint|uri)$/.test(name));
  assert.equal(endpoints.length, 6);
  for (const [name, url] of endpoints) {
    const { status } = await fetch(String(url), {
      method: /^(token|device)/.test(name) ? 'POST' : 'GET',
    });
    assert.notEqual(status, 404, name);
    assert.ok(status < 500, name);
  }
});

test('the platform gets a token that a service can verify, with the scopes that it asked for', async () => {
  await using landscape = await start();
  const before = Math.floor(Date.now() / 1_000);
  const { status, headers, body } = await post(
    landscape,
    '/token',
    { ...asPlatform, scope: 'broker:write' },
    platform,
  );
  assert.equal(status, 200);
  assert.equal(headers.get('cache-control'), 'no-store');
  const { access_token: token, ...rest } = body;
  assert.deepEqual(rest, { token_type: 'bearer', expires_in: 3600, scope: 'broker:write' });
  const { payload, protectedHeader } = await verify(landscape, String(token), { typ: 'at+jwt' });
  assert.equal(protectedHeader.alg, 'ES256');
  const { iat = 0, nbf, exp, jti, ...claims } = payload;
  assert.ok(iat >= before && iat <= before + 5);
  assert.equal(nbf, iat);
  assert.equal(exp, iat + 3600);
  assert.match(String(jti), /^[\da-f-]{36}$/);
  assert.deepEqual(claims, {
    iss: `${landscape.url}/issuer`,
    sub: 'platform',
    aud: audience,
    client_id: 'platform',
    scope: 'broker:write',
    scp: ['broker:write'],
    groups: [],
  });
});

test('a client that asks for no scope gets all of its own, and its credentials may be in the form', async () => {
  await using landscape = await start();
  const form = { ...asPlatform, client_id: platform[0], client_secret: platform[1] };
  const { body } = await post(landscape, '/token', form);
  assert.equal(body['scope'], 'broker:write cld:read');
});

test('every token has an id of its own', async () => {
  await using landscape = await start();
  const tokens = await Promise.all([platformToken(landscape), platformToken(landscape)]);
  assert.equal(new Set(tokens.map((token) => decodeJwt(token).jti)).size, 2);
});

for (const [username, groups, scope] of [
  ['admin', ['runtimeAdmin', 'orchestrationsAdmin'], 'openid broker:write'],
  ['operator', ['runtimeOperator'], 'openid'],
  ['orchestrator', ['orchestrationsAdmin'], 'openid'],
  ['viewer', ['runtimeViewer'], 'openid'],
  ['customer', [], 'openid broker:write'],
  ['guest', [], 'openid'],
] as const) {
  test(`${username} logs in to kcp with a password, is in ${groups.join(' and ') || 'no group'}, and allows ${scope}`, async () => {
    await using landscape = await start();
    const form = { ...passwordForm(username), scope: 'openid broker:write' };
    const { body } = await post(landscape, '/token', form);
    const { payload } = await verify(landscape, String(body['access_token']));
    assert.equal(payload.sub, username);
    assert.equal(payload['client_id'], 'kcp');
    assert.deepEqual(payload['groups'], groups);
    assert.equal(payload['scope'], scope);
    assert.equal(body['scope'], scope);
  });
}

for (const [what, form, basic, status, error] of [
  ['a wrong secret', asPlatform, ['platform', 'wrong'], 401, 'invalid_client'],
  ['no secret', { ...asPlatform, client_id: 'platform' }, undefined, 401, 'invalid_client'],
  ['an unknown client', asPlatform, ['nobody', 'x'], 401, 'invalid_client'],
  ['no client', asPlatform, undefined, 401, 'invalid_client'],
  [
    'a secret where there is none',
    passwordForm('admin'),
    ['kcp', 'anything'],
    401,
    'invalid_client',
  ],
  [
    'credentials in two places',
    { ...asPlatform, client_id: 'platform', client_secret: platform[1] },
    platform,
    400,
    'invalid_request',
  ],
  ['no grant type', {}, platform, 400, 'invalid_request'],
  ['an unknown grant type', { grant_type: 'implicit' }, platform, 400, 'unsupported_grant_type'],
  [
    'a grant type of others',
    { grant_type: 'client_credentials', client_id: 'kcp' },
    undefined,
    400,
    'unauthorized_client',
  ],
  [
    'a scope of others',
    { ...asPlatform, scope: 'broker:write' },
    ['reader', 'reader-demo-secret'],
    400,
    'invalid_scope',
  ],
  [
    'a wrong password',
    { ...passwordForm('admin'), password: 'wrong' },
    undefined,
    400,
    'invalid_grant',
  ],
  [
    'an unknown user',
    { ...passwordForm('admin'), username: 'nobody' },
    undefined,
    400,
    'invalid_grant',
  ],
] as const) {
  test(`a token request with ${what} is refused as ${error}`, async () => {
    await using landscape = await start();
    const answer = await post(landscape, '/token', form, basic);
    assert.equal(answer.status, status);
    assert.equal(answer.body['error'], error);
    assert.equal(answer.headers.has('www-authenticate'), status === 401);
    assert.equal('access_token' in answer.body, false);
  });
}

test('a parameter that is given twice is refused', async () => {
  await using landscape = await start();
  const form = new URLSearchParams([...Object.entries(asPlatform), ['scope', 'a'], ['scope', 'b']]);
  const { body } = await post(landscape, '/token', form, platform);
  assert.equal(body['error'], 'invalid_request');
});

test('a token request in JSON, and one without a body, are refused', async () => {
  await using landscape = await start();
  for (const body of [{ grant_type: 'client_credentials', client_id: 'platform' }, undefined]) {
    assert.equal((await admin(landscape, 'POST', '/token', body)).status, 401);
  }
});

test('a token is valid until it expires, and not for another audience or issuer', async () => {
  await using landscape = await start();
  const token = await platformToken(landscape);
  const { exp = 0, nbf = 0 } = decodeJwt(token);
  const at = (time: number) => verify(landscape, token, { currentDate: new Date(seconds(time)) });
  await at(nbf);
  await at(exp - 1);
  await assert.rejects(at(exp), errors.JWTExpired);
  await assert.rejects(at(nbf - 1), errors.JWTClaimValidationFailed);
  for (const wrong of [{ audience: 'another' }, { issuer: landscape.url }])
    await assert.rejects(verify(landscape, token, wrong), errors.JWTClaimValidationFailed);
});

test('tokens can be made that have expired already', async () => {
  await using landscape = await start();
  const put = (value: unknown) => admin(landscape, 'PUT', '/_lifetime', { access_token: value });
  assert.equal((await put('long')).status, 400);
  assert.equal((await put(-1)).status, 204);
  await assert.rejects(verify(landscape, await platformToken(landscape)), errors.JWTExpired);
});

test('tokens tell real time, whatever the speed and however far the landscape was advanced', async () => {
  await using landscape = await startLandscape({ systems: [issuer], speed: 1_000 });
  landscape.time.advance(hours(100));
  await verify(landscape, await platformToken(landscape));
});

test('after a rotation new tokens have a new key, and the old ones stay valid until the next', async () => {
  await using landscape = await start();
  const keysOf = async () => {
    const response = await fetch(`${landscape.url}/issuer/jwks`);
    return ((await response.json()) as { keys: Record<string, string>[] }).keys;
  };
  const rotate = async () => assert.equal((await admin(landscape, 'POST', '/_rotate')).status, 200);
  const first = await platformToken(landscape);
  assert.equal((await keysOf()).length, 1);
  await rotate();
  const second = await platformToken(landscape);
  assert.notEqual(decodeProtectedHeader(first).kid, decodeProtectedHeader(second).kid);
  assert.equal((await keysOf()).length, 2);
  await verify(landscape, first);
  await verify(landscape, second);
  await rotate();
  assert.equal((await keysOf()).length, 2);
  await assert.rejects(verify(landscape, first), errors.JWKSNoMatchingKey);
  await verify(landscape, second);
  await verify(landscape, await platformToken(landscape));
});

test('a verifier that has fetched the keys before a rotation fetches them once more', async () => {
  await using landscape = await start();
  const keys = createRemoteJWKSet(new URL(`${landscape.url}/issuer/jwks`), { cooldownDuration: 0 });
  await jwtVerify(await platformToken(landscape), keys);
  await admin(landscape, 'POST', '/_rotate');
  await jwtVerify(await platformToken(landscape), keys);
});

test('what is published of the keys does not let anybody sign', async () => {
  await using landscape = await start();
  const response = await fetch(`${landscape.url}/issuer/jwks`);
  const { keys } = (await response.json()) as { keys: Record<string, string>[] };
  for (const key of keys)
    assert.deepEqual(Object.keys(key).toSorted(), ['alg', 'crv', 'kid', 'kty', 'use', 'x', 'y']);
});

test('no token is unsigned, and one that says so itself is no token', async () => {
  await using landscape = await start();
  const token = await platformToken(landscape);
  const { body } = await post(landscape, '/token', { ...passwordForm('admin'), scope: 'openid' });
  for (const each of [token, String(body['access_token']), String(body['id_token'])]) {
    assert.equal(decodeProtectedHeader(each).alg, 'ES256');
    assert.match(each, /^[\w-]+\.[\w-]+\.[\w-]{86}$/);
  }
  const forged = new UnsecuredJWT(decodeJwt(token)).encode();
  await assert.rejects(verify(landscape, forged), errors.JOSEAlgNotAllowed);
  const userInfo = await fetch(`${landscape.url}/issuer/userinfo`, {
    headers: { authorization: `Bearer ${forged}` },
  });
  assert.equal(userInfo.status, 401);
});

test('a refresh token gives new tokens once, and its second use ends the session', async () => {
  await using landscape = await start();
  const refresh = (token: unknown, more = {}) =>
    post(landscape, '/token', {
      grant_type: 'refresh_token',
      client_id: 'kcp',
      refresh_token: String(token),
      ...more,
    });
  const first = await post(landscape, '/token', passwordForm('admin'));
  const second = await refresh(first.body['refresh_token']);
  assert.equal(second.status, 200);
  await verify(landscape, String(second.body['access_token']));
  const narrowed = await refresh(second.body['refresh_token'], { scope: 'openid' });
  assert.equal(narrowed.body['scope'], 'openid');
  const stolen = await refresh(first.body['refresh_token']);
  assert.equal(stolen.body['error'], 'invalid_grant');
  const afterTheft = await refresh(narrowed.body['refresh_token']);
  assert.equal(afterTheft.body['error'], 'invalid_grant');
  assert.deepEqual(landscape.inventory()['issuer']?.['sessions'], []);
});

test('a refresh token is of no use to another client, without its session, or after a day', async () => {
  await using landscape = await start();
  const { body } = await post(landscape, '/token', passwordForm('admin'));
  const refresh = (client: string, token = body['refresh_token']) =>
    post(landscape, '/token', {
      grant_type: 'refresh_token',
      client_id: client,
      refresh_token: String(token),
    });
  assert.equal((await refresh('console')).body['error'], 'invalid_grant');
  assert.equal((await refresh('kcp', 'invented')).body['error'], 'invalid_grant');
  landscape.time.advance(hours(24));
  assert.equal((await refresh('kcp')).body['error'], 'invalid_grant');
});

test('userinfo says who stands behind a token, as far as its scopes reach, until it expires', async () => {
  await using landscape = await start();
  const ask = async (token: string) => {
    const response = await fetch(`${landscape.url}/issuer/userinfo`, {
      headers: { authorization: `Bearer ${token}` },
    });
    return { status: response.status, body: await response.json() };
  };
  const token = await userToken(landscape, 'operator');
  assert.deepEqual(await ask(token), {
    status: 200,
    body: {
      sub: 'operator',
      groups: ['runtimeOperator'],
      preferred_username: 'operator',
      name: 'Otto Operator',
      email: 'operator@kyma.example',
      email_verified: true,
    },
  });
  const form = { ...passwordForm('admin'), scope: 'profile' };
  const { body } = await post(landscape, '/token', form);
  assert.equal((await ask(String(body['access_token']))).status, 403);
  assert.equal((await ask(await platformToken(landscape))).status, 401);
  assert.equal((await ask('invented')).status, 401);
  landscape.time.advance(hours(1));
  assert.equal((await ask(token)).status, 401);
});

test('a browser may ask from another origin', async () => {
  await using landscape = await start();
  const preflight = await admin(landscape, 'OPTIONS', '/userinfo');
  assert.equal(preflight.status, 204);
  assert.match(preflight.headers.get('access-control-allow-headers') ?? '', /authorization/);
  const jwks = await fetch(`${landscape.url}/issuer/jwks`);
  assert.equal(jwks.headers.get('access-control-allow-origin'), '*');
});

test('the inventory and the list of requests hold no secret', async () => {
  await using landscape = await start();
  const token = await platformToken(landscape);
  const { body } = await post(landscape, '/token', passwordForm('admin'));
  const seen = inspect([landscape.inventory(), landscape.requests], { depth: 9 });
  for (const secret of [
    token,
    String(body['refresh_token']),
    ...users.map(({ password }) => password),
    // The secret of the client `demo` is its name, for everybody to know.
    ...clients.flatMap(({ id, secret = [] }) => (id === secret ? [] : secret)),
  ])
    assert.equal(seen.includes(secret), false);
});

test('people get a token where they expect it, and the client of the demo may do everything', async () => {
  await using landscape = await start();
  const response = await fetch(`${landscape.url}/oauth2/token`, {
    method: 'POST',
    headers: { authorization: `Basic ${Buffer.from('demo:demo').toString('base64')}` },
    body: new URLSearchParams({ grant_type: 'client_credentials' }),
  });
  const { access_token: token = '' } = (await response.json()) as { access_token?: string };
  const claims = JSON.parse(
    Buffer.from(token.split('.')[1] ?? '', 'base64url').toString(),
  ) as object;
  assert.partialDeepStrictEqual(claims, {
    sub: 'demo',
    scp: ['broker:write', 'cld:read', 'provisioner:write'],
    groups: ['runtimeAdmin', 'runtimeOperator', 'orchestrationsAdmin'],
  });
});
