import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createKeyring, rotateSecrets, Secret } from '#database';
import { hours, minutes, seconds } from '#time';
import {
  condition,
  done,
  fail,
  finish,
  memoryOf,
  operation,
  skip,
  wait,
  when,
  type Step,
} from './index.ts';
import { eventually } from '../database/testing.ts';
import { noWork, step, testWorld, Unreachable } from './testing.ts';

test('an operation runs its stages in order and ends with the facts that its steps gave', async () => {
  const ran: string[] = [];
  const create: Step<{ plan: string }, { runtimeId: string }> = {
    name: 'Create',
    gives: ['runtimeId'],
    async run({ facts, operation }) {
      ran.push('Create');
      return done({ runtimeId: `${facts.plan}-${operation.subject}` });
    },
  };
  const check: Step<{ runtimeId: string }> = {
    name: 'Check',
    async run({ facts }) {
      ran.push(`Check ${facts.runtimeId}`);
      return done();
    },
  };
  const sample = operation<{ plan: string }>('sample')
    .stage('create', create)
    .stage('check', check);
  await using world = await testWorld([sample]);
  world.run();
  const { id } = await world.engine.start('sample', 's1', { plan: 'aws' });
  const ended = await world.ended(id);
  assert.equal(ended.state, 'succeeded');
  assert.deepEqual(ended.facts, { plan: 'aws', runtimeId: 'aws-s1' });
  assert.deepEqual(ended.finished_stages, ['create', 'check']);
  assert.deepEqual(ran, ['Create', 'Check aws-s1']);
});

test('an operation that has become pointless ends as succeeded, says why, and runs nothing more', async () => {
  const ran: string[] = [];
  const next = step('Next', async () => {
    ran.push('Next');
    return done();
  });
  const look = step('Look', async () => finish('nothing changes'));
  await using world = await testWorld([
    operation('sample')
      .stage('one', look, next)
      .stage('two', { ...next, name: 'Last' }),
  ]);
  world.run();
  const { id } = await world.engine.start('sample', 's1', {});
  const behind = await world.engine.start('sample', 's1', {});
  const ended = await world.ended(id);
  assert.equal(ended.state, 'succeeded');
  assert.equal(ended.description, 'nothing changes');
  assert.equal(world.engine.explain(ended).summary, 'nothing changes');
  assert.deepEqual(
    (await world.engine.timeline(id)).map(({ step, outcome, because }) => [step, outcome, because]),
    [['Look', 'done', 'nothing changes']],
  );
  assert.equal((await world.ended(behind.id)).state, 'succeeded');
  assert.deepEqual(ran, []);
});

test('what a step gave is stored before the next step runs', async () => {
  const stored: unknown[] = [];
  const give = step('Give', async () => done({ key: 'k1' }), { gives: ['key' as never] });
  const look = step('Look', async ({ operation }) => {
    stored.push((await world.engine.get(operation.id))?.facts);
    return done();
  });
  await using world = await testWorld([operation('sample').stage('one', give, look)]);
  world.run();
  const { id } = await world.engine.start('sample', 's1', {});
  await world.ended(id);
  assert.deepEqual(stored, [{ key: 'k1' }]);
});

test('a stage that waits starts over from its first step with empty memory; a finished stage is not repeated', async () => {
  const ran: string[] = [];
  const token = memoryOf<string>('token');
  const first = step('First', async () => {
    ran.push('First');
    return done();
  });
  const fetchToken = step('Fetch_Token', async ({ memory, attempt }) => {
    assert.equal(memory.has(token), false);
    memory.set(token, `token ${attempt}`);
    ran.push('Fetch_Token');
    return done();
  });
  const useToken = step('Use_Token', async ({ memory, attempt }) => {
    ran.push(`Use ${memory.get(token)}`);
    return attempt === 1 ? wait(hours(1), 'not ready') : done();
  });
  await using world = await testWorld([
    operation('sample').stage('one', first).stage('two', fetchToken, useToken),
  ]);
  world.run();
  const { id } = await world.engine.start('sample', 's1', {});
  await world.waiting(id);
  world.clock.advance(hours(1));
  await world.ended(id);
  assert.deepEqual(ran, ['First', 'Fetch_Token', 'Use token 1', 'Fetch_Token', 'Use token 2']);
});

