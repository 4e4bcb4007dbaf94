import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pino, type Logger } from 'pino';
import { hours } from '#time';
import { eventually, testDatabase, type TestDatabase } from '../database/testing.ts';
import { Events, watchEvents, type OperationEvent } from './events.ts';
import { done, operation, wait, type Step } from './index.ts';
import { silent, testWorld } from './testing.ts';

const claimed = (operation: string): OperationEvent => ({
  operation,
  kind: 'claimed',
  replica: 'replica-1',
  late: 0,
});
const waiting = (operation: string, because: string): OperationEvent => ({
  operation,
  kind: 'waiting',
  stage: 'one',
  step: 'Step',
  because,
  system: null,
  for: 1,
});

/** A log that can be looked at. */
function logged(): { readonly log: Logger; readonly lines: { msg: string; err?: object }[] } {
  const lines: { msg: string; err?: object }[] = [];
  const write = (line: string) => void lines.push(JSON.parse(line) as { msg: string });
  return { log: pino({ level: 'warn' }, { write }), lines };
}

/** Follows the events as another process would. */
async function watch(database: TestDatabase, onGap?: () => void) {
  const heard: OperationEvent[] = [];
  const waiters = new Map<string, () => void>();
  const watching = await watchEvents(
    database,
    silent,
    (event) => {
      heard.push(event);
      waiters.get(event.operation)?.();
    },
    onGap,
  );
  return {
    heard,
    /** Resolves when there is news of that operation. */
    hears: (operation: string) =>
      new Promise<void>((resolve) => void waiters.set(operation, resolve)),
    [Symbol.asyncDispose]: () => watching.close(),
  };
}

/** Sends these events, and returns what had arrived elsewhere when a last one did. */
async function sent(database: TestDatabase, events: readonly OperationEvent[], log = silent) {
  await using watching = await watch(database);
  const source = new Events(database, log);
  const last = watching.hears('last');
  for (const event of events) source.emit(event);
  await source.flush();
  source.emit(claimed('last'));
  await source.flush();
  await last;
  return watching.heard.slice(0, -1);
}

test('listeners in the process are told at once, in the order in which they came, until they end it', async () => {
  await using database = await testDatabase({ migrations: ['engine'] });
  const events = new Events(database, silent);
  const heard: string[] = [];
  const end = events.listen(({ operation }) => heard.push(`first ${operation}`));
  events.listen(({ operation }) => heard.push(`second ${operation}`));
  events.emit(claimed('a'));
  assert.deepEqual(heard, ['first a', 'second a']);
  end();
  events.emit(claimed('b'));
  assert.deepEqual(heard, ['first a', 'second a', 'second b']);
  await events.flush();
});

test('a listener that throws harms neither the other listeners nor the operation, and the log says so', async () => {
  const { log, lines } = logged();
  const quick: Step = { name: 'Quick', run: async () => done() };
  await using world = await testWorld([operation('quick').stage('one', quick)], {}, { log });
  const heard: string[] = [];
  world.engine.listen(() => {
    throw new Error('cannot draw this');
  });
  world.engine.listen(({ kind }) => heard.push(kind));
  world.run();
  const { id } = await world.engine.start('quick', 's1', {});
  assert.equal((await world.told(id)).state, 'succeeded');
  const kinds = world.events.map(({ kind }) => kind);
  assert.ok(kinds.includes('claimed') && kinds.includes('step'));
  assert.deepEqual(heard, kinds);
  assert.deepEqual(
    lines.map(({ msg }) => msg),
    kinds.map(() => 'a listener has thrown'),
  );
  assert.match(JSON.stringify(lines[0]?.err), /cannot draw this/);
});

test('many events arrive elsewhere in order, none missing, none twice', async () => {
  await using database = await testDatabase({ migrations: ['engine'] });
  const events = Array.from({ length: 2_000 }, (_, n) => claimed(`o-${n}`));
  assert.deepEqual(await sent(database, events), events);
});

test('large events arrive elsewhere, however many bytes their characters have', async () => {
  await using database = await testDatabase({ migrations: ['engine'] });
  const { log, lines } = logged();
  // From far below to just below what one notification takes.
  const events = Array.from({ length: 60 }, (_, n) => waiting(`o-${n}`, '…'.repeat(n * 40)));
  assert.deepEqual(await sent(database, events, log), events);
  assert.deepEqual(lines, []);
});

test('an event that no notification can take does not keep the others from arriving', async () => {
  await using database = await testDatabase({ migrations: ['engine'] });
  const events = ['before', 'too large', 'after'].map((id) =>
    waiting(id, id === 'too large' ? 'x'.repeat(8_000) : ''),
  );
  const heard = await sent(database, events);
  assert.deepEqual(
    heard.filter(({ operation }) => operation !== 'too large'),
    [events[0], events[2]],
  );
});

