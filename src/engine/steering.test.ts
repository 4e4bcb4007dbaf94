import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { hours } from '#time';
import { eventually, testDatabase, type TestDatabase } from '../database/testing.ts';
import {
  condition,
  done,
  fail,
  memoryOf,
  NotPossible,
  operation,
  wait,
  when,
  type Step,
} from './index.ts';
import { step, testWorld, Unreachable, type TestWorld } from './testing.ts';

/** What steps do, by subject: tests share one world. */
const broken = new Set<string>();
const held = new Map<string, { began: () => void; aborted: boolean }>();
const runs: string[] = [];

const first = step('First', async ({ operation: { subject } }) => {
  runs.push(`First ${subject}`);
  return done();
});
const second = step(
  'Second',
  async ({ operation: { subject }, attempt, signal }) => {
    runs.push(`Second ${subject}`);
    if (broken.has(subject)) return fail(new Error('it broke'));
    if (subject.startsWith('unreachable')) throw new Unreachable('no answer');
    if (subject.startsWith('waits')) return attempt === 1 ? wait(hours(1), 'not yet') : done();
    const holding = held.get(subject);
    if (!holding) return done();
    holding.began();
    await new Promise<void>((resolve) =>
      signal.addEventListener('abort', () => {
        holding.aborted = true;
        resolve();
      }),
    );
    return done();
  },
  { retry: { within: hours(2) } },
);
const gives = {
  name: 'Gives',
  gives: ['fact'],
  run: async () => done({ fact: 1 }),
} as const;
const needy: Step<{ fact: number }> = {
  name: 'Needy',
  needs: ['fact'],
  run: async () => done(),
};
const sample = operation('sample', { timeLimit: hours(3) })
  .stage('one', first)
  .stage('two', second)
  .stage(
    'three',
    step('Third', async () => done()),
  );
const facts = operation('facts')
  .stage('one', second)
  .stage(
    'two',
    gives,
    when(
      condition('sometimes', () => true),
      { ...gives, name: 'May_Give' },
    ),
  )
  .stage('three', needy);
const gates = new Map<string, { began: () => void; opened: Promise<void> }>();
const token = memoryOf<string>('token');
/** Steps that share memory, behind one that a test can hold. */
const shared = operation('shared').stage(
  'one',
  step('Gate', async ({ operation: { subject } }) => {
    gates.get(subject)?.began();
    await gates.get(subject)?.opened;
    return done();
  }),
  step('Early', async () => done()),
  step('Leaves', async ({ memory }) => {
    memory.set(token, 'secret');
    return done();
  }),
  step('Reads', async ({ memory }) => {
    memory.get(token);
    return done();
  }),
  second,
);

let database: TestDatabase;
let world: TestWorld;
before(async () => {
  database = await testDatabase({ migrations: ['engine'] });
  world = await testWorld([sample, facts, shared], {}, { database });
  world.run();
});
after(async () => {
  await world[Symbol.asyncDispose]();
  await database[Symbol.asyncDispose]();
});

const outcomes = async (id: string) =>
  (await world.engine.timeline(id)).map(({ step: name, outcome, because }) =>
    [name, outcome, because].filter(Boolean).join(' '),
  );
const refused = (message: RegExp) => (error: unknown) =>
  error instanceof NotPossible && message.test(error.message);

/** An operation that runs, as far as its first step. */
async function atTheGate(subject: string) {
  const began = Promise.withResolvers<void>();
  const { promise: opened, resolve: open } = Promise.withResolvers<void>();
  gates.set(subject, { began: began.resolve, opened });
  const { id } = await world.engine.start('shared', subject, {});
  await began.promise;
  return { id, open };
}

/** Until the replica that runs it knows. */
const heard = (id: string, kind: 'skipping' | 'unskipping') =>
  world.until(() => world.events.find((each) => each.kind === kind && each.operation === id));

async function failed(subject: string) {
  broken.add(subject);
  const { id } = await world.engine.start('sample', subject, {});
  const ended = await world.ended(id);
  broken.delete(subject);
  return ended;
}

test('a waiting operation that is retried tries at once', async () => {
  const { id } = await world.engine.start('sample', 'waits-retry', {});
  await world.waiting(id);
  const dry = await world.engine.retry(id, { dryRun: true });
  assert.equal(dry.effect, 'Second is tried now');
  assert.equal(world.engine.explain(dry.operation).activity, 'waiting');
  await world.engine.retry(id);
  assert.equal((await world.ended(id)).state, 'succeeded');
});

