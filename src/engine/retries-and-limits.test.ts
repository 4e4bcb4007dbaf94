import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hours, minutes, seconds } from '#time';
import { done, fail, operation, wait } from './index.ts';
import { noWork, step, testWorld, Unreachable } from './testing.ts';

test('a temporary error is retried with growing pauses, and the timeline says why', async () => {
  const pauses: number[] = [];
  const register = step(
    'EDP_Registration',
    async ({ attempt }) => {
      if (attempt <= 4) throw new Unreachable('edp does not answer');
      return done();
    },
    { retry: { every: seconds(10), upTo: seconds(30) } },
  );
  await using world = await testWorld([operation('sample').stage('register', register)]);
  world.engine.listen((event) => {
    if (event.kind !== 'waiting') return;
    pauses.push(event.for);
    world.clock.advance(event.for);
  });
  world.run();
  const { id } = await world.engine.start('sample', 's1', {});
  assert.equal((await world.ended(id)).state, 'succeeded');
  assert.deepEqual(pauses, [10, 20, 30, 30].map(seconds));
  const [retried] = await world.engine.timeline(id);
  assert.deepEqual(
    [retried?.outcome, retried?.because, retried?.system, retried?.error_class, retried?.runs],
    ['retry', 'edp does not answer', 'edp', 'system', 4],
  );
});

test('a step that used up its time fails the operation and says what it was waiting for', async () => {
  const poll = step('Poll', async () => wait(minutes(7), 'no answer yet', 'director'), {
    retry: { within: minutes(30) },
  });
  await using world = await testWorld([operation('sample').stage('one', poll)]);
  world.engine.listen((event) => event.kind === 'waiting' && world.clock.advance(event.for));
  world.run();
  const { id } = await world.engine.start('sample', 's1', {});
  const { state, description } = await world.ended(id);
  assert.equal(state, 'failed');
  assert.equal(description, 'Poll did not succeed within 30 min: no answer yet');
});

test('the time limit of a step goes on over a restart of the replica', async () => {
  const poll = step('Poll', async () => wait(minutes(10), 'no answer yet'), {
    retry: { within: hours(1) },
  });
  await using world = await testWorld([operation('sample').stage('one', poll)]);
  world.run();
  const { id } = await world.engine.start('sample', 's1', {});
  for (let restarts = 0; restarts < 4; restarts += 1) {
    await world.waiting(id);
    await world.stop();
    world.run();
    world.clock.advance(minutes(10));
    await world.until(async () =>
      (await world.engine.timeline(id))[0]?.runs === restarts + 2 ? true : undefined,
    );
  }
  await world.waiting(id); // 40 minutes since the first run
  world.engine.listen((event) => event.kind === 'waiting' && world.clock.advance(event.for));
  world.clock.advance(minutes(10));
  assert.match((await world.ended(id)).description, /did not succeed within 1 h/);
  assert.equal((await world.engine.timeline(id))[0]?.runs, 6);
});

test('the time limit of a step begins anew once the step was done', async () => {
  let calm = true;
  const flaky = step(
    'Flaky',
    async () => {
      if (calm) return done();
      calm = true;
      throw new Unreachable('for a moment');
    },
    { retry: { within: minutes(5), every: seconds(1) } },
  );
  const slow = step('Slow', async ({ attempt }) =>
    attempt === 1 ? wait(hours(2), 'takes long') : done(),
  );
  await using world = await testWorld([operation('sample').stage('one', flaky, slow)]);
  world.run();
  const { id } = await world.engine.start('sample', 's1', {});
  await world.waiting(id);
  calm = false;
  world.clock.advance(hours(2)); // Flaky was done two hours ago: this error is its first
  await world.until(async () =>
    (await world.engine.timeline(id)).find(({ outcome }) => outcome === 'retry'),
  );
  world.clock.advance(seconds(1));
  assert.equal((await world.ended(id)).state, 'succeeded');
});

test('an operation that used up its time fails', async () => {
  const poll = step('Poll', async () => wait(hours(7), 'no answer yet', 'gardener'));
  await using world = await testWorld([
    operation('sample', { timeLimit: hours(24) }).stage('one', poll),
  ]);
  world.engine.listen((event) => event.kind === 'waiting' && world.clock.advance(event.for));
  world.run();
  const { id } = await world.engine.start('sample', 's1', {});
  const { state, description, error } = await world.ended(id);
  assert.equal(state, 'failed');
  assert.equal(description, 'the operation did not succeed within 1 d; Poll: no answer yet');
  assert.equal(error?.reason, 'time_limit');
});

test('time in which no worker was free counts for no limit', async () => {
  const poll = step(
    'Poll',
    async ({ attempt }) => (attempt === 1 ? wait(minutes(1), 'not yet') : done()),
    {
      retry: { within: minutes(10) },
    },
  );
  await using world = await testWorld([
    operation('sample', { timeLimit: hours(1) }).stage('one', poll),
  ]);
  world.run();
  const { id } = await world.engine.start('sample', 's1', {});
  await world.waiting(id);
  await world.stop();
  world.clock.advance(hours(30)); // nobody was there
  world.run();
  assert.equal((await world.ended(id)).state, 'succeeded');
});

