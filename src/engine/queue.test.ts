import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { inTransaction } from '#database';
import { hours, seconds } from '#time';
import { done, operation, SubjectBusy, wait, type Step } from './index.ts';
import { noWork, somebodyBlocked, testWorld } from './testing.ts';

const waits: Step = {
  name: 'Wait',
  run: async ({ attempt }) => (attempt === 1 ? wait(hours(1), 'not yet') : done()),
};
const waiting = operation('waiting').stage('one', waits);
const quick = operation('quick').stage('one', { name: 'Quick', run: async () => done() });

test('a second operation on a subject is pending until the first has ended, and then begins by itself', async () => {
  await using world = await testWorld([waiting, quick]);
  world.run();
  const first = await world.engine.start('waiting', 's1', {});
  const second = await world.engine.start('quick', 's1', {});
  const third = await world.engine.start('quick', 's1', {});
  assert.deepEqual([first.state, second.state, third.state], ['in progress', 'pending', 'pending']);
  assert.equal(
    world.engine.explain(second).summary,
    'waits until the operation before it on s1 has ended',
  );
  await world.waiting(first.id);
  assert.equal((await world.engine.get(second.id))?.state, 'pending');
  world.clock.advance(hours(1));
  const ended = [
    await world.ended(first.id),
    await world.ended(second.id),
    await world.ended(third.id),
  ];
  assert.deepEqual(
    ended.map(({ state }) => state),
    ['succeeded', 'succeeded', 'succeeded'],
  );
  const [one, two, three] = ended.map(({ ended_at }) => ended_at?.getTime() ?? NaN);
  assert.ok(one! <= two! && two! <= three!);
});

test('of many operations started at the same moment on one subject exactly one is in progress', async () => {
  await using world = await testWorld([waiting, quick]);
  const started = await Promise.all(
    Array.from({ length: 9 }, () => world.engine.start('quick', 's1', {})),
  );
  assert.equal(started.filter(({ state }) => state === 'in progress').length, 1);
  world.run();
  for (const { id } of started) assert.equal((await world.ended(id)).state, 'succeeded');
});

test('the database itself refuses a second operation in progress on a subject', async () => {
  await using world = await testWorld([waiting]);
  await world.engine.start('waiting', 's1', {});
  const { id } = await world.engine.start('waiting', 's1', {});
  const { pool } = world.database;
  await assert.rejects(
    pool.query(
      `update operations set state = 'in progress', started_at = now(), due_at = now() where id = $1`,
      [id],
    ),
    /one_in_progress_per_subject/,
  );
});

test('the database itself refuses an operation in progress that nobody would ever run', async () => {
  await using world = await testWorld([waiting]);
  const { id } = await world.engine.start('waiting', 's1', {});
  const { pool } = world.database;
  await assert.rejects(
    pool.query('update operations set due_at = null where id = $1', [id]),
    /never_forgotten/,
  );
});

test('an operation exists only if the transaction that started it commits', async () => {
  await using world = await testWorld([quick]);
  world.run();
  const id = randomUUID();
  const refused = new Error('the plan is not offered');
  await assert.rejects(
    inTransaction(world.database, async (db) => {
      await world.engine.start('quick', 's1', {}, { id, db });
      throw refused;
    }),
    refused,
  );
  assert.equal(await world.engine.get(id), undefined);
  const { id: next } = await inTransaction(world.database, (db) =>
    world.engine.start('quick', 's1', {}, { db }),
  );
  await world.told(next);
  assert.deepEqual([...new Set(world.events.map(({ operation }) => operation))], [next]);
});

test('the same id again starts nothing and returns what is there', async () => {
  await using world = await testWorld([quick]);
  const id = randomUUID();
  const starts = await Promise.all(
    [1, 2, 3].map(() => world.engine.start('quick', 's1', { n: 1 }, { id })),
  );
  assert.deepEqual(new Set(starts.map((operation) => operation.number)).size, 1);
  assert.equal((await world.engine.ofSubject('s1')).length, 1);
});