test('a failed operation that is retried goes on from the stage where it failed, with fresh limits', async () => {
  const { id, epoch, error, fingerprint } = await failed('failed');
  assert.equal(error?.message, 'it broke');
  assert.match(fingerprint ?? '', /^[0-9a-f]{16}$/);
  world.clock.advance(hours(4)); // longer than the operation may take
  const { operation: restarted, effect } = await world.engine.retry(id, { because: 'mended' });
  assert.equal(effect, 'goes on from stage two, with the whole time that it may take');
  assert.equal(restarted.state, 'in progress');
  assert.equal(restarted.description, 'retried: mended');
  assert.deepEqual([restarted.error, restarted.ended_at, restarted.progress], [null, null, {}]);
  assert.ok(restarted.epoch > epoch);
  const ended = await world.ended(id);
  assert.equal(ended.state, 'succeeded');
  assert.equal(runs.filter((run) => run === 'First failed').length, 1);
  assert.deepEqual(await outcomes(id), [
    'First done',
    'Second fail it broke',
    'Second done',
    'Third done',
  ]);
});

test('a canceled operation can be taken up again, also one that had not begun', async () => {
  const running = await world.engine.start('sample', 'waits-cancel', {});
  const queued = await world.engine.start('sample', 'waits-cancel', {});
  await world.engine.cancel(queued.id, 'not wanted');
  await assert.rejects(world.engine.retry(queued.id), refused(/is under way on waits-cancel/));
  await world.waiting(running.id);
  await world.engine.cancel(running.id, 'not wanted either');
  await world.engine.retry(queued.id);
  await world.waiting(queued.id);
  await world.engine.retry(queued.id);
  const ended = await world.ended(queued.id);
  assert.deepEqual([ended.state, ended.cancel_because], ['succeeded', null]);
});

test('an operation is not retried while another one of its subject is open, or after a newer one has run', async () => {
  const old = await failed('rivals');
  broken.add('rivals');
  const newer = await world.engine.start('sample', 'rivals', {});
  await world.ended(newer.id);
  broken.delete('rivals');
  await assert.rejects(
    world.engine.retry(old.id),
    refused(new RegExp(`sample ${newer.id} has come after it \\(failed\\) on rivals`)),
  );
  assert.equal((await world.engine.get(old.id))?.state, 'failed');
  await world.engine.retry(newer.id);
  await assert.rejects(world.engine.retry(old.id), refused(/rivals/));
});

test('of many who retry the same failed operation one puts it back, and it ends once', async () => {
  const { id } = await failed('many');
  const before = world.events.length;
  const answers = await Promise.allSettled(Array.from({ length: 8 }, () => world.engine.retry(id)));
  assert.ok(answers.some(({ status }) => status === 'fulfilled'));
  assert.equal((await world.told(id)).state, 'succeeded');
  await world.until(() =>
    world.events.slice(before).find(({ kind, operation: of }) => kind === 'ended' && of === id),
  );
  assert.deepEqual((await outcomes(id)).slice(2), ['Second done', 'Third done']);
});

for (const [what, subject, message] of [
  ['runs at this moment', 'held-retry', /runs at this moment/],
  ['has succeeded', 'plain', /has succeeded/],
] as const)
  test(`an operation that ${what} is not retried`, async () => {
    const began = Promise.withResolvers<void>();
    if (subject.startsWith('held')) held.set(subject, { began: began.resolve, aborted: false });
    else began.resolve();
    const { id } = await world.engine.start('sample', subject, {});
    await began.promise;
    if (!held.has(subject)) await world.ended(id);
    await assert.rejects(world.engine.retry(id), refused(message));
    await world.engine.cancel(id, 'enough');
  });

test('an operation that does not exist is neither retried nor spared a step', async () => {
  const nobody = '00000000-0000-4000-8000-000000000000';
  const unknown = (error: unknown) =>
    error instanceof NotPossible && error.reason === 'operation_unknown';
  await assert.rejects(world.engine.retry(nobody), unknown);
  await assert.rejects(world.engine.skip(nobody, { step: 'Second', because: 'so' }), unknown);
  await assert.rejects(world.engine.unskip(nobody, { step: 'Second' }), unknown);
});

