import assert from 'node:assert/strict';
import { test } from 'node:test';
import { minutes, seconds } from '#time';
import {
  answers,
  canary,
  failsWith,
  resource,
  signal,
  startAzure,
  subscriptionOf,
} from './testing.ts';

const { name } = resource;

async function startWithGroup() {
  const landscape = await startAzure();
  const subscription = subscriptionOf(landscape);
  await subscription.putGroup(resource, signal);
  return {
    ...landscape,
    landscape,
    put: () => subscription.putNamespace(name, resource, signal),
    progress: (kind: 'operation' | 'location' | 'resource') =>
      subscription.progress({ kind, url: '/subscriptions/s/progress' }, signal),
  };
}

test('a new namespace is followed by its operation', async () => {
  await using world = await startWithGroup();
  const begun = await world.put();
  assert.ok(begun.kind === 'running' && begun.next.kind === 'operation');
  assert.equal(begun.retryAfter, seconds(15));
  const stored = JSON.parse(JSON.stringify(begun.next)) as typeof begun.next;
  const subscription = subscriptionOf(world.landscape); // as after a restart
  assert.equal((await subscription.progress(stored, signal)).kind, 'running');
  world.time.advance(minutes(3));
  assert.equal((await subscription.progress(stored, signal)).kind, 'succeeded');
});

test('a namespace that is put again while it is created is followed by its location', async () => {
  await using world = await startWithGroup();
  await world.put();
  const again = await world.put();
  assert.ok(again.kind === 'running' && again.next.kind === 'location');
  const subscription = subscriptionOf(world.landscape);
  assert.deepEqual(await subscription.progress(again.next, signal), again);
  world.time.advance(minutes(3));
  assert.deepEqual(await subscription.progress(again.next, signal), {
    kind: 'succeeded',
    state: 'Succeeded',
  });
});

test('a namespace that is put again when it is there has succeeded at once', async () => {
  await using world = await startWithGroup();
  await world.put();
  world.time.advance(minutes(3));
  assert.deepEqual(await world.put(), { kind: 'succeeded', state: 'Succeeded' });
});

test('an operation that failed or was canceled says why, and a body it sends along stays unseen', async () => {
  await using world = await startWithGroup();
  for (const [status, code, reason] of [
    ['Failed', 'QuotaExceeded', 'QuotaExceeded'],
    ['Canceled', undefined, 'unknown'],
    ['failed', `${canary}: no code`, 'unknown'],
  ] as const) {
    world.faults.remove();
    answers(world.landscape, 'progress', 200, { status, error: { code, message: canary } });
    assert.deepEqual(await world.progress('operation'), { kind: 'failed', state: status, reason });
  }
});

test('a resource is followed by its provisioning state', async () => {
  await using world = await startWithGroup();
  for (const [provisioningState, kind] of [
    ['Creating', 'running'],
    ['Succeeded', 'succeeded'],
    ['Failed', 'failed'],
  ] as const) {
    world.faults.remove();
    answers(world.landscape, 'progress', 200, { properties: { provisioningState } });
    assert.partialDeepStrictEqual(await world.progress('resource'), {
      kind,
      state: provisioningState,
    });
  }
});

test('a state that nobody knows means that it goes on, and without a wish the next look is a minute later', async () => {
  await using world = await startWithGroup();
  answers(world.landscape, 'progress', 200, { status: 'Meditating' });
  assert.deepEqual(await world.progress('operation'), {
    kind: 'running',
    state: 'Meditating',
    retryAfter: minutes(1),
    next: { kind: 'operation', url: '/subscriptions/s/progress' },
  });
});

test('a resource whose state is missing is a wrong answer that names the field', async () => {
  await using world = await startWithGroup();
  answers(world.landscape, 'progress', 200, {});
  await assert.rejects(world.progress('resource'), (error: Error) => {
    assert.match(error.message, /properties/);
    return failsWith({ temporary: true, reason: 'wrong_answer' })(error);
  });
});

test('progress that cannot be read is no verdict on the work', async () => {
  await using world = await startWithGroup();
  const action = { kind: 'reset' } as const;
  world.faults.add({ system: 'azure', path: 'progress', action });
  for (const kind of ['operation', 'location', 'resource'] as const)
    await assert.rejects(
      world.progress(kind),
      failsWith({ temporary: true, reason: 'unreachable' }),
    );
});
