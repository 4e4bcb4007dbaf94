import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { hours, minutes } from '#time';
import { testDatabase, type TestDatabase } from '../database/testing.ts';
import { done, fail, operation, wait, type StoredOperation } from './index.ts';
import type { Queryable } from './operations-table.ts';
import { countQueues } from './statistics.ts';
import { step, testWorld, Unreachable, type TestWorld } from './testing.ts';

const acts = step('Acts', async ({ operation: { subject } }) => {
  if (subject.startsWith('fails')) return fail(new Error(`quota of ${subject} exceeded`));
  if (subject.startsWith('unreachable')) throw new Unreachable('no answer');
  if (subject.startsWith('waits')) return wait(hours(3), 'not yet', 'gardener');
  return done();
});
const order = operation('order').stage('one', acts);
const change = operation('change').stage('one', { ...acts, name: 'Changes' });

let database: TestDatabase;
let world: TestWorld;
let began: Date;
const started = new Map<string, StoredOperation>();

/** A day in the life, which all tests look at. */
before(async () => {
  database = await testDatabase({ migrations: ['engine'] });
  world = await testWorld([order, change], { name: 'only-one' }, { database });
  began = new Date();
  const start = async (type: string, subject: string, account: string) => {
    const stored = await world.engine.start(type, subject, {}, { account });
    started.set(`${type} ${subject}`, stored);
    return stored.id;
  };
  for (const subject of ['ok-1', 'ok-2', 'fails-1', 'fails-2'])
    await start('order', subject, 'a-1');
  await start('change', 'fails-1', 'a-1');
  world.run();
  for (const { id } of started.values()) await world.ended(id);
  await world.waiting(await start('order', 'waits-1', 'a-2'));
  await start('change', 'waits-1', 'a-2');
  await world.waiting(await start('order', 'unreachable-1', 'a-3'));
});
after(async () => {
  await world[Symbol.asyncDispose]();
  await database[Symbol.asyncDispose]();
});

const page = { limit: 100, offset: 0 };

for (const [what, filter, expected] of [
  ['nothing', {}, 8],
  ['a state', { states: ['failed'] }, 3],
  ['two states', { states: ['failed', 'pending'] }, 4],
  ['a type', { types: ['change'] }, 2],
  ['a subject and a type', { subjects: ['fails-1'], types: ['order'] }, 1],
  ['an account', { accounts: ['a-2', 'a-3'] }, 3],
  ['a step', { steps: ['Changes'] }, 1],
  ['the system that is waited for', { systems: ['gardener'] }, 1],
  ['the system that failed', { systems: ['edp'] }, 1],
  ['what is queued', { activities: ['queued'] }, 1],
  ['what waits', { activities: ['waiting'] }, 2],
  ['what is tried again', { activities: ['retrying'] }, 1],
  ['what runs', { activities: ['running'] }, 0],
  ['what is stuck', { activities: ['stuck'] }, 0],
] as const)
  test(`a list by ${what} has all of them, and their number`, async () => {
    const { operations, total } = await world.engine.list(filter, page);
    assert.deepEqual([operations.length, total], [expected, expected]);
  });

test('a list is paged and sorted, the newest first unless told otherwise', async () => {
  const subjects = async (more: object) => {
    const { operations, total } = await world.engine.list(
      { types: ['order'] },
      { ...page, ...more },
    );
    assert.equal(total, 6);
    return operations.map(({ subject }) => subject);
  };
  assert.deepEqual(await subjects({ limit: 2 }), ['unreachable-1', 'waits-1']);
  assert.deepEqual(await subjects({ limit: 2, offset: 4 }), ['ok-2', 'ok-1']);
  assert.deepEqual(await subjects({ limit: 1, descending: false }), ['ok-1']);
  const { operations } = await world.engine.list({}, { ...page, order: 'type' });
  assert.equal(operations[0]?.type, 'order');
});