test('a waiting operation says what it waits for, since when and until when, and occupies no worker', async () => {
  const poll = step('Check_Runtime', async () => wait(minutes(1), 'Shoot is at 35 %', 'gardener'), {
    retry: { within: hours(6) },
    owner: 'team-shoot',
  });
  await using world = await testWorld([operation('sample').stage('check', poll)]);
  world.run();
  const { id } = await world.engine.start('sample', 's1', {});
  const waiting = await world.waiting(id);
  await eventually(async () => world.engine.running === 0);
  const { since, nextTryAt, deadline, ...rest } = world.engine.explain(waiting);
  assert.deepEqual(rest, {
    state: 'in progress',
    activity: 'waiting',
    summary: 'Check_Runtime waits for gardener: Shoot is at 35 %',
    stage: 'check',
    step: 'Check_Runtime',
    attempt: 1,
    owner: 'team-shoot',
    waitingFor: 'gardener',
    because: 'Shoot is at 35 %',
    system: 'gardener',
    class: 'system',
    action: 'nothing: gardener is at work',
  });
  assert.ok(since && nextTryAt && deadline);
  assert.ok(nextTryAt.getTime() - since.getTime() >= minutes(1));
  assert.ok(Math.abs(deadline.getTime() - since.getTime() - hours(6)) < seconds(5));
});

test('a day of polling with the same answer is one row of the timeline', async () => {
  let polls = 0;
  const poll = step('Poll', async () => {
    polls += 1;
    return polls <= 240 ? wait(minutes(6), 'still creating', 'gardener') : done();
  });
  const before = step('Before', async () => done());
  await using world = await testWorld([
    operation('sample', { timeLimit: hours(48) }).stage('all', before, poll),
  ]);
  world.run();
  const { id } = await world.engine.start('sample', 's1', {});
  // The clock jumps whenever the operation rests.
  world.engine.listen(({ kind }) => kind === 'waiting' && world.clock.advance(minutes(6)));
  await world.ended(id);
  const timeline = await world.engine.timeline(id);
  assert.deepEqual(
    timeline.map(({ step, outcome, runs }) => [step, outcome, runs]),
    [
      ['Before', 'done', 241],
      ['Poll', 'wait', 240],
      ['Poll', 'done', 1],
    ],
  );
  assert.equal(timeline[1]?.attempt, 240);
});

test('any other error fails the operation at once, and it is that error which is on record', async () => {
  let runs = 0;
  const broken = step('Broken', async () => {
    runs += 1;
    throw new TypeError('cannot read the region of the plan');
  });
  await using world = await testWorld([
    operation('sample').stage('one', broken).stage('two', noWork),
  ]);
  world.run();
  const { id } = await world.engine.start('sample', 's1', {});
  const { state, description, error } = await world.ended(id);
  assert.equal(state, 'failed');
  assert.equal(description, 'cannot read the region of the plan');
  assert.deepEqual(error, {
    class: 'us',
    message: 'cannot read the region of the plan',
    step: 'Broken',
  });
  assert.equal(runs, 1);
  assert.deepEqual(
    (await world.engine.timeline(id)).map(({ step }) => step),
    ['Broken'],
  );
});

test('a step that answers fail ends the operation with its error', async () => {
  const refuse = step('Refuse', async () =>
    fail(
      Object.assign(new Error('quota exceeded'), {
        failureClass: 'user',
        action: 'order more quota',
      }),
    ),
  );
  await using world = await testWorld([operation('sample').stage('one', refuse)]);
  world.run();
  const { id } = await world.engine.start('sample', 's1', {});
  const ended = await world.ended(id);
  assert.deepEqual(world.engine.explain(ended).failure, {
    class: 'user',
    message: 'quota exceeded',
    step: 'Refuse',
    action: 'order more quota',
  });
});

test('steps that were left out are on record with the reason', async () => {
  const edpEnabled = condition<{ edp: boolean }>('EDP is enabled', ({ edp }) => edp);
  const sample = operation<{ edp: boolean }>('sample').stage(
    'one',
    when(
      edpEnabled,
      step('EDP_Registration', async () => done()),
    ),
    step('Own_Decision', async () => skip('nothing to clean up')),
  );
  await using world = await testWorld([sample]);
  world.run();
  const { id } = await world.engine.start('sample', 's1', { edp: false });
  await world.ended(id);
  assert.deepEqual(
    (await world.engine.timeline(id)).map(({ step, outcome, because }) => [step, outcome, because]),
    [
      ['EDP_Registration', 'skip', 'not applicable: EDP is enabled'],
      ['Own_Decision', 'skip', 'nothing to clean up'],
    ],
  );
});