test('an unknown operation is refused by name, and nothing is stored', async () => {
  await using world = await testWorld([quick]);
  await assert.rejects(
    world.engine.start('quik', 's1', {}),
    /unknown operation 'quik'; known are 'quick'/,
  );
  assert.deepEqual(await world.engine.ofSubject('s1'), []);
});

test('canceling a waiting operation ends it at once, and a pending one as well', async () => {
  await using world = await testWorld([waiting, quick]);
  world.run();
  const first = await world.engine.start('waiting', 's1', {});
  const second = await world.engine.start('quick', 's1', {});
  const third = await world.engine.start('quick', 's1', {});
  await world.waiting(first.id);
  assert.equal((await world.engine.cancel(second.id, 'not needed'))?.state, 'canceled');
  const canceled = await world.engine.cancel(first.id, 'asked to');
  assert.deepEqual([canceled?.state, canceled?.description], ['canceled', 'canceled: asked to']);
  assert.equal((await world.ended(third.id)).state, 'succeeded');
  assert.equal(await world.engine.cancel(first.id, 'again'), undefined);
});

test('canceling a running operation tells its step by the signal and ends it at that step', async () => {
  const told: string[] = [];
  const entered = Promise.withResolvers<void>();
  const never: Step = {
    name: 'Never_Ends',
    run: ({ signal, operation }) =>
      new Promise((_, reject) => {
        entered.resolve();
        signal.addEventListener('abort', () => {
          told.push(operation.id);
          reject(new Error('aborted by its signal'));
        });
      }),
  };
  const after: Step = { name: 'After', run: async () => assert.fail('must not run') };
  await using world = await testWorld([operation('long').stage('one', never).stage('two', after)]);
  world.run();
  const { id } = await world.engine.start('long', 's1', {});
  await entered.promise;
  assert.equal((await world.engine.cancel(id, 'asked to'))?.state, 'in progress');
  const ended = await world.ended(id);
  assert.deepEqual(
    [ended.state, ended.description, ended.error],
    ['canceled', 'canceled: asked to', null],
  );
  assert.deepEqual(told, [id]);
  assert.deepEqual(
    (await world.engine.timeline(id)).map(({ outcome, because }) => [outcome, because]),
    [['canceled', 'asked to']],
  );
});

test('a running operation can be canceled with a reason of any length', async () => {
  const entered = Promise.withResolvers<void>();
  const never: Step = {
    name: 'Never_Ends',
    run: () => {
      entered.resolve();
      return new Promise(() => {});
    },
  };
  await using world = await testWorld([operation('long').stage('one', never)]);
  world.run();
  const { id } = await world.engine.start('long', 's1', {});
  await entered.promise;
  const reason = 'because '.repeat(2_000);
  await world.engine.cancel(id, reason);
  assert.equal((await world.ended(id)).cancel_because, reason);
});

test('an operation that is canceled while its step decides to wait does not wait', async () => {
  const decide: Step = {
    name: 'Decide',
    async run({ operation }) {
      await world.engine.cancel(operation.id, 'asked to');
      return wait(hours(1), 'not ready');
    },
  };
  await using world = await testWorld([operation('sample').stage('one', decide)]);
  world.run();
  const { id } = await world.engine.start('sample', 's1', {});
  assert.equal((await world.ended(id)).description, 'canceled: asked to');
});

