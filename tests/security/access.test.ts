// Every endpoint of both services, as their running apps know them, with every kind of token that must not open it.
import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { after, before, test } from 'node:test';
import type { FastifyInstance } from 'fastify';
import { bearerTokens, gate, type Place, type Right } from '#access';
import { startApi } from '../../src/broker/api/testing.ts';
import { startLandscape } from '../../src/landscape/testing.ts';
import {
  audience,
  codeFor,
  issuer,
  post,
  users,
  userToken,
} from '../../src/landscape/issuer/testing.ts';
import { startProvisioner } from '../../src/provisioner/testing.ts';
import { accessTable, listed, tableFile } from './access-table.ts';

const landscape = await startLandscape();
const { admit, challenges } = gate(
  bearerTokens({ issuer: `${landscape.url}/issuer`, audience, lookAgainAfter: 0 }),
);
const broker = await startApi({
  landscape,
  api: { authorize: ({ headers }, right) => admit(headers.authorization, right) },
});
const provisioner = await startProvisioner({ landscape, gate: { admit, challenges } });
after(async () => {
  await provisioner[Symbol.asyncDispose]();
  await broker[Symbol.asyncDispose]();
  await landscape[Symbol.asyncDispose]();
});

const services = [
  { name: 'broker', url: broker.url, app: broker.app, places: broker.app.places },
  {
    name: 'provisioner',
    url: provisioner.url,
    app: provisioner.app,
    places: provisioner.app.places,
  },
];
const scopes = ['broker:write', 'cld:read', 'provisioner:write'];

/** Of the client that may do everything; with some scopes only, if they are named. */
async function everythingToken(only = scopes, at = landscape): Promise<string> {
  const form = { grant_type: 'client_credentials', scope: only.join(' ') };
  const { body } = await post(at, '/token', form, ['demo', 'demo']);
  return String(body['access_token']);
}

async function withLifetime(lifetime: object): Promise<string> {
  const set = (to: object) =>
    fetch(`${landscape.url}/issuer/_lifetime`, {
      method: 'PUT',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(to),
    });
  await set(lifetime);
  const token = await everythingToken();
  await set({ access_token: 3_600 });
  return token;
}

const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
const publicKeys = async () => (await fetch(`${landscape.url}/issuer/jwks`)).text();

async function forged(): Promise<Record<string, string>> {
  const [header = '', claims = '', signature = ''] = (await everythingToken()).split('.');
  const { keys } = JSON.parse(await publicKeys()) as { keys: { kid: string }[] };
  const hmacHead = `${part({ alg: 'HS256', typ: 'at+jwt', kid: keys[0]?.kid })}.${claims}`;
  const secret = createHmac('sha256', JSON.stringify(keys[0])).update(hmacHead);
  return {
    'alg: none': `${part({ alg: 'none', typ: 'at+jwt' })}.${claims}.`,
    'alg: none, with a signature': `${part({ alg: 'none' })}.${claims}.${signature}`,
    'HS256 with the public key as the secret': `${hmacHead}.${secret.digest('base64url')}`,
    'another content under a good signature': `${header}.${part({ sub: 'eve', groups: ['runtimeAdmin'] })}.${signature}`,
    garbage: 'garbage',
  };
}

/** The headers of a call that nobody should answer, by what is wrong with them. */
async function wrongCredentials(): Promise<Record<string, string | undefined>> {
  await using other = await startLandscape({ systems: [issuer] });
  const login = await post(landscape, '/token', await codeFor(landscape, 'admin'));
  const tokens = {
    'a token of another issuer': await everythingToken(scopes, other),
    'a token for another audience': String(login.body['id_token']),
    'an expired token': await withLifetime({ access_token: -10 }),
    'a token that is not good yet': await withLifetime({ access_token: 3_600, not_before: 3_000 }),
    ...(await forged()),
  };
  return {
    'no token': undefined,
    'another scheme': `Basic ${Buffer.from('demo:demo').toString('base64')}`,
    ...Object.fromEntries(Object.entries(tokens).map(([what, token]) => [what, `Bearer ${token}`])),
  };
}

/** A token of somebody who may do all but this. */
async function lacking(right: Exclude<Right, string>): Promise<string> {
  if ('scope' in right) return everythingToken(scopes.filter((scope) => scope !== right.scope));
  const [user = assert.fail()] = users
    .filter(({ groups }) => !groups.some((group) => right.anyGroupOf.includes(group)))
    .toSorted((a, b) => b.groups.length - a.groups.length);
  return userToken(landscape, user.name);
}

const addressOf = ({ path }: Pick<Place, 'path'>) =>
  path.replaceAll(/:\w+/g, 'no-such-thing').replace('*', 'nothing');
const headersWith = (authorization: string | undefined) => ({
  'x-broker-api-version': '2.17',
  ...(authorization && { authorization }),
});

