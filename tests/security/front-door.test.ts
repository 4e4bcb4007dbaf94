// What every request meets at the door of both services, over raw connections where it matters.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { after, test } from 'node:test';
import { pino } from 'pino';
import type { FrontDoor, Identity } from '#access';
import { selfSignedCertificate } from '#certificates';
import { provisionerApp } from '#provisioner';
import { startApi } from '../../src/broker/api/testing.ts';
import { startProvisioner } from '../../src/provisioner/testing.ts';
import { listed } from './access-table.ts';

const log = pino({ level: 'silent' });
const broker = await startApi({ api: { kubeconfigOrigins: ['https://dashboard.example.com'] } });
const provisioner = await startProvisioner({ landscape: broker.landscape });
after(async () => {
  await provisioner[Symbol.asyncDispose]();
  await broker[Symbol.asyncDispose]();
});

const services = [
  {
    name: 'broker',
    world: broker,
    path: '/v2/catalog',
    withDoor: (frontDoor: FrontDoor) => {
      const authorize = async ({ headers }: { headers: object }): Promise<Identity | undefined> =>
        'x-client' in headers
          ? { subject: 'x', client: String(headers['x-client']), scopes: [], groups: [] }
          : undefined;
      return broker.appWith({ frontDoor, authorize });
    },
  },
  {
    name: 'provisioner',
    world: provisioner,
    path: '/graphql',
    withDoor: (frontDoor: FrontDoor) =>
      provisionerApp({ ...provisioner.services, engine: provisioner.engine }, { log, frontDoor }),
  },
];

/** The same service behind another door, until the test ends. */
async function opened({ withDoor }: (typeof services)[number], door: FrontDoor) {
  const app = await withDoor(door);
  const url = await app.listen({ port: 0, host: '127.0.0.1' });
  return { url, port: Number(new URL(url).port), [Symbol.asyncDispose]: () => app.close() };
}