test('what an operation had reached when it was canceled is known to the one that pre-empts it', async () => {
  const create: Step<object, { created: string }> = {
    name: 'Create',
    gives: ['created'],
    run: async ({ operation }) => done({ created: `thing-${operation.subject}` }),
  };
  await using world = await testWorld([
    operation('provisioning').stage('one', create).stage('two', waits),
    operation('deprovisioning').stage('one', { name: 'Remove', run: async () => done() }),
  ]);
  world.run();
  const provisioning = await world.engine.start('provisioning', 's1', {});
  const queued = await world.engine.start('provisioning', 's1', {});
  await world.waiting(provisioning.id);
  const removal = await world.engine.start(
    'deprovisioning',
    's1',
    {},
    { preempt: 'the runtime is being removed' },
  );
  assert.equal(removal.state, 'in progress'); // it waits for nobody
  assert.equal((await world.ended(removal.id)).state, 'succeeded');
  const before = await world.engine.get(provisioning.id);
  assert.deepEqual([before?.state, before?.facts], ['canceled', { created: 'thing-s1' }]);
  assert.equal(
    (await world.engine.get(queued.id))?.description,
    'canceled: the runtime is being removed',
  );
});

test('an operation that pre-empts a running one begins as soon as that has stopped', async () => {
  const entered = Promise.withResolvers<void>();
  const never: Step = {
    name: 'Never_Ends',
    run: async () => {
      entered.resolve();
      return new Promise(() => {});
    },
  };
  await using world = await testWorld([operation('long').stage('one', never), quick]);
  world.run();
  const long = await world.engine.start('long', 's1', {});
  await entered.promise;
  const next = await world.engine.start('quick', 's1', {}, { preempt: 'removal' });
  assert.equal(next.state, 'pending');
  assert.equal((await world.ended(next.id)).state, 'succeeded');
  assert.equal((await world.engine.get(long.id))?.state, 'canceled');
});

test('when the next operation is canceled at the moment the running one ends, the one behind it begins', async () => {
  const [entered, release] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const held: Step = {
    name: 'Held',
    async run() {
      entered.resolve();
      await release.promise;
      return done();
    },
  };
  await using world = await testWorld([operation('held').stage('one', held), quick]);
  world.run();
  const running = await world.engine.start('held', 's1', {});
  const [next, behind] = [
    await world.engine.start('quick', 's1', {}),
    await world.engine.start('quick', 's1', {}),
  ];
  await entered.promise;
  await inTransaction(world.database, async (db) => {
    await world.engine.cancel(next.id, 'changed my mind', db);
    release.resolve();
    await somebodyBlocked(world.database);
  });
  const states = [
    await world.ended(running.id),
    await world.ended(next.id),
    await world.ended(behind.id),
  ];
  assert.deepEqual(
    states.map(({ state }) => state),
    ['succeeded', 'canceled', 'succeeded'],
  );
});

test('starts, pre-emptions and ends on the same subjects at the same time never block each other', async () => {
  await using world = await testWorld([quick, waiting], { workers: 50 });
  world.run();
  const act = async (n: number) => {
    const subject = `s${n % 3}`;
    if (n % 4 === 0) return world.engine.start('quick', subject, {}, { preempt: 'removal' });
    const started = await world.engine.start(n % 4 === 1 ? 'waiting' : 'quick', subject, {});
    if (n % 4 === 2) await world.engine.cancel(started.id, 'changed my mind');
    return started;
  };
  const started = await Promise.all(Array.from({ length: 120 }, (_, n) => act(n)));
  const last = await Promise.all(
    [0, 1, 2].map((n) => world.engine.start('quick', `s${n}`, {}, { preempt: 'the end' })),
  );
  for (const { id } of [...started, ...last]) await world.ended(id);
  for (const { id } of last) assert.equal((await world.engine.get(id))?.state, 'succeeded');
});

test('waking a waiting operation ends its pause', async () => {
  await using world = await testWorld([waiting]);
  world.run();
  const { id } = await world.engine.start('waiting', 's1', {});
  await world.waiting(id);
  assert.equal(await world.engine.wake(id), true);
  assert.equal((await world.ended(id)).state, 'succeeded');
  assert.equal(await world.engine.wake(id), false);
});