/** The status, without a connection: for those who are to be refused, thousands of times. */
async function knock(
  app: FastifyInstance,
  place: Pick<Place, 'method' | 'path'>,
  authorization: string | undefined,
): Promise<number> {
  const { statusCode } = await app.inject({
    method: place.method as 'GET', // or any other: what is served is asked for
    url: addressOf(place),
    headers: headersWith(authorization),
  });
  return statusCode;
}

/** The status. Of a stream no more than its beginning is waited for. */
async function ask(
  url: string,
  place: Pick<Place, 'method' | 'path'>,
  authorization: string | undefined,
): Promise<number> {
  const end = new AbortController();
  const response = await fetch(url + addressOf(place), {
    method: place.method,
    headers: headersWith(authorization),
    signal: end.signal,
    redirect: 'manual',
  });
  end.abort();
  return response.status;
}

let wrong: Record<string, string | undefined> = {};
before(async () => {
  wrong = await wrongCredentials();
});

test('docs/access.md tells what is served, and to whom', async () => {
  assert.equal(
    await accessTable({ Broker: broker.app.places, Provisioner: provisioner.app.places }),
    await readFile(tableFile, 'utf8'),
    'an endpoint changed: run "npm run access" and review the difference',
  );
});

test('there is no endpoint that does not say who may come', () => {
  const silent = services.flatMap(({ places }) => places.filter(({ right }) => !right));
  assert.deepEqual(silent, []);
});

const openPlaces =
  /^GET \/(?:kubeconfig(?:\/(?::instanceId)?)?|healthz|readyz|metrics|callback|ui(?:\/.*)?|console\/config\.json|openapi\.json|version|swagger.*)?$/;

for (const { name, url, app, places } of services) {
  const closed = listed(places).filter(({ right }) => right !== 'everybody');
  const heads = places.filter(({ method, right }) => method === 'HEAD' && right !== 'everybody');

  test(`what is open to everybody in the ${name} is known, and changes nothing`, () => {
    const open = listed(places).filter(({ right }) => right === 'everybody');
    const surprising = open.filter(({ method, path }) => !openPlaces.test(`${method} ${path}`));
    assert.deepEqual(surprising, []);
  });

  test(`no endpoint of the ${name} opens to credentials that prove nothing`, async () => {
    for (const [what, authorization] of Object.entries(wrong)) {
      for (const place of authorization === undefined ? [...closed, ...heads] : closed) {
        const { method, path } = place;
        assert.equal(await knock(app, place, authorization), 401, `${method} ${path}: ${what}`);
      }
    }
  });

  test(`no endpoint of the ${name} opens to those who have other rights; with the right one each does`, async () => {
    const everything = await everythingToken();
    let newest = everything;
    const tokens = new Map<string, string>();
    for (const [index, place] of closed.entries()) {
      // Half way the issuer signs with another key: the tokens from before stay good, and so are those of after.
      if (index === Math.floor(closed.length / 2)) {
        await fetch(`${landscape.url}/issuer/_rotate`, { method: 'POST' });
        tokens.clear();
        newest = await everythingToken();
      }
      const { right, method, path } = place;
      if (typeof right === 'object') {
        const key = JSON.stringify(right);
        if (!tokens.has(key)) tokens.set(key, await lacking(right));
        const status = await knock(app, place, `Bearer ${tokens.get(key)}`);
        assert.equal(status, 403, `${method} ${path}: another right`);
      }
      for (const token of new Set([everything, newest])) {
        const status = await ask(url, place, `Bearer ${token}`);
        assert.ok(![401, 403].includes(status) && status < 500, `${method} ${path}: ${status}`);
      }
    }
  });
}

test('whoever is not known is told what to bring; nobody else is told anything', async () => {
  for (const { url, path } of [
    { url: broker.url, path: '/v2/catalog' },
    { url: provisioner.url, path: '/graphql' },
  ]) {
    const response = await fetch(url + path);
    assert.equal(response.headers.get('www-authenticate'), 'Bearer');
    assert.doesNotMatch(await response.text(), /jwt|jwks|issuer|signature|node_modules|    at /i);
  }
});

test('every endpoint that changes something is in the audit log, with who asked, and who was refused', async () => {
  const changing = listed(broker.app.places).filter(
    ({ method, path }) => method !== 'GET' && path !== '/orchestrations/preview',
  );
  const { entries } = await broker.audit.find({}, { limit: 10_000, offset: 0 });
  const recorded = (outcome: RegExp) =>
    new Set(entries.filter((each) => outcome.test(each.outcome)).map(({ action }) => action));
  const of = ({ method, path }: Place) => `${method} ${path}`;
  const missing = (found: Set<string>) => changing.map(of).filter((action) => !found.has(action));
  assert.deepEqual(missing(recorded(/^403$/)), []);
  assert.deepEqual(missing(recorded(/^(?!403|asked)/)), []);
  assert.equal(recorded(/^401$/).size, 0);
  const demo = entries.filter(({ actor }) => actor === 'demo');
  assert.ok(demo.every(({ client }) => client === 'demo') && demo.length > changing.length);
  assert.equal((await broker.audit.verify()).ok, true);
});
