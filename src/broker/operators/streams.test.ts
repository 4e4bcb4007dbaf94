import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { OperationEvent } from '#engine';
import { eventually } from '../../database/testing.ts';
import { startApi } from '../api/testing.ts';
import { LiveEvents } from './live-events.ts';

let world: Awaited<ReturnType<typeof startApi>>;
before(async () => {
  world = await startApi();
});
after(() => world[Symbol.asyncDispose]());

type Told = { event: string; data: Record<string, unknown> };

/** Reads events as a browser does, until the stream ends or nobody wants more. */
async function* follow(path: string): AsyncGenerator<Told> {
  const response = await fetch(world.url + path);
  assert.equal(response.headers.get('content-type'), 'text/event-stream; charset=utf-8');
  let text = '';
  for await (const part of response.body!.pipeThrough(new TextDecoderStream())) {
    text += part;
    const frames = text.split('\n\n');
    text = frames.pop() ?? '';
    for (const frame of frames) {
      const [, event = ''] = /^event: (.*)$/m.exec(frame) ?? [];
      const [, data = ''] = /^data: (.*)$/m.exec(frame) ?? [];
      if (event !== '') yield { event, data: JSON.parse(data) as Record<string, unknown> };
    }
  }
}

test('one operation is told whole, at the beginning and after each change, until its end', async () => {
  const { id, operation } = await world.instanceIn('provisioning');
  const states: unknown[] = [];
  for await (const { event, data } of follow(`/operations/${operation}/stream`)) {
    assert.equal(event, 'operation');
    assert.equal(data['operationID'], operation);
    states.push(data['state']);
    if (states.length === 1) void world.release(operation, `provision ${id}`);
  }
  assert.deepEqual([states[0], states.at(-1)], ['in progress', 'succeeded']);
});

test('an operation that has ended is told once, and one that does not exist not at all', async () => {
  const { operation } = await world.instanceIn('ready');
  const all = await Array.fromAsync(follow(`/operations/${operation}/stream`));
  assert.deepEqual(
    all.map(({ data }) => data['state']),
    ['succeeded'],
  );
  assert.equal((await fetch(`${world.url}/operations/nobody/stream`)).status, 404);
});

for (const [path, wanted] of [
  ['/runtimes/stream', 'runtime'],
  ['/events/stream', 'operation'],
  ['/operations/stream', 'step'],
] as const)
  test(`${path} tells of what goes on, as ${wanted}`, async () => {
    const told = follow(path);
    const first = told.next();
    const { id } = await world.instanceIn('ready');
    let found = await first;
    while (!found.done && (found.value.event !== wanted || found.value.data['instanceID'] !== id)) {
      // It may have begun to listen when all was over.
      if (found.value.event === 'gap') assert.fail('nothing was missed');
      found = await told.next();
    }
    assert.ok(!found.done && found.value.data['operationID'] && found.value.data['kind']);
    await told.return(undefined);
  });

test('a stream can be restricted to one runtime', async () => {
  const { id, operation } = await world.instanceIn('provisioning');
  const told = follow(`/operations/stream?instance_id=${id}`);
  const first = told.next();
  await world.instanceIn('ready');
  await world.release(operation, `provision ${id}`);
  const { value } = await first;
  assert.equal(value?.data['instanceID'], id);
  await told.return(undefined);
});

test('all listeners share one watch, which ends with the last of them', async () => {
  const live = new LiveEvents((...listeners) => world.engine.watch(...listeners));
  const watching = async () => {
    const { rows } = await world.database.pool.query<{ count: number }>(
      `select count(*)::int from pg_stat_activity where datname = current_database() and query like 'listen "%_events%'`,
    );
    return rows[0]?.count ?? 0;
  };
  // Those of the tests before end when their callers' going has been noticed.
  await eventually(async () => (await watching()) === 0);
  const leaving = [new AbortController(), new AbortController(), new AbortController()];
  try {
    await Promise.all(leaving.map(({ signal }) => live.subscribe(signal)));
    assert.equal(live.listeners, 3);
    assert.equal(await watching(), 1);
  } finally {
    for (const each of leaving) each.abort();
  }
  assert.equal(live.listeners, 0);
  await eventually(async () => (await watching()) === 0);
});

test('a listener that does not keep up is told of the gap, and holds no more than a thousand events', async () => {
  let tell: (event: OperationEvent) => void = () => undefined;
  const live = new LiveEvents(async (listener) => {
    tell = listener;
    return { close: async () => undefined };
  });
  const leaving = new AbortController();
  const heard = (await live.subscribe(leaving.signal))[Symbol.asyncIterator]();
  for (let number = 0; number < 2_500; number += 1)
    tell({ operation: String(number), kind: 'created' });
  assert.equal((await heard.next()).value, 'gap');
  const rest: unknown[] = [];
  tell({ operation: 'last', kind: 'created' });
  for (;;) {
    const { value } = await heard.next();
    rest.push(value);
    if (typeof value === 'object' && value.operation === 'last') break;
  }
  assert.ok(rest.length <= 1_000, `${rest.length} events were kept`);
  leaving.abort();
  assert.equal((await heard.next()).done, true);
});
