import assert from 'node:assert/strict';
import { Agent, request as httpRequest } from 'node:http';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { startLandscape, type Landscape } from './landscape.ts';
import type { SeenRequest } from './request-log.ts';
import type { MakeSystem } from './simulated-system.ts';
import { Tokens } from './tokens.ts';

/** A system as small as can be: it counts what it was asked to make. */
const shop: MakeSystem = ({ time, url }) => {
  const things: string[] = [];
  const tokens = new Tokens(time, (id, secret) => id === 'me:you' && secret === 'a:b%c');
  return {
    name: 'shop',
    inventory: () => ({ things }),
    serve(app) {
      app.post('/things', async ({ body }, reply) => {
        things.push((body as { name: string }).name);
        return reply.code(201).send({ at: url() });
      });
      app.get<{ Params: { name: string } }>('/things/:name', async ({ params }, reply) =>
        things.includes(params.name) ? params : reply.code(404).send(),
      );
      tokens.serve(app, '/token');
      app.get('/guarded', { onRequest: tokens.check }, async () => 'welcome');
    },
  };
};
const start = (onAnswer?: (request: SeenRequest) => void) =>
  startLandscape({ systems: [shop], ...(onAnswer && { onAnswer }) });

const send = (method: string, url: string, body?: unknown) =>
  fetch(url, {
    method,
    ...(body !== undefined && {
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    }),
  });
const order = ({ url }: Landscape, name: string) => send('POST', `${url}/shop/things`, { name });
const thingsOf = (landscape: Landscape) => landscape.inventory()['shop']?.['things'];
const messageOf = async (response: Response) =>
  ((await response.json()) as { message: string }).message;

test('a system is served below its name, and knows its address', async () => {
  await using landscape = await start();
  const response = await order(landscape, 'lamp');
  assert.equal(response.status, 201);
  assert.deepEqual(await response.json(), { at: `${landscape.url}/shop` });
});

test('a path may contain names as long as those of clouds', async () => {
  await using landscape = await start();
  const name = 'x'.repeat(500);
  await order(landscape, name);
  assert.equal((await fetch(`${landscape.url}/shop/things/${name}`)).status, 200);
});

test('the inventory and the requests are told over HTTP', async () => {
  await using landscape = await start();
  await order(landscape, 'lamp');
  const { url } = landscape;
  const inventory = await fetch(`${url}/_inventory`);
  assert.deepEqual(await inventory.json(), { shop: { things: ['lamp'] } });
  const requests = await fetch(`${url}/_requests`);
  assert.deepEqual(await requests.json(), [
    { system: 'shop', method: 'POST', path: '/things', by: 'node', status: 201 },
  ]);
});

test('requests to paths that a system does not have are noted, and disturbed, too', async () => {
  await using landscape = await start();
  assert.equal((await fetch(`${landscape.url}/shop/nothing?at=all`)).status, 404);
  landscape.faults.add({ system: 'shop', action: { kind: 'answer', status: 503 } });
  assert.equal((await fetch(`${landscape.url}/shop`)).status, 503);
  assert.deepEqual(
    landscape.requests.map(({ path, status }) => [path, status]),
    [
      ['/nothing?at=all', 404],
      ['', 503],
    ],
  );
});

test('the last thousand requests are kept', async () => {
  await using landscape = await start();
  landscape.faults.add({ system: 'shop', action: { kind: 'answer', status: 200 } });
  for (let n = 0; n < 1_010; n += 10) {
    await Promise.all(
      Array.from({ length: 10 }, (_, i) => fetch(`${landscape.url}/shop/${n + i}`)),
    );
  }
  assert.equal(landscape.requests.length, 1_000);
  assert.ok(landscape.requests.some(({ path }) => path === '/1009'));
});

test('a fault answers in place of the system, so often as it says', async () => {
  await using landscape = await start();
  const { url } = landscape;
  const fault = {
    system: 'shop',
    method: 'post',
    path: '^/things$',
    count: 2,
    action: { kind: 'answer', status: 429, body: 'slowly', headers: { 'retry-after': '7' } },
  };
  const added = await send('POST', `${url}/_faults`, fault);
  assert.equal(added.status, 201);
  assert.deepEqual(await added.json(), { id: 1 });
  const refused = await order(landscape, 'lamp');
  assert.equal(refused.status, 429);
  assert.equal(refused.headers.get('retry-after'), '7');
  assert.equal(await refused.text(), 'slowly');
  assert.equal((await fetch(`${url}/shop/things/lamp`)).status, 404); // another method and path
  assert.equal((await order(landscape, 'lamp')).status, 429);
  assert.equal((await order(landscape, 'lamp')).status, 201);
  assert.deepEqual(thingsOf(landscape), ['lamp']);
  assert.equal(landscape.faults.list()[0]?.left, 0);
});