test('the end of an operation is heard elsewhere, however much it says', async () => {
  await using database = await testDatabase({ migrations: ['engine'] });
  const description = '語'.repeat(2_000); // as long as a failure may be
  const error = { class: 'us', message: description } as const;
  const end = { kind: 'ended', state: 'failed', description, error, duration: 1 } as const;
  const [heard] = await sent(database, [{ operation: 'o-1', ...end }]);
  assert.deepEqual([heard?.operation, heard?.kind], ['o-1', 'ended']);
});

test('a watcher that throws harms nobody, and hears what comes next', async () => {
  await using database = await testDatabase({ migrations: ['engine'] });
  const { log, lines } = logged();
  const heard: string[] = [];
  const last = Promise.withResolvers<void>();
  const watching = await watchEvents(database, log, ({ operation }) => {
    heard.push(operation);
    if (operation === 'last') last.resolve();
    if (heard.length === 1) throw new Error('a bug of the watcher');
  });
  const events = new Events(database, silent);
  events.emit(claimed('first'));
  await events.flush();
  await database.pool.query(`select pg_notify('${database.schema}_events', 'not ours')`);
  events.emit(claimed('last'));
  await events.flush();
  await last.promise;
  await watching.close();
  assert.deepEqual(heard, ['first', 'last']);
  assert.equal(lines.length, 2);
});

test('a flush sends what there is, and once only', async () => {
  await using database = await testDatabase({ migrations: ['engine'] });
  await using watching = await watch(database);
  const events = new Events(database, silent);
  const last = watching.hears('last');
  events.emit(claimed('a'));
  await events.flush();
  await events.flush();
  events.emit(claimed('last'));
  await events.flush();
  await last;
  assert.deepEqual(watching.heard, [claimed('a'), claimed('last')]);
});

test('events are sent elsewhere a moment later without being asked', async () => {
  await using database = await testDatabase({ migrations: ['engine'] });
  await using watching = await watch(database);
  const events = new Events(database, silent);
  for (const id of ['a', 'b']) {
    const heard = watching.hears(id);
    events.emit(claimed(id));
    await heard;
  }
  assert.deepEqual(watching.heard, [claimed('a'), claimed('b')]);
});

test('events that cannot be sent are dropped with a warning, and whoever emits goes on', async () => {
  const { log, lines } = logged();
  const heard: string[] = [];
  const database = await testDatabase({ migrations: ['engine'] });
  const events = new Events(database, log);
  events.listen(({ operation }) => heard.push(operation));
  await database[Symbol.asyncDispose]();
  events.emit(claimed('a'));
  await events.flush();
  events.emit(claimed('b'));
  await events.flush();
  assert.deepEqual(heard, ['a', 'b']);
  assert.deepEqual(
    lines.map(({ msg }) => msg),
    Array(2).fill('events were not sent to other processes'),
  );
});

test('what is created or canceled is heard everywhere, without any replica; a call to look again is no event', async () => {
  const waits: Step = { name: 'Wait', run: async () => wait(hours(1), 'not yet') };
  await using world = await testWorld([operation('waiting').stage('one', waits)]);
  world.run();
  const parked = await world.engine.start('waiting', 's1', {});
  await world.waiting(parked.id);
  await world.stop();

  await using watching = await watch(world.database);
  await world.engine.wake(parked.id);
  const queued = await world.engine.start('waiting', 's1', {});
  await world.engine.cancel(queued.id, 'asked to');
  const last = watching.hears('last');
  const source = new Events(world.database, silent);
  source.emit(claimed('last'));
  await source.flush();
  await last;
  const [created, canceled, ...rest] = watching.heard;
  assert.deepEqual(
    [created?.kind, created?.operation, created?.type, created?.subject],
    ['created', queued.id, 'waiting', 's1'],
  );
  assert.equal(canceled?.operation, queued.id);
  assert.match(JSON.stringify(canceled), /canceled/);
  assert.deepEqual(rest, [claimed('last')]);
});

test('a watcher that loses its connection is told of the gap, and hears what happens afterwards', async () => {
  await using database = await testDatabase({ migrations: ['engine'] });
  const gap = Promise.withResolvers<void>();
  await using watching = await watch(database, gap.resolve);
  const events = new Events(database, silent);
  await database.pool.query(
    `select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and query like 'listen%'`,
  );
  await gap.promise;
  // Nobody reports that it listens again, so it is told until it hears.
  const heard = await eventually(async () => {
    events.emit(claimed('after the gap'));
    await events.flush();
    return watching.heard[0];
  });
  assert.deepEqual(heard, claimed('after the gap'));
});

test('a watcher that was closed hears nothing more, and frees its connection', async () => {
  await using database = await testDatabase({ migrations: ['engine'] });
  const closed = await watch(database);
  await closed[Symbol.asyncDispose]();
  const events = [claimed('a')];
  assert.deepEqual(await sent(database, events), events);
  assert.deepEqual(closed.heard, []);
  await eventually(async () => {
    const { rowCount } = await database.pool.query(
      `select from pg_stat_activity where datname = current_database() and query like 'listen%'`,
    );
    return rowCount === 0;
  });
});
