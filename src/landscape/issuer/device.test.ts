import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decodeJwt } from 'jose';
import { minutes, seconds } from '#time';
import { startLandscape, type Landscape } from '../landscape.ts';
import { choose, deviceGrant, issuer, openPage, post } from './testing.ts';

/** A device that has asked for its codes, and the people around it. */
async function startDevice() {
  const landscape = await startLandscape({ systems: [issuer] });
  const { body } = await post(landscape, '/device_authorization', {
    client_id: 'kcp',
    scope: 'openid',
  });
  const form = {
    grant_type: deviceGrant,
    client_id: 'kcp',
    device_code: String(body['device_code']),
  };
  return {
    landscape,
    body,
    userCode: String(body['user_code']),
    poll: (more = {}) => post(landscape, '/token', { ...form, ...more }),
    [Symbol.asyncDispose]: () => landscape[Symbol.asyncDispose](),
  };
}
const decide = async ({ url }: Landscape, decision: unknown) => {
  const response = await fetch(`${url}/issuer/_device`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(decision),
  });
  return response.status;
};

test('a device gets a code to show, and where to enter it', async () => {
  await using device = await startDevice();
  const { landscape, body, userCode } = device;
  assert.match(userCode, /^[B-Z]{4}-[B-Z]{4}$/);
  assert.equal(body['verification_uri'], `${landscape.url}/issuer/device`);
  assert.equal(
    body['verification_uri_complete'],
    `${landscape.url}/issuer/device?user_code=${userCode}`,
  );
  assert.equal(body['expires_in'], 600);
  assert.equal(body['interval'], 5);
});

test('a device waits until its code is approved, and gets the tokens of that user once', async () => {
  await using device = await startDevice();
  const { landscape, userCode, poll } = device;
  assert.equal((await poll()).body['error'], 'authorization_pending');
  const typed = userCode.toLowerCase().replace('-', ' ');
  assert.equal(await decide(landscape, { user_code: typed, username: 'operator' }), 204);
  landscape.time.advance(seconds(5));
  const { status, body } = await poll();
  assert.equal(status, 200);
  assert.equal(decodeJwt(String(body['access_token'])).sub, 'operator');
  assert.ok(body['id_token']);
  landscape.time.advance(seconds(5));
  assert.equal((await poll()).body['error'], 'invalid_grant');
});

test('a code is approved on the page as well', async () => {
  await using device = await startDevice();
  const { landscape, userCode, poll } = device;
  const page = await openPage(landscape, '/device', { user_code: userCode });
  assert.equal((await choose(page, 'viewer')).status, 200);
  const { body } = await poll();
  assert.equal(decodeJwt(String(body['access_token'])).sub, 'viewer');
});

for (const [how, refuse] of [
  [
    'by a call',
    (landscape: Landscape, code: string) => decide(landscape, { user_code: code, username: null }),
  ],
  [
    'on the page',
    async (landscape: Landscape, code: string) =>
      choose(await openPage(landscape, '/device', { user_code: code }), ''),
  ],
] as const) {
  test(`a device whose code is refused ${how} is told so`, async () => {
    await using device = await startDevice();
    await refuse(device.landscape, device.userCode);
    assert.equal((await device.poll()).body['error'], 'access_denied');
  });
}

test('a device that asks too often has to slow down', async () => {
  await using device = await startDevice();
  const { landscape, poll } = device;
  assert.equal((await poll()).body['error'], 'authorization_pending');
  assert.equal((await poll()).body['error'], 'slow_down');
  landscape.time.advance(seconds(6));
  assert.equal((await poll()).body['error'], 'slow_down'); // ten seconds by now
  landscape.time.advance(seconds(15));
  assert.equal((await poll()).body['error'], 'authorization_pending');
});

test('a code that has expired can be neither approved nor used', async () => {
  await using device = await startDevice();
  const { landscape, userCode, poll } = device;
  landscape.time.advance(minutes(10));
  assert.equal(await decide(landscape, { user_code: userCode, username: 'admin' }), 404);
  assert.equal((await poll()).body['error'], 'expired_token');
});

test('only what waits can be decided, once, for a user who exists', async () => {
  await using device = await startDevice();
  const { landscape, userCode } = device;
  assert.equal(await decide(landscape, { user_code: 'BBBB-BBBB', username: 'admin' }), 404);
  assert.equal(await decide(landscape, { user_code: userCode, username: 'nobody' }), 404);
  assert.equal(await decide(landscape, { user_code: userCode }), 400);
  assert.equal(await decide(landscape, { user_code: userCode, username: 'admin' }), 204);
  assert.equal(await decide(landscape, { user_code: userCode, username: 'guest' }), 404);
});

test('a device code is of no use to another client, and an invented one to nobody', async () => {
  await using device = await startDevice();
  const { landscape, poll } = device;
  assert.equal((await poll({ device_code: 'invented' })).body['error'], 'invalid_grant');
  assert.equal((await poll({ client_id: 'console' })).body['error'], 'unauthorized_client');
  const refused = await post(landscape, '/device_authorization', { client_id: 'console' });
  assert.equal(refused.body['error'], 'unauthorized_client');
});