test('a retried step sees the facts that were given since, not those it saw before', async () => {
  const seen: unknown[] = [];
  const create: Step<{ created?: string }, { created?: string }> = {
    name: 'Create',
    gives: ['created'],
    async run({ facts, attempt }) {
      seen.push(facts.created ?? 'nothing');
      return facts.created ? done() : done({ created: `in attempt ${attempt}` });
    },
  };
  const poll: Step = {
    name: 'Poll',
    async run({ attempt }) {
      if (attempt === 1) return wait(seconds(1), 'again');
      if (attempt === 2) throw new Unreachable('again');
      return done();
    },
  };
  await using world = await testWorld([operation('sample').stage('one', create, poll)]);
  world.engine.listen((event) => event.kind === 'waiting' && world.clock.advance(event.for));
  world.run();
  const { id } = await world.engine.start('sample', 's1', {});
  await world.ended(id);
  assert.deepEqual(seen, ['nothing', 'in attempt 1', 'in attempt 1']);
});

test('secret facts are readable for steps and unreadable in the database', async () => {
  const revealed: string[] = [];
  const give: Step<{ password: Secret }, { token: { value: Secret } }> = {
    name: 'Give',
    gives: ['token'],
    run: async ({ facts }) =>
      done({ token: { value: new Secret(`token for ${facts.password.reveal()}`) } }),
  };
  const use: Step<{ token: { value: Secret } }> = {
    name: 'Use',
    async run({ facts }) {
      revealed.push(facts.token.value.reveal());
      return done();
    },
  };
  const sample = operation<{ password: Secret }>('sample').stage('one', give).stage('two', use);
  await using world = await testWorld([sample]);
  world.run();
  const { id } = await world.engine.start('sample', 's1', { password: new Secret('canary') });
  const ended = await world.ended(id);
  assert.deepEqual(revealed, ['token for canary']);
  const { rows } = await world.database.pool.query<{ all: string }>(
    'select operations::text as all from operations',
  );
  assert.doesNotMatch(rows[0]?.all ?? '', /canary/);
  assert.doesNotMatch(JSON.stringify([ended, world.events]), /canary/);
});

test('stored secrets can be sealed with a new key, and the operation goes on with that key alone', async () => {
  const revealed: string[] = [];
  const use: Step<{ password: Secret }> = {
    name: 'Use',
    async run({ facts, attempt }) {
      revealed.push(facts.password.reveal());
      return attempt === 1 ? wait(hours(1), 'not yet') : done();
    },
  };
  const sample = operation<{ password: Secret }>('sample').stage('one', use);
  await using world = await testWorld([sample]);
  world.run();
  const { id } = await world.engine.start('sample', 's1', { password: new Secret('canary') });
  await world.waiting(id);
  await world.stop();
  const [old, fresh] = [new Uint8Array(32).fill(7), new Uint8Array(32).fill(8)];
  const both = createKeyring({ current: 'fresh', keys: { test: old, fresh } });
  const columns = [{ table: 'operations', key: 'id', column: 'facts' }];
  assert.deepEqual(await rotateSecrets(world.database, both, columns), {
    rewritten: 1,
    remaining: 0,
  });
  const keyring = createKeyring({ current: 'fresh', keys: { fresh } });
  await using next = await testWorld([sample], {}, { database: world.database, keyring });
  next.clock.advance(hours(1));
  next.run();
  assert.equal((await next.ended(id)).state, 'succeeded');
  assert.deepEqual(revealed, ['canary', 'canary']);
});

for (const [what, run, expected] of [
  [
    'a fact it did not declare',
    async () => done({ surprise: 1 }),
    /Odd has given the fact 'surprise', which its 'gives' does not list/,
  ],
  ['a fact that is no JSON', async () => done({ known: 10n }), /could not be carried on: .*BigInt/],
  [
    'a text that PostgreSQL cannot store',
    async () => done({ known: 'a\0b' }),
    /could not be carried on: .*Unicode/i,
  ],
  ['no outcome', async () => undefined as never, /Odd has returned no outcome/],
] as const) {
  test(`a step that gives ${what} fails its operation, and the engine goes on`, async () => {
    const odd = step('Odd', run, { gives: ['known' as never] });
    await using world = await testWorld([
      operation('odd').stage('one', odd),
      operation('even').stage('one', noWork),
    ]);
    world.run();
    const { id } = await world.engine.start('odd', 's1', {});
    const ended = await world.ended(id);
    assert.equal(ended.state, 'failed');
    assert.match(ended.description, expected);
    const other = await world.engine.start('even', 's1', {});
    assert.equal((await world.ended(other.id)).state, 'succeeded');
  });
}