test('a step that waits is left out on record, and the operation goes on at once', async () => {
  const { id } = await world.engine.start('sample', 'unreachable-skip', {});
  await world.waiting(id);
  const asked = { step: 'Second', because: 'edp is gone for good' };
  const dry = await world.engine.skip(id, { ...asked, dryRun: true });
  assert.equal(dry.effect, 'Second is left out, and the operation goes on now');
  assert.deepEqual((await world.engine.get(id))?.skips, {});
  await world.engine.skip(id, asked);
  assert.equal((await world.ended(id)).state, 'succeeded');
  assert.deepEqual((await outcomes(id)).slice(-2), [
    'Second skip edp is gone for good',
    'Third done',
  ]);
});

test('a step that runs is stopped by its signal when it is left out', async () => {
  const began = Promise.withResolvers<void>();
  const holding = { began: began.resolve, aborted: false };
  held.set('held-skip', holding);
  const { id } = await world.engine.start('sample', 'held-skip', {});
  await began.promise;
  await world.engine.skip(id, { step: 'Second', because: 'hangs' });
  assert.equal((await world.ended(id)).state, 'succeeded');
  assert.equal(holding.aborted, true);
  assert.deepEqual(await outcomes(id), ['First done', 'Second skip hangs', 'Third done']);
});

test('a later step is left out when its turn comes; of a failed operation once it is retried', async () => {
  const { id } = await failed('later');
  const { effect } = await world.engine.skip(id, { step: 'Second', because: 'never works' });
  assert.equal(effect, 'Second is left out once the operation is retried');
  await world.engine.skip(id, { step: 'Third', because: 'not needed' });
  assert.equal((await world.engine.get(id))?.state, 'failed');
  broken.add('later');
  await world.engine.retry(id);
  assert.equal((await world.ended(id)).state, 'succeeded');
  assert.deepEqual((await outcomes(id)).slice(2), [
    'Second skip never works',
    'Third skip not needed',
  ]);
});

test('a step that was left out stays so when its stage starts over with another replica', async () => {
  const { id } = await world.engine.start('sample', 'waits-restart', {});
  await world.waiting(id);
  await world.stop();
  await world.engine.skip(id, { step: 'Second', because: 'no' });
  world.run();
  assert.equal((await world.ended(id)).state, 'succeeded');
  assert.deepEqual((await outcomes(id)).slice(-2), ['Second skip no', 'Third done']);
});

for (const [what, subject, name, message] of [
  ['is not known', 'waits-unknown', 'Nobody', /is not known; its steps are Second, Gives/],
  ['gives what others need', 'waits-gives', 'Gives', /need the fact 'fact'/],
  ['gives what a later step names', 'waits-named', 'May_Give', /need the fact 'fact'/],
] as const)
  test(`a step that ${what} is not left out`, async () => {
    const { id } = await world.engine.start('facts', subject, {});
    await world.waiting(id);
    await assert.rejects(world.engine.skip(id, { step: name, because: 'so' }), refused(message));
    assert.deepEqual((await world.engine.get(id))?.skips, {});
    await world.engine.cancel(id, 'enough');
  });

test('a step that has run to its end is not left out', async () => {
  const { id } = await world.engine.start('sample', 'waits-over', {});
  await world.waiting(id);
  const over = refused(/has run to its end/);
  await assert.rejects(world.engine.skip(id, { step: 'First', because: 'so' }), over);
  await world.engine.retry(id);
  await world.ended(id);
  const succeeded = refused(/has succeeded/);
  await assert.rejects(world.engine.skip(id, { step: 'Third', because: 'so' }), succeeded);
});

test('a step that was to be left out is done after all, if that is taken back in time', async () => {
  const { id } = await world.engine.start('sample', 'waits-unskip', {});
  await world.waiting(id);
  await world.engine.skip(id, { step: 'Third', because: 'not needed' });
  const dry = await world.engine.unskip(id, { step: 'Third', dryRun: true });
  assert.equal(dry.effect, 'Third is done when its turn comes');
  assert.deepEqual((await world.engine.get(id))?.skips, { Third: 'not needed' });
  await world.engine.unskip(id, { step: 'Third' });
  assert.deepEqual((await world.engine.get(id))?.skips, {});
  await assert.rejects(
    world.engine.unskip(id, { step: 'Third' }),
    refused(/Third .* is not to be left out; of its steps these are: none is/),
  );
  await world.engine.retry(id);
  await world.ended(id);
  assert.deepEqual((await outcomes(id)).slice(-1), ['Third done']);
});