test('failures of the same kind are one group, whatever their messages say', async () => {
  const until = new Date(Date.now() + hours(1));
  const { groups, total } = await world.engine.statistics.errors({
    since: began,
    until,
    ...page,
  });
  assert.equal(total, 3);
  const [largest] = groups;
  assert.deepEqual(
    [largest?.type, largest?.count, largest?.open, largest?.subjectCount, largest?.failure.step],
    ['order', 2, 0, 2, 'Acts'],
  );
  assert.deepEqual(largest?.subjects.toSorted(), ['fails-1', 'fails-2']);
  const retried = groups.find(({ failure }) => failure.system === 'edp');
  assert.deepEqual([retried?.count, retried?.open, retried?.subjects], [1, 1, ['unreachable-1']]);
  const { operations } = await world.engine.list(
    { fingerprints: [largest?.fingerprint ?? ''] },
    page,
  );
  assert.equal(operations.length, 2);
  const before = { since: new Date(0), until: new Date(began.getTime() - 1), ...page };
  assert.deepEqual((await world.engine.statistics.errors(before)).groups, []);
});

test('what began and ended is counted by the hour, and what is open at this moment', async () => {
  const counted = await world.engine.statistics.states({ since: began, bucket: 'day' });
  const sum = (what: string, type: string) =>
    counted
      .filter((each) => each.what === what && each.type === type)
      .reduce((all, { count }) => all + count, 0);
  assert.deepEqual(
    [
      sum('started', 'order'),
      sum('succeeded', 'order'),
      sum('failed', 'order'),
      sum('failed', 'change'),
    ],
    [6, 2, 2, 1],
  );
  const { oldestDue, ...now } = await world.engine.statistics.now();
  assert.equal(oldestDue, null);
  assert.deepEqual(now, {
    pending: 1,
    inProgress: 2,
    waiting: 2,
    retrying: 1,
    due: 0,
    running: 0,
    stuck: 0,
  });
});

test('what waits for a worker is counted by type, and what has one', async () => {
  const none = { due: 0, running: 0 };
  const { pool } = database;
  const counted = async (offset: number, db: Queryable = pool) =>
    Object.fromEntries((await countQueues(db, offset)).map(({ type, ...rest }) => [type, rest]));
  const queued = { change: none };
  assert.deepEqual(await counted(0), { order: none, ...queued });
  const later = hours(4);
  assert.deepEqual(await counted(later), { order: { due: 2, running: 0 }, ...queued });
  const client = await pool.connect();
  try {
    await client.query('begin');
    await client.query(`update operations set claimed_by = 7 where subject = 'unreachable-1'`);
    assert.deepEqual(await counted(later, client), { order: { due: 1, running: 1 }, ...queued });
  } finally {
    await client.query('rollback');
    client.release();
  }
});

test('how long steps take is told by type, stage and step', async () => {
  const all = await world.engine.statistics.steps({ since: began, types: [] });
  assert.deepEqual(
    all.map(({ type, stage, step: name, runs, failures }) => [type, stage, name, runs, failures]),
    [
      ['change', 'one', 'Changes', 1, 1],
      ['order', 'one', 'Acts', 6, 3],
    ],
  );
  for (const { p50Ms, p90Ms, p99Ms } of all)
    assert.ok(0 <= p50Ms && p50Ms <= p90Ms && p90Ms <= p99Ms);
  assert.equal(
    (await world.engine.statistics.steps({ since: began, types: ['change'] })).length,
    1,
  );
});

test('the replicas that live are told, with what they run', async () => {
  const [only, ...others] = await world.engine.statistics.replicas();
  assert.deepEqual([only?.name, only?.running, others], ['only-one', 0, []]);
});

test('a timeline can be read in parts', async () => {
  const { id } = started.get('order ok-1')!;
  const all = await world.engine.timeline(id);
  assert.deepEqual(await world.engine.timeline(id, { after: 0, limit: 1 }), all.slice(0, 1));
  assert.deepEqual(await world.engine.timeline(id, { after: all.length }), []);
});

test('what tries in vain for a quarter of an hour is stuck, and what waits for an hour', async () => {
  // While it is tried once more it is not.
  const stuck = (count: number) =>
    world.until(async () => {
      const { operations } = await world.engine.list({ activities: ['stuck'] }, page);
      if (operations.length < count) return undefined;
      return operations.map(({ subject }) => subject).toSorted();
    });
  world.clock.advance(minutes(20));
  assert.deepEqual(await stuck(1), ['unreachable-1']);
  world.clock.advance(minutes(45));
  assert.deepEqual(await stuck(2), ['unreachable-1', 'waits-1']);
});