test('faults are listed and removed, one or all', async () => {
  await using landscape = await start();
  const faults = `${landscape.url}/_faults`;
  const wanted = { system: 'shop', action: { kind: 'reset' } };
  for (let n = 0; n < 3; n += 1) await send('POST', faults, wanted);
  const listed = async () => (await (await fetch(faults)).json()) as { id: number }[];
  assert.deepEqual((await listed())[0], {
    id: 1,
    fault: { ...wanted, probability: 1 },
    left: null,
  });
  assert.equal((await send('DELETE', `${faults}/2`)).status, 204);
  assert.equal((await send('DELETE', `${faults}/2`)).status, 404);
  assert.deepEqual(
    (await listed()).map(({ id }) => id),
    [1, 3],
  );
  assert.equal((await send('DELETE', faults)).status, 204);
  assert.deepEqual(await listed(), []);
  assert.equal((await order(landscape, 'lamp')).status, 201);
});

for (const [what, fault, message] of [
  ['no fault at all', 'nonsense', /expected object/],
  ['an unknown system', { system: 'shpo', action: { kind: 'reset' } }, /"shop"[^]*at system/],
  ['an unknown action', { system: 'shop', action: { kind: 'explode' } }, /at action.kind/],
  ['an unknown field', { system: 'shop', action: { kind: 'reset' }, times: 3 }, /"times"/],
  [
    'a broken pattern',
    { system: 'shop', path: '(', action: { kind: 'reset' } },
    /regular expression[^]*at path/,
  ],
  [
    'a probability above 1',
    { system: 'shop', probability: 2, action: { kind: 'reset' } },
    /at probability/,
  ],
  ['a count of 0', { system: 'shop', count: 0, action: { kind: 'reset' } }, /at count/],
  [
    'a status of 100',
    { system: 'shop', action: { kind: 'answer', status: 100 } },
    /at action.status/,
  ],
  ['a delay without time', { system: 'shop', action: { kind: 'delay' } }, /at action.for/],
] as const) {
  test(`a fault with ${what} is refused with the reason`, async () => {
    await using landscape = await start();
    const response = await send('POST', `${landscape.url}/_faults`, fault);
    assert.equal(response.status, 400);
    assert.match(await messageOf(response), message);
    assert.deepEqual(landscape.faults.list(), []);
  });
}

test('a fault that is wrong is refused in the same process too', async () => {
  await using landscape = await start();
  const add = () => landscape.faults.add({ system: 'shop', path: '(', action: { kind: 'reset' } });
  assert.throws(add, /regular expression/);
});

test('a reset breaks the connection before the work, a lost answer after it', async () => {
  const told: SeenRequest[] = [];
  await using landscape = await start((request) => told.push({ ...request }));
  for (const kind of ['reset', 'lost answer'] as const) {
    landscape.faults.add({ system: 'shop', count: 1, action: { kind } });
    await assert.rejects(order(landscape, kind), TypeError);
  }
  await order(landscape, 'lamp');
  assert.deepEqual(thingsOf(landscape), ['lost answer', 'lamp']);
  const statuses = (requests: readonly SeenRequest[]) => requests.map(({ status }) => status);
  assert.deepEqual(statuses(landscape.requests), ['no answer', 'no answer', 201]);
  await until(() => told.length === 3);
  assert.deepEqual(statuses(told), ['no answer', 'no answer', 201]);
});

test('an answer that is lost may also be one of failure', async () => {
  await using landscape = await start();
  landscape.faults.add({ system: 'shop', count: 1, action: { kind: 'lost answer' } });
  await assert.rejects(fetch(`${landscape.url}/shop/nothing`), TypeError);
  assert.equal((await fetch(`${landscape.url}/shop/nothing`)).status, 404);
});

test('a delayed request is answered later', async () => {
  await using landscape = await start();
  landscape.faults.add({ system: 'shop', action: { kind: 'delay', for: 50 } });
  const before = performance.now();
  assert.equal((await order(landscape, 'lamp')).status, 201);
  assert.ok(performance.now() - before >= 49);
});