test('accounts take turns: one with a thousand operations does not keep others waiting', async () => {
  const order: string[] = [];
  const note: Step<{ account: string }> = {
    name: 'Note',
    async run({ facts }) {
      order.push(facts.account);
      return done();
    },
  };
  await using world = await testWorld(
    [operation<{ account: string }>('noting').stage('one', note)],
    { workers: 4 },
  );
  const start = (account: string, n: number) =>
    world.engine.start('noting', `${account}-${n}`, { account }, { account });
  for (let n = 0; n < 300; n += 1) await start('big', n);
  const last = [await start('small', 1), await start('tiny', 1)];
  world.run();
  for (const { id } of last) await world.ended(id);
  assert.ok(
    order.indexOf('small') < 8 && order.indexOf('tiny') < 8,
    `they came ${order.indexOf('small')}. and ${order.indexOf('tiny')}.`,
  );
});

test('events come in the order in which things happened, each after it was stored', async () => {
  await using world = await testWorld([waiting]);
  const stored: unknown[] = [];
  world.engine.listen((event) => {
    stored.push(
      world.engine
        .get(event.operation)
        .then((found) => [event.kind, found?.state, found?.finished_stages.length]),
    );
  });
  world.run();
  const { id } = await world.engine.start('waiting', 's1', {});
  await world.waiting(id);
  world.clock.advance(hours(1));
  await world.told(id);
  assert.deepEqual(
    world.events.filter(({ kind }) => kind !== 'created').map(({ kind }) => kind),
    ['claimed', 'step', 'waiting', 'claimed', 'step', 'ended'],
  );
  assert.deepEqual((await Promise.all(stored)).at(-1), ['ended', 'succeeded', 1]);
});

test('every process can follow the events of all replicas', async () => {
  await using world = await testWorld([quick]);
  const heard: string[] = [];
  const ended = Promise.withResolvers<void>();
  const watching = await world.engine.watch(({ kind }) => {
    heard.push(kind);
    if (kind === 'ended') ended.resolve();
  });
  world.run();
  await world.engine.start('quick', 's1', {});
  await ended.promise;
  await watching.close();
  assert.deepEqual(heard, ['created', 'claimed', 'step', 'ended']);
});

test('a step that runs for long is visible as running before it has ended', async () => {
  const { promise: finish, resolve } = Promise.withResolvers<void>();
  const long: Step = {
    name: 'Long_One',
    async run() {
      await finish;
      return done();
    },
  };
  await using world = await testWorld([operation('sample').stage('slow', long)], {
    lease: seconds(0.4),
  });
  world.run();
  const { id } = await world.engine.start('sample', 's1', {});
  const seen = await (async () => {
    for (;;) {
      const found = await world.engine.get(id);
      if (found?.step) return world.engine.explain(found);
    }
  })();
  resolve();
  assert.deepEqual(
    [seen.activity, seen.stage, seen.step, seen.summary],
    ['running', 'slow', 'Long_One', 'runs Long_One'],
  );
  await world.ended(id);
});

test('of two operations that begin only on a free subject, exactly one does, also at the same moment', async () => {
  await using world = await testWorld([operation('sample').stage('one', noWork)]);
  const { engine } = world;
  const start = (id?: string) =>
    engine.start('sample', 's1', {}, { onlyIfFree: true, ...(id && { id }) });
  const results = await Promise.allSettled([start(), start(), start()]);
  const [begun, ...more] = results.flatMap((each) =>
    each.status === 'fulfilled' ? [each.value] : [],
  );
  assert.ok(begun && more.length === 0);
  for (const each of results)
    if (each.status === 'rejected') assert.ok(each.reason instanceof SubjectBusy);
  assert.equal((await start(begun.id)).id, begun.id); // the same once more is no other one
  assert.equal((await engine.ofSubject('s1')).length, 1);
  world.run();
  await world.ended(begun.id);
  assert.notEqual((await start()).id, begun.id);
});
