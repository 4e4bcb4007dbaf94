import assert from 'node:assert/strict';
import { test } from 'node:test';
import { minutes } from '#time';
import { startLandscape, type Landscape } from './landscape.ts';
import type { MakeSystem } from './simulated-system.ts';

/** A kitchen: what is ordered is ready after ten minutes. It speaks GraphQL as far as this test goes. */
const kitchen: MakeSystem = ({ time, caller }) => {
  const meals: { name: string; readyAt: number; askedBy: string }[] = [];
  return {
    name: 'kitchen',
    inventory: () => ({ meals: meals.map(({ name, askedBy }) => ({ name, askedBy })) }),
    serve(app) {
      const stateOf = (readyAt: number) => (readyAt <= time.now() ? 'Ready' : 'Cooking');
      const all = () => meals.map(({ name, readyAt }) => ({ name, state: stateOf(readyAt) }));
      app.get('/meals', async () => ({ meals: all() }));
      app.post('/graphql', async ({ body }) => {
        const { query } = body as { query: string };
        if (query.startsWith('mutation'))
          meals.push({ name: 'soup', readyAt: time.now() + minutes(10), askedBy: caller() });
        return { data: { meals: all() } };
      });
    },
  };
};
const start = () => startLandscape({ systems: [kitchen] });
const cook = '{"query":"mutation { result: cook(name: \\"soup\\") { name } }"}';
const look = '{"query":"query { meals { name state } }"}';

const graphql = async ({ url }: Landscape, body: string) => {
  const response = await fetch(`${url}/kitchen/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'user-agent': 'waiter/1 (on foot)' },
    body,
  });
  const text = await response.text();
  return { status: response.status, text, state: /"state":"(\w+)"/.exec(text)?.[1] };
};

test('a fault on a GraphQL field strikes requests for that field, whatever its alias', async () => {
  await using landscape = await start();
  landscape.faults.add({
    system: 'kitchen',
    field: 'cook',
    action: { kind: 'answer', status: 502 },
  });
  assert.equal((await graphql(landscape, look)).status, 200);
  assert.equal((await graphql(landscape, cook)).status, 502);
  assert.deepEqual(
    landscape.requests.map(({ fields, status }) => [fields, status]),
    [
      [['meals'], 200],
      [['cook'], 502],
    ],
  );
});

test('the n-th matching request is struck, and no other', async () => {
  await using landscape = await start();
  landscape.faults.add({ system: 'kitchen', nth: 3, action: { kind: 'answer', status: 500 } });
  const statuses = [];
  for (let n = 0; n < 5; n += 1)
    statuses.push((await fetch(`${landscape.url}/kitchen/meals`)).status);
  assert.deepEqual(statuses, [200, 200, 500, 200, 200]);
});

test('from the n-th request on, as many as the count says are struck', async () => {
  await using landscape = await start();
  const action = { kind: 'answer', status: 500 } as const;
  landscape.faults.add({ system: 'kitchen', nth: 2, count: 2, action });
  const statuses = [];
  for (let n = 0; n < 5; n += 1) statuses.push((await graphql(landscape, look)).status);
  assert.deepEqual(statuses, [200, 500, 500, 200, 200]);
});

test('what is stuck answers readers as before, does what it is told, and shows it once it is free', async () => {
  await using landscape = await start();
  await graphql(landscape, cook);
  const id = landscape.faults.add({ system: 'kitchen', action: { kind: 'stuck' } });
  const read = async () => [
    (await graphql(landscape, look)).state,
    await (await fetch(`${landscape.url}/kitchen/meals`)).text(),
  ];
  const before = await read();
  assert.equal(before[0], 'Cooking');
  await graphql(landscape, cook);
  landscape.time.advance(minutes(11));
  assert.deepEqual(await read(), before);
  landscape.faults.remove(id);
  assert.equal((await graphql(landscape, look)).text.match(/Ready/g)?.length, 2);
});

for (const state of ['Ready', 'Unheard-of']) {
  test(`a state can be told wrongly: ${state}`, async () => {
    await using landscape = await start();
    await graphql(landscape, cook);
    landscape.faults.add({ system: 'kitchen', nth: 1, action: { kind: 'state', state } });
    assert.match((await graphql(landscape, look)).text, new RegExp(`"state":"${state}"`));
    assert.equal((await graphql(landscape, look)).state, 'Cooking');
  });
}

test('all faults can be replaced at once, or none if one of them is wrong', async () => {
  await using landscape = await start();
  const put = (faults: unknown) =>
    fetch(`${landscape.url}/_faults`, {
      method: 'PUT',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(faults),
    });
  const reset = { system: 'kitchen', action: { kind: 'reset' } };
  landscape.faults.add({ system: 'kitchen', action: { kind: 'stuck' } });
  assert.equal((await put([reset, { ...reset, system: 'kitschen' }])).status, 400);
  assert.equal(landscape.faults.list()[0]?.fault.action.kind, 'stuck');
  const put2 = (await (await put([reset, reset])).json()) as unknown[];
  assert.equal(put2.length, 2);
  assert.deepEqual(
    landscape.faults.list().map(({ fault }) => fault.action.kind),
    ['reset', 'reset'],
  );
});

test('the inventory and the requests tell who asked', async () => {
  await using landscape = await start();
  await graphql(landscape, cook);
  assert.deepEqual(landscape.inventory(), {
    kitchen: { meals: [{ name: 'soup', askedBy: 'waiter/1' }] },
  });
  assert.equal(landscape.requests[0]?.by, 'waiter/1');
});

test('credentials in a query are not kept', async () => {
  await using landscape = await start();
  await fetch(`${landscape.url}/kitchen/meals?limit=5&access_token=geheim&code=geheim`);
  assert.equal(landscape.requests[0]?.path, '/meals?limit=5&access_token=…&code=…');
});

test('after a reset everything is as at the start', async () => {
  await using landscape = await start();
  await graphql(landscape, cook);
  landscape.faults.add({ system: 'kitchen', path: 'nowhere', action: { kind: 'reset' } });
  assert.equal((await fetch(`${landscape.url}/_reset`, { method: 'POST' })).status, 204);
  assert.deepEqual(landscape.inventory(), { kitchen: { meals: [] } });
  assert.deepEqual(landscape.faults.list(), []);
  assert.deepEqual(landscape.requests, []);
  await graphql(landscape, cook);
  assert.equal((await graphql(landscape, look)).state, 'Cooking');
});