test('a delayed request whose caller has gone is done all the same', async () => {
  await using landscape = await start();
  landscape.faults.add({ system: 'shop', action: { kind: 'delay', for: 60_000 } });
  const gone = fetch(`${landscape.url}/shop/things`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{"name":"lamp"}',
    signal: AbortSignal.timeout(30),
  });
  await assert.rejects(gone, { name: 'TimeoutError' });
  await until(() => thingsOf(landscape)?.length === 1);
});

test('many delays on one connection leave nothing behind', async (t) => {
  await using landscape = await start();
  landscape.faults.add({ system: 'shop', action: { kind: 'delay', for: 1 } });
  const warnings: Error[] = [];
  const onWarning = (warning: Error) => warnings.push(warning);
  process.on('warning', onWarning);
  t.after(() => process.off('warning', onWarning));
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  t.after(() => agent.destroy());
  for (let n = 0; n < 15; n += 1) {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    httpRequest(`${landscape.url}/shop/things/lamp`, { agent }, (response) => {
      response.resume().once('end', resolve);
    })
      .once('error', reject)
      .end();
    await promise;
  }
  assert.deepEqual(warnings, []);
});

test('a probability of 0 never strikes, one of 1 always, and the next fault that fits has its turn', async () => {
  await using landscape = await start();
  const answer = (probability: number, status: number) =>
    landscape.faults.add({ system: 'shop', probability, action: { kind: 'answer', status } });
  answer(0, 500);
  answer(1, 503);
  for (let n = 0; n < 20; n += 1)
    assert.equal((await fetch(`${landscape.url}/shop/things/lamp`)).status, 503);
});

test('time is told and moved over HTTP', async () => {
  await using landscape = await start();
  const time = `${landscape.url}/_time`;
  const before = landscape.time.now();
  const moved = await send('PUT', time, { speed: 60, advance: 3_600_000 });
  const { speed, now } = (await moved.json()) as { speed: number; now: number };
  assert.equal(speed, 60);
  assert.ok(now >= before + 3_600_000);
  const told = (await (await fetch(time)).json()) as { speed: number; now: number };
  assert.equal(told.speed, 60);
  assert.ok(told.now >= now);
});

for (const [wish, message] of [
  [{ speed: 0 }, /at speed/],
  [{ speed: 1e7 }, /at speed/],
  [{ advance: -1 }, /at advance/],
  [{ advance: 1e300 }, /at advance/],
  [{ rewind: 1 }, /"rewind"/],
] as const) {
  test(`time is not moved by ${JSON.stringify(wish)}`, async () => {
    await using landscape = await start();
    const response = await send('PUT', `${landscape.url}/_time`, wish);
    assert.equal(response.status, 400);
    assert.match(await messageOf(response), message);
    assert.equal(landscape.time.speed, 1);
    assert.equal(landscape.time.advanced, 0);
  });
}

const tokenFor = async ({ url }: Landscape, user: string) => {
  const response = await fetch(`${url}/shop/token`, {
    method: 'POST',
    headers: { authorization: `Basic ${Buffer.from(user).toString('base64')}` },
    body: new URLSearchParams({ grant_type: 'client_credentials' }),
  });
  const { access_token: token } = (await response.json()) as { access_token?: string };
  return { status: response.status, token };
};

test('credentials in HTTP Basic are understood form-encoded, and a colon in the secret as it is', async () => {
  await using landscape = await start();
  assert.equal((await tokenFor(landscape, 'me%3Ayou:a%3Ab%25c')).status, 200);
  assert.equal((await tokenFor(landscape, 'me%3Ayou:a:b%c')).status, 200);
  assert.equal((await tokenFor(landscape, 'me%3Ayou')).status, 401);
  assert.equal((await tokenFor(landscape, 'somebody:else')).status, 401);
});

test('a token opens what is guarded until it expires', async () => {
  await using landscape = await start();
  const { token } = await tokenFor(landscape, 'me%3Ayou:a:b%c');
  const visit = async (authorization: string) =>
    (await fetch(`${landscape.url}/shop/guarded`, { headers: { authorization } })).status;
  assert.equal(await visit(`Bearer ${token}`), 200);
  assert.equal(await visit('Bearer other'), 401);
  landscape.time.advance(3_600_000);
  assert.equal(await visit(`Bearer ${token}`), 401);
});

test('a port that is taken is refused', async () => {
  await using landscape = await start();
  const port = Number(new URL(landscape.url).port);
  await assert.rejects(startLandscape({ port, systems: [shop] }), { code: 'EADDRINUSE' });
});

/** For what happens on the other side of a connection, of which nobody is told. */
async function until(isTrue: () => boolean): Promise<void> {
  while (!isTrue()) await sleep(1);
}