for (const service of services) {
  const { name, world, path } = service;
  const version = { 'x-broker-api-version': '2.17' };
  const places = listed(world.app.places);

  test(`no answer of the ${name} lets a browser guess, frame, keep or pass it on, and none tells what serves it`, async () => {
    for (const path of [...new Set(places.map((each) => each.path)), '/nothing']) {
      const end = new AbortController();
      const response = await fetch(world.url + path, {
        headers: { ...version, origin: 'https://evil.example.com' },
        signal: end.signal,
        redirect: 'manual',
      });
      end.abort();
      const { headers } = response;
      assert.equal(headers.get('x-content-type-options'), 'nosniff', path);
      assert.equal(headers.get('referrer-policy'), 'no-referrer', path);
      assert.match(headers.get('content-security-policy') ?? '', /frame-ancestors 'none'/, path);
      for (const banner of ['server', 'x-powered-by', 'access-control-allow-origin'])
        assert.equal(headers.get(banner), null, `${path}: ${banner}`);
    }
  });

  test(`a preflight request to the ${name} allows nothing`, async () => {
    const response = await fetch(world.url + path, {
      method: 'OPTIONS',
      headers: { origin: 'https://evil.example.com', 'access-control-request-method': 'PUT' },
    });
    assert.equal(response.headers.get('access-control-allow-origin'), null);
    assert.equal(response.headers.get('access-control-allow-methods'), null);
  });

  test(`a body that is too large is refused with 413, wherever the ${name} takes one`, async () => {
    const tooLarge = `"${'x'.repeat(5 * 2 ** 20)}"`;
    for (const place of places.filter(({ method }) => !['GET', 'HEAD'].includes(method))) {
      const response = await fetch(world.url + place.path.replaceAll(/:\w+/g, 'x'), {
        method: place.method,
        headers: { ...version, 'content-type': 'application/json' },
        body: tooLarge,
      });
      assert.equal(response.status, 413, `${place.method} ${place.path}`);
      assert.ok((await response.text()).length < 500);
    }
  });

  const slow = { headers: 150, request: 400, lookEvery: 50 };
  const beginning = `POST ${path} HTTP/1.1\r\nhost: x\r\n`;
  for (const [what, sent] of [
    ['headers', beginning],
    [
      'a body',
      `${beginning}content-type: application/json\r\ncontent-length: 100\r\n\r\n{"query": "`,
    ],
  ] as const) {
    test(`whoever never ends to send ${what} is let go by the ${name}`, async () => {
      await using door = await opened(service, { slowClients: slow });
      const socket = connect(door.port, '127.0.0.1');
      socket.write(sent);
      const drip = setInterval(() => socket.writable && socket.write('x'), 40);
      socket.once('close', () => clearInterval(drip));
      socket.on('error', () => {}); // it may break while we still send
      const answer = await text(socket).catch(() => '');
      clearInterval(drip);
      socket.destroy();
      assert.match(answer, /^HTTP\/1\.1 408 |^$/);
    });
  }

  test(`an address that asks the ${name} too often is told when to come back; health is always told`, async () => {
    await using door = await opened(service, { rates: { perAddress: 1, perCaller: 0 } });
    const ask = (path: string) => fetch(door.url + path, { headers: version });
    for (let n = 1; n <= 10; n += 1) assert.notEqual((await ask(path)).status, 429);
    const refused = await ask(path);
    assert.equal(refused.status, 429);
    assert.match(refused.headers.get('retry-after') ?? '', /^([1-9]|10)$/);
    assert.match(await refused.text(), /too many requests: 1 per second/);
    for (let n = 1; n <= 20; n += 1) assert.equal((await ask('/readyz')).status, 200);
  });

  test(`the ${name} speaks TLS with a certificate, and tells browsers to insist on it`, async () => {
    const { certificate, key } = selfSignedCertificate('localhost');
    await using door = await opened(service, { tls: { certificate, key } });
    assert.match(door.url, /^https:/);
    const asked = httpsRequest(`${door.url}/healthz`, { ca: certificate }).end();
    const [answer] = (await once(asked, 'response')) as [IncomingMessage];
    assert.equal(await text(answer), 'ok');
    assert.equal(answer.headers['strict-transport-security'], 'max-age=31536000');
    const plain = await fetch(`${door.url.replace('https', 'http')}/healthz`).catch(
      () => undefined,
    );
    assert.equal(plain, undefined);
    const { headers } = await fetch(`${world.url}/healthz`);
    assert.equal(headers.get('strict-transport-security'), null);
  });

  test(`from the shutdown on the ${name} sends new requests elsewhere, and still answers those that come`, async () => {
    const stop = new AbortController();
    await using door = await opened(service, { shutdown: stop.signal });
    const ask = (path: string) => fetch(door.url + path, { headers: version });
    assert.equal((await ask('/readyz')).status, 200);
    stop.abort();
    assert.equal((await ask('/readyz')).status, 503);
    assert.equal((await ask('/healthz')).status, 200);
    const answer = await ask(path);
    assert.ok(answer.status < 500);
    assert.equal(answer.headers.get('connection'), 'close');
  });
}

test('callers behind one address do not share a limit', async () => {
  await using door = await opened(services[0]!, { rates: { perAddress: 0, perCaller: 1 } });
  const ask = async (client: string) =>
    (
      await fetch(`${door.url}/v2/catalog`, {
        headers: { 'x-client': client, 'x-broker-api-version': '2.17' },
      })
    ).status;
  const statuses = async (client: string) =>
    Promise.all(Array.from({ length: 11 }, () => ask(client)));
  assert.deepEqual((await statuses('busy')).filter((status) => status === 429).length, 1);
  assert.equal(await ask('calm'), 200);
  assert.equal(await ask('busy'), 429);
});

test('only a trusted proxy is believed where a request comes from', async () => {
  const rates = { perAddress: 1, perCaller: 0 };
  const statusesFrom = async (url: string) => {
    const statuses: number[] = [];
    for (let n = 1; n <= 12; n += 1) {
      const headers = { 'x-forwarded-for': `10.0.0.${n}` };
      statuses.push((await fetch(`${url}/kubeconfig`, { headers })).status);
    }
    return new Set(statuses);
  };
  await using direct = await opened(services[0]!, { rates });
  assert.deepEqual(await statusesFrom(direct.url), new Set([404, 429]));
  await using behind = await opened(services[0]!, { rates, trustedProxies: ['127.0.0.1/8'] });
  assert.deepEqual(await statusesFrom(behind.url), new Set([404]));
});

test('only kubeconfigs are for pages of others, and only for those that are named', async () => {
  const allowed = async (origin: string) =>
    (await fetch(`${broker.url}/kubeconfig/x`, { headers: { origin } })).headers.get(
      'access-control-allow-origin',
    );
  assert.equal(await allowed('https://dashboard.example.com'), 'https://dashboard.example.com');
  assert.equal(await allowed('https://evil.example.com'), null);
});