test('a best-effort step that cannot succeed is left behind on record, and the operation goes on', async () => {
  const remove = step(
    'Remove',
    async () => {
      throw new Unreachable('edp does not answer');
    },
    { retry: { every: minutes(1), within: minutes(5), otherwise: 'go on' } },
  );
  const refuse = step('Refuse', async () => fail(new Error('not allowed')), {
    retry: { otherwise: 'go on' },
  });
  await using world = await testWorld([
    operation('sample').stage('one', remove).stage('two', refuse).stage('three', noWork),
  ]);
  world.engine.listen((event) => event.kind === 'waiting' && world.clock.advance(event.for));
  world.run();
  const { id } = await world.engine.start('sample', 's1', {});
  const ended = await world.ended(id);
  assert.equal(ended.state, 'succeeded');
  assert.deepEqual(ended.not_completed, ['Remove', 'Refuse']);
  assert.equal(ended.description, 'succeeded, but not completed: Remove, Refuse');
  const timeline = await world.engine.timeline(id);
  assert.deepEqual(
    timeline.filter(({ outcome }) => outcome === 'not completed').map(({ because }) => because),
    ['Remove did not succeed within 5 min: edp does not answer', 'not allowed'],
  );
});

test('a step knows which steps before it were left behind, also after a restart', async () => {
  const seen: (readonly string[])[] = [];
  const refuse = step('Refuse', async () => fail(new Error('not allowed')), {
    retry: { otherwise: 'go on' },
  });
  const look = step('Look', async ({ attempt, notCompleted }) => {
    seen.push(notCompleted);
    return attempt === 1 ? wait(hours(1), 'not yet') : done();
  });
  await using world = await testWorld([
    operation('sample').stage('one', noWork).stage('two', refuse).stage('three', look),
  ]);
  world.run();
  const { id } = await world.engine.start('sample', 's1', {});
  await world.waiting(id);
  await world.stop();
  world.run();
  world.clock.advance(hours(1));
  await world.ended(id);
  assert.deepEqual(seen, [['Refuse'], ['Refuse']]);
});

test('a step is told when its time is up, and may still do something about it', async () => {
  const told: boolean[] = [];
  const remove = step(
    'Remove',
    async ({ timeIsUp }) => {
      told.push(timeIsUp);
      return timeIsUp ? done() : wait(minutes(20), 'it is still there');
    },
    { retry: { within: minutes(30) } },
  );
  await using world = await testWorld([operation('sample').stage('one', remove)]);
  world.engine.listen((event) => event.kind === 'waiting' && world.clock.advance(event.for));
  world.run();
  const { id } = await world.engine.start('sample', 's1', {});
  assert.equal((await world.ended(id)).state, 'succeeded');
  assert.deepEqual(told, [false, false, true]);
});

test('a step gives up after so many temporary errors in a row', async () => {
  const failing = step(
    'Failing',
    async () => {
      throw new Unreachable('gone');
    },
    { retry: { every: seconds(1), attempts: 3 } },
  );
  await using world = await testWorld([operation('sample').stage('one', failing)]);
  world.engine.listen((event) => event.kind === 'waiting' && world.clock.advance(event.for));
  world.run();
  const { id } = await world.engine.start('sample', 's1', {});
  assert.equal((await world.ended(id)).description, 'Failing did not succeed in 3 attempts: gone');
});

test('a step that hangs is left behind at the run limit and tried again', async () => {
  const aborted: unknown[] = [];
  const hanging = step('Hanging', async ({ attempt, signal }) => {
    if (attempt > 1) return done();
    signal.addEventListener('abort', () => aborted.push(attempt));
    world.clock.advance(minutes(5));
    return new Promise(() => {});
  });
  await using world = await testWorld([operation('sample').stage('one', hanging)], {
    runLimit: minutes(5),
  });
  world.engine.listen((event) => event.kind === 'waiting' && world.clock.advance(event.for));
  world.run();
  const { id } = await world.engine.start('sample', 's1', {});
  assert.equal((await world.ended(id)).state, 'succeeded');
  assert.deepEqual(aborted, [1]);
  assert.equal((await world.engine.timeline(id))[0]?.because, 'Hanging has been running for 5 min');
});

test('where the outside world is faster, pauses are shorter', async () => {
  const look = step('Look', async ({ attempt }) =>
    attempt === 1 ? wait(hours(1), 'not yet') : done(),
  );
  await using world = await testWorld([operation('sample').stage('one', look)], { pace: 60 });
  world.run();
  const { id } = await world.engine.start('sample', 's1', {});
  const event = await world.until(() => world.events.find(({ kind }) => kind === 'waiting'));
  assert.equal(event.kind === 'waiting' && event.for, minutes(1));
  assert.equal((await world.waiting(id)).because, 'not yet');
});