for (const isHeard of [true, false])
  test(`a skip is taken back in time also while the operation runs, ${isHeard ? 'and its replica hears of it' : 'and its replica does not hear of it'}`, async () => {
    const { id, open } = await atTheGate(`gate-${isHeard}`);
    await world.engine.skip(id, { step: 'Early', because: 'a mistake' });
    await heard(id, 'skipping');
    if (isHeard) {
      await world.engine.unskip(id, { step: 'Early' });
      await heard(id, 'unskipping');
    } else await database.pool.query(`update operations set skips = '{}' where id = $1`, [id]);
    open();
    assert.equal((await world.ended(id)).state, 'succeeded');
    const told = await outcomes(id);
    const detour = isHeard ? [] : ['Early skip a mistake'];
    assert.deepEqual(
      told.filter((line) => line.startsWith('Early')),
      [...detour, 'Early done'],
    );
    assert.equal(told.at(-1), 'Second done');
  });

test('a step that has been left out is not done any more', async () => {
  const { id, open } = await atTheGate('waits-too-late');
  await world.engine.skip(id, { step: 'Early', because: 'so' });
  await heard(id, 'skipping');
  open();
  await world.waiting(id);
  const tooLate = refused(/Early .* it has been left out already/);
  await assert.rejects(world.engine.unskip(id, { step: 'Early' }), tooLate);
  await world.engine.retry(id);
  await world.ended(id);
  const over = refused(/the operation has succeeded/);
  await assert.rejects(world.engine.unskip(id, { step: 'Early' }), over);

  const next = await world.engine.start('sample', 'waits-finished-stage', {});
  await world.waiting(next.id);
  await world.engine.skip(next.id, { step: 'Second', because: 'so' });
  await world.ended(next.id);
  await assert.rejects(world.engine.unskip(next.id, { step: 'Second' }), over);
});

test('who leaves out a step whose stage goes on after it is warned of what others may miss, and can mend it', async () => {
  const { id, open } = await atTheGate('memory');
  const { effect } = await world.engine.skip(id, { step: 'Leaves', because: 'not needed' });
  await heard(id, 'skipping');
  assert.match(
    effect,
    /; steps after it in stage one \(Reads, Second\) may need what it leaves in memory, and then the operation fails$/,
  );
  open();
  const { state, error } = await world.ended(id);
  assert.equal(state, 'failed');
  assert.match(error?.message ?? '', /no step of this stage has left 'token' in memory/);
  const mended = await world.engine.unskip(id, { step: 'Leaves' });
  assert.equal(mended.effect, 'Leaves is done once the operation is retried');
  await world.engine.retry(id);
  assert.equal((await world.ended(id)).state, 'succeeded');
});

test('retries and skips that race with replicas at work lose no operation and run nothing after its end', async () => {
  await using other = await testWorld([sample, facts, shared], {}, { database });
  other.clock.advance(world.clock.offset);
  other.run();
  const ids: string[] = [];
  for (let number = 0; number < 12; number += 1) {
    const { id } = await world.engine.start('sample', `unreachable-race-${number}`, {});
    ids.push(id);
  }
  const steer = async (id: string, index: number) => {
    for (let round = 0; round < 6; round += 1) {
      const act =
        round === index % 6
          ? world.engine.skip(id, { step: 'Second', because: 'race' })
          : world.engine.retry(id);
      await act.catch((error: unknown) => {
        if (!(error instanceof NotPossible)) throw error;
      });
    }
    // Either replica may end it, and only one of them tells us.
    await eventually(async () => {
      const found = await world.engine.get(id);
      if (!found || found.ended_at !== null) return true;
      if (found.skips['Second'] === undefined)
        await world.engine
          .skip(id, { step: 'Second', because: 'race' })
          .catch((error: unknown) => assert.ok(error instanceof NotPossible));
      return false;
    });
  };
  await Promise.all(ids.map(steer));
  for (const id of ids) {
    assert.equal((await world.engine.get(id))?.state, 'succeeded');
    const told = await outcomes(id);
    assert.deepEqual(told.slice(-2), ['Second skip race', 'Third done']);
    assert.equal(told.filter((line) => line === 'Third done').length, 1);
  }
});
