import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { inspect } from 'node:util';
import { test } from 'node:test';
import { exportPKCS8, generateKeyPair, importPKCS8, SignJWT } from 'jose';
import { startLandscape } from '../landscape/testing.ts';
import { audience, issuer, platformToken, userToken } from '../landscape/issuer/testing.ts';
import { AccessDenied } from './access-denied.ts';
import { basicCredentials } from './basic-credentials.ts';
import { bearerTokens } from './bearer-tokens.ts';
import { gate } from './gate.ts';

const broker = { scope: 'broker:write' };
const operators = { anyGroupOf: ['runtimeAdmin', 'runtimeOperator'] };

async function start() {
  const landscape = await startLandscape({ systems: [issuer] });
  const settings = { issuer: `${landscape.url}/issuer`, audience };
  const { admit } = gate(bearerTokens(settings));
  return {
    landscape,
    settings,
    admit,
    [Symbol.asyncDispose]: () => landscape[Symbol.asyncDispose](),
  };
}

const refused = (status: number, reason?: string) => (error: unknown) => {
  assert.ok(error instanceof AccessDenied, inspect(error));
  assert.equal(error.status, status);
  if (reason !== undefined) assert.equal(error.reason, reason);
  return true;
};

const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
const claimsOf = (token: string) =>
  JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()) as object;

test('a token of the issuer tells who asks, and lets in whoever has the scope or the group', async () => {
  await using world = await start();
  const platform = await platformToken(world.landscape);
  const identity = await world.admit(`Bearer ${platform}`, broker);
  assert.deepEqual(identity, {
    subject: 'platform',
    client: 'platform',
    scopes: ['broker:write', 'cld:read'],
    groups: [],
  });
  const operator = await userToken(world.landscape, 'operator');
  assert.equal((await world.admit(`bearer ${operator}`, operators))?.subject, 'operator');
});

test('whoever lacks the right is known, and refused', async () => {
  await using world = await start();
  const reader = await platformToken(world.landscape, 'cld:read');
  await assert.rejects(world.admit(`Bearer ${reader}`, broker), refused(403, 'missing_right'));
  const guest = await userToken(world.landscape, 'guest');
  await assert.rejects(world.admit(`Bearer ${guest}`, operators), refused(403, 'missing_right'));
});

test('what everybody may do needs no token, not even a good one', async () => {
  await using world = await start();
  assert.equal(await world.admit(undefined, 'everybody'), undefined);
  assert.equal(await world.admit('Bearer nonsense', 'everybody'), undefined);
});

test('without credentials, with unreadable ones, or with a way that is not offered, nobody gets in', async () => {
  await using world = await start();
  await assert.rejects(world.admit(undefined, broker), refused(401, 'no_credentials'));
  await assert.rejects(world.admit('Bearer', broker), refused(401, 'malformed'));
  await assert.rejects(world.admit('Bearer a b', broker), refused(401, 'malformed'));
  await assert.rejects(world.admit('Basic YTpi', broker), refused(401, 'scheme'));
  await assert.rejects(gate().admit('Bearer x', broker), refused(401, 'scheme'));
});

test('tokens that are forged, unsigned, tampered with, or signed by a shared secret are refused', async () => {
  await using world = await start();
  const token = await platformToken(world.landscape);
  const [header = '', , signature = ''] = token.split('.');
  const claims = claimsOf(token);
  const admin = part({ ...claims, groups: ['runtimeAdmin'] });
  const { privateKey } = await generateKeyPair('RS256', { extractable: true });
  const stranger = await new SignJWT({ ...claims })
    .setProtectedHeader({ alg: 'RS256' })
    .sign(await importPKCS8(await exportPKCS8(privateKey), 'RS256'));
  const hmacHead = `${part({ alg: 'HS256', typ: 'JWT' })}.${part(claims)}`;
  const forged = {
    unsigned: `${part({ alg: 'none', typ: 'JWT' })}.${part(claims)}.`,
    tampered: `${header}.${admin}.${signature}`,
    'of a stranger': stranger,
    'signed by a secret': `${hmacHead}.${createHmac('sha256', 'secret').update(hmacHead).digest('base64url')}`,
    nonsense: 'abc.def.ghi',
  };
  for (const [what, each] of Object.entries(forged)) {
    await assert.rejects(world.admit(`Bearer ${each}`, broker), refused(401), what);
  }
});

test('tokens of another issuer, for another audience, or expired, are refused', async () => {
  await using world = await start();
  await using other = await start();
  const foreign = await platformToken(other.landscape);
  await assert.rejects(world.admit(`Bearer ${foreign}`, broker), refused(401));
  const elsewhere = gate(bearerTokens({ ...world.settings, audience: 'another service' }));
  const token = await platformToken(world.landscape);
  await assert.rejects(elsewhere.admit(`Bearer ${token}`, broker), refused(401));
  await fetch(`${world.settings.issuer}/_lifetime`, {
    method: 'PUT',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ access_token: -10 }),
  });
  const old = await platformToken(world.landscape);
  await assert.rejects(world.admit(`Bearer ${old}`, broker), refused(401, 'ERR_JWT_EXPIRED'));
});

test('an issuer that cannot be reached is no reason to let anybody in, and none to turn them away for good', async () => {
  await using world = await start();
  const token = await platformToken(world.landscape);
  const id = world.landscape.faults.add({
    system: 'issuer',
    action: { kind: 'answer', status: 503 },
  });
  await assert.rejects(world.admit(`Bearer ${token}`, broker), /cannot be had/);
  world.landscape.faults.remove(id);
  assert.ok(await world.admit(`Bearer ${token}`, broker));
});

test('basic credentials let in the one who has them, with the rights that were given to them', async () => {
  const { admit } = gate(
    basicCredentials({ username: 'cf', password: 'a:b' }, { scopes: ['broker:write'], groups: [] }),
  );
  const basic = (text: string) => `Basic ${Buffer.from(text).toString('base64')}`;
  assert.equal((await admit(basic('cf:a:b'), broker))?.subject, 'cf');
  await assert.rejects(admit(basic('cf:a:c'), broker), refused(401, 'credentials'));
  await assert.rejects(admit(basic('cf'), broker), refused(401, 'credentials'));
  await assert.rejects(admit(basic('cf:a:b'), operators), refused(403));
});
