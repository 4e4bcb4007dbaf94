import assert from 'node:assert/strict';
import { test } from 'node:test';
import { order, startProvisioner } from '../testing.ts';
import { takeAway } from './testing.ts';

type World = Awaited<ReturnType<typeof startProvisioner>>;

const open = ({ url }: World, id: string, tenant = 'ga-1') =>
  fetch(`${url}/operations/${id}/events`, { headers: tenant ? { tenant } : {} });

type ServerEvent = { readonly event: string; readonly data: Record<string, unknown> };

/** One event after the other, as they arrive. */
async function* eventsOf({ body }: Response): AsyncGenerator<ServerEvent> {
  let text = '';
  for await (const chunk of body?.pipeThrough(new TextDecoderStream()) ?? []) {
    text += chunk;
    const parts = text.split('\n\n');
    text = parts.pop() ?? '';
    for (const part of parts) {
      const [, event = '', data = ''] = /^event: (.*)\ndata: (.*)$/.exec(part) ?? [];
      yield { event, data: JSON.parse(data) as ServerEvent['data'] }; // objects alone are sent
    }
  }
}

test('a reader follows an operation to its end', async () => {
  await using world = await startProvisioner();
  const { id } = await world.provision(order('azure'));
  const response = await open(world, id);
  assert.equal(response.headers.get('content-type'), 'text/event-stream');
  const events = eventsOf(response);
  const seen: ServerEvent[] = [(await events.next()).value as ServerEvent]; // it does not end before the operation
  const ended = world.pass(id);
  for await (const event of events) seen.push(event);
  assert.equal((await ended).state, 'succeeded');
  assert.ok(seen.some(({ event }) => event === 'waiting'));
  const steps = seen.filter(({ event }) => event === 'step' || event === 'past');
  assert.ok(steps.some(({ data }) => data['step'] === 'Await_Cluster'));
  assert.partialDeepStrictEqual(seen.at(-1), {
    event: 'status',
    data: { id, state: 'Succeeded', message: 'Operation succeeded' },
  });
});

test('who comes when all is over hears what happened, and the end', async () => {
  await using world = await startProvisioner();
  const { id } = await world.provision(order('azure'));
  await world.pass(id);
  const seen: ServerEvent[] = [];
  for await (const event of eventsOf(await open(world, id))) seen.push(event);
  const { data: status } =
    seen.findLast(({ event }) => event === 'status') ?? assert.fail('no status was told');
  assert.equal(status['state'], 'Succeeded');
  const timeline = await world.engine.timeline(id);
  assert.deepEqual(
    // News travel in bundles: the last ones may still arrive while the past is told.
    seen.filter((each) => each.event === 'past').map(({ data }) => data['step']),
    timeline.map(({ step }) => step),
  );
});

test('a stream that loses the database ends, and the service goes on', async () => {
  await using world = await startProvisioner();
  const { id } = await world.provision(order('azure'));
  const events = eventsOf(await open(world, id));
  await events.next();
  {
    await using _away = await takeAway(world.database);
    for await (const _event of events); // to its end
  }
  assert.equal((await world.pass(id)).state, 'succeeded');
});

test('an open stream does not keep the service from ending', async () => {
  const world = await startProvisioner();
  const { id } = await world.provision(order('azure'));
  const events = eventsOf(await open(world, id));
  await events.next();
  await world[Symbol.asyncDispose]();
  await assert.rejects(fetch(world.url));
});

test('nobody else may look, and what is not there is not found', async () => {
  await using world = await startProvisioner();
  const { id } = await world.provision(order('azure'));
  const unknown = '11111111-2222-4333-8444-555555555555';
  for (const [status, which, tenant] of [
    [400, id, ''],
    [400, id, 'ga-2'],
    [400, 'not-a-uuid', 'ga-1'],
    [404, unknown, 'ga-1'],
  ] as const) {
    const response = await open(world, which, tenant);
    assert.equal(response.status, status, `${which} for ${tenant}`);
    const { errors } = (await response.json()) as { errors: unknown[] }; // as GraphQL tells errors
    assert.equal(errors.length, 1);
  }
});
