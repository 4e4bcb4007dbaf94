import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inTransaction } from '#database';
import { hours, seconds } from '#time';
import { eventually } from '../database/testing.ts';
import { done, operation, wait, type Step } from './index.ts';
import { somebodyBlocked, testWorld } from './testing.ts';

const quick: Step = { name: 'Quick', run: async () => done() };

test('nobody hears that an operation has succeeded before that is stored', async () => {
  const [entered, release] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const last: Step = {
    name: 'Last',
    async run() {
      entered.resolve();
      await release.promise;
      return done();
    },
  };
  await using world = await testWorld([operation('sample').stage('one', last)]);
  const { id } = await world.engine.start('sample', 's1', {});
  const heard = () =>
    world.events.map(({ kind }) => kind).filter((kind) => kind === 'step' || kind === 'ended');
  await inTransaction(world.database, async (db) => {
    // While this transaction holds the row, the replica cannot store the end.
    world.run();
    await entered.promise;
    await db.query('select from operations where id = $1 for update', [id]);
    release.resolve();
    await somebodyBlocked(world.database);
    assert.deepEqual(heard(), []);
  });
  await world.told(id);
  assert.deepEqual(heard(), ['step', 'ended']);
});

test('an operation whose progress the database refuses is put off and finished later', async () => {
  await using world = await testWorld([operation('sample').stage('one', quick)]);
  const { pool } = world.database;
  await pool.query(
    `create function refuse() returns trigger language plpgsql as $$ begin raise 'no room for history'; end $$;
     create trigger refuse before update on operations for each row
       when (new.history_length > old.history_length or new.state = 'failed') execute function refuse()`,
  );
  world.run();
  const { id } = await world.engine.start('sample', 's1', {});
  const other = await world.engine.start('sample', 's2', {});
  for (const refused of [id, other.id]) {
    const waiting = await eventually(async () => {
      const found = await world.engine.get(refused);
      return found && world.engine.explain(found).activity === 'waiting' && found;
    });
    assert.equal(waiting.claimed_by, null);
  }
  await pool.query('drop trigger refuse on operations');
  world.clock.advance(seconds(60));
  assert.equal((await world.ended(id)).state, 'succeeded');
  assert.equal((await world.ended(other.id)).state, 'succeeded');
});

test('a database that cannot write for a while is waited for, and no step is repeated', async () => {
  let runs = 0;
  const create: Step<object, { created: boolean }> = {
    name: 'Create',
    gives: ['created'],
    async run() {
      runs += 1;
      return done({ created: true });
    },
  };
  await using world = await testWorld([operation('sample').stage('one', create)]);
  const { pool } = world.database;
  // What a full disk answers.
  await pool.query(
    `create sequence refusals;
     create function refuse() returns trigger language plpgsql as
       $$ begin perform nextval('refusals'); raise 'no space left on device' using errcode = '53100'; end $$;
     create trigger refuse before update on operations for each row
       when (new.history_length > old.history_length) execute function refuse()`,
  );
  world.run();
  const { id } = await world.engine.start('sample', 's1', {});
  await eventually(
    async () => (await pool.query('select from refusals where last_value >= 2')).rowCount === 1,
  );
  await pool.query('drop trigger refuse on operations');
  assert.equal((await world.ended(id)).state, 'succeeded');
  assert.equal(runs, 1);
});

test('one operation that the database refuses does not keep others from being stored in the same transaction', async () => {
  const release = Promise.withResolvers<void>();
  let arrived = 0;
  const together: Step<{ note: string }, { note: string }> = {
    name: 'Together',
    gives: ['note'],
    async run({ facts }) {
      arrived += 1;
      if (arrived === 20) release.resolve();
      await release.promise;
      return done({ note: facts.note });
    },
  };
  await using world = await testWorld([
    operation<{ note: string }>('sample').stage('one', together),
  ]);
  const { pool } = world.database;
  await pool.query(
    `create function refuse() returns trigger language plpgsql as $$ begin raise 'not this one'; end $$;
     create trigger refuse before update on operations for each row
       when (new.subject = 's7' and new.state = 'succeeded') execute function refuse()`,
  );
  const started = [];
  for (let n = 0; n < 20; n += 1)
    started.push(await world.engine.start('sample', `s${n}`, { note: 'n' }));
  world.run();
  const ended = await Promise.all(started.map(({ id }) => world.ended(id)));
  assert.deepEqual(
    ended
      .filter(({ state }) => state !== 'succeeded')
      .map(({ subject, description }) => [subject, description]),
    [['s7', 'the operation could not be carried on: not this one']],
  );
});

test('work goes on by itself after all connections were cut', async () => {
  const poll: Step = {
    name: 'Poll',
    run: async ({ attempt }) => (attempt < 3 ? wait(seconds(1), 'not yet') : done()),
  };
  await using world = await testWorld([operation('sample').stage('one', poll)], {
    lease: seconds(1),
  });
  world.run();
  const { id } = await world.engine.start('sample', 's1', {});
  await world.waiting(id);
  const { pool } = world.database;
  const cut = () =>
    pool.query(
      `select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()`,
    );
  await cut();
  world.clock.advance(seconds(1));
  await eventually(async () => {
    const timeline = await world.engine.timeline(id).catch(() => []); // its own connection may be cut, too
    return (timeline[0]?.runs ?? 0) >= 2;
  });
  await cut();
  world.clock.advance(seconds(1));
  const found = await eventually(async () => {
    const operation = await world.engine.get(id).catch(() => undefined); // its own connection may be cut, too
    return operation?.ended_at ? operation : undefined;
  });
  assert.equal(found.state, 'succeeded');
});

test('work that arrives while the replica is looking for work is not overlooked', async () => {
  await using world = await testWorld([operation('sample').stage('one', quick)], {
    poll: hours(1),
    lease: seconds(20),
  });
  world.run();
  const registered = async () =>
    (await world.database.pool.query('select from replicas')).rowCount === 1;
  await eventually(registered);
  const ids: string[] = [];
  await inTransaction(world.database, async (db) => {
    // A claim locks its replica's row, so this one hangs in the middle, with a view of the past.
    await db.query('select from replicas for update');
    ids.push((await world.engine.start('sample', 's1', {})).id);
    await somebodyBlocked(world.database);
    ids.push((await world.engine.start('sample', 's2', {})).id);
    await world.until(() => world.events.find((event) => event.operation === ids[1]));
  });
  for (const id of ids) assert.equal((await world.ended(id)).state, 'succeeded');
});

test('workers that are busy for long do not keep the others from working', async () => {
  const release = Promise.withResolvers<void>();
  let busy = 0;
  const long: Step = {
    name: 'Long',
    async run() {
      busy += 1;
      await release.promise;
      return done();
    },
  };
  await using world = await testWorld(
    [operation('long').stage('one', long), operation('short').stage('one', quick)],
    {
      workers: 8,
      poll: hours(1),
    },
  );
  world.run();
  for (let n = 0; n < 7; n += 1) await world.engine.start('long', `l${n}`, {});
  await eventually(async () => busy === 7);
  const short = [];
  for (let n = 0; n < 30; n += 1) short.push(await world.engine.start('short', `s${n}`, {}));
  for (const { id } of short) assert.equal((await world.ended(id)).state, 'succeeded');
  release.resolve();
});

test('a notification that was lost delays work no longer than the poll', async () => {
  await using world = await testWorld([operation('sample').stage('one', quick)], {
    poll: seconds(0.2),
  });
  world.run();
  await eventually(
    async () => (await world.database.pool.query('select from replicas')).rowCount === 1,
  );
  // As start() would, but nobody is told.
  await world.database.pool.query(
    `insert into operations (id, type, subject, facts, state, created_at, updated_at, started_at, due_at)
     values (gen_random_uuid(), 'sample', 's1', '{}', 'in progress', now(), now(), now(), now())`,
  );
  const [unannounced] = await world.engine.ofSubject('s1');
  assert.equal((await world.ended(unannounced!.id)).state, 'succeeded');
});

test('what is claimed by a replica that does not exist is found and finished', async () => {
  await using world = await testWorld([operation('sample').stage('one', quick)], {
    poll: seconds(0.2),
  });
  const { id } = await world.engine.start('sample', 's1', {});
  await world.database.pool.query('update operations set claimed_by = 4711, epoch = epoch + 1');
  world.run();
  assert.equal((await world.ended(id)).state, 'succeeded');
});

test('an operation on which replicas die comes back later each time', async () => {
  await using world = await testWorld([operation('sample').stage('one', quick)], {
    poll: seconds(0.2),
  });
  const { id } = await world.engine.start('sample', 's1', {});
  await world.database.pool.query('update operations set claimed_by = 4711, losses = 5');
  world.run();
  const { due_at: due, losses } = await eventually(async () => {
    const found = await world.engine.get(id);
    return found?.claimed_by === null && found;
  });
  assert.equal(losses, 6);
  assert.ok(due && due.getTime() > Date.now() + seconds(25), `it is due at ${due?.toISOString()}`);
});

test('a replica runs no more operations at a time than it has workers, and none is left out', async () => {
  let running = 0;
  let most = 0;
  const count: Step = {
    name: 'Count',
    async run() {
      running += 1;
      most = Math.max(most, running);
      await new Promise((resolve) => setImmediate(resolve));
      running -= 1;
      return done();
    },
  };
  await using world = await testWorld([operation('sample').stage('one', count)], { workers: 5 });
  const started = [];
  for (let n = 0; n < 60; n += 1) started.push(await world.engine.start('sample', `s${n}`, {}));
  world.run();
  for (const { id } of started) await world.ended(id);
  assert.equal(most, 5);
});

test('operations of a type that this code does not know are left to others', async () => {
  await using world = await testWorld([
    operation('known').stage('one', quick),
    operation('newer').stage('one', quick),
  ]);
  const newer = await world.engine.start('newer', 's1', {});
  await using older = await testWorld(
    [operation('known').stage('one', quick)],
    {},
    { database: world.database },
  );
  older.run();
  const known = await older.engine.start('known', 's2', {});
  await older.ended(known.id);
  assert.equal((await older.engine.get(newer.id))?.claimed_by, null);
  world.run();
  assert.equal((await world.ended(newer.id)).state, 'succeeded');
});

test('an operation in flight goes on when a release has added and removed stages', async () => {
  const waits: Step = {
    name: 'Wait',
    run: async ({ attempt }) => (attempt === 1 ? wait(hours(1), 'not yet') : done()),
  };
  const ran: string[] = [];
  const note = (name: string): Step => ({
    name,
    async run() {
      ran.push(name);
      return done();
    },
  });
  await using world = await testWorld([
    operation('sample')
      .stage('one', note('One'))
      .stage('gone', note('Gone'))
      .stage('wait', waits)
      .stage('end', note('End')),
  ]);
  world.run();
  const { id } = await world.engine.start('sample', 's1', {});
  await world.waiting(id);
  await world.stop();
  await using next = await testWorld(
    [
      operation('sample')
        .stage('one', note('One'))
        .stage('wait', waits)
        .stage('new', note('New'))
        .stage('end', note('End')),
    ],
    {},
    { database: world.database },
  );
  next.clock.advance(hours(1));
  next.run();
  assert.equal((await next.ended(id)).state, 'succeeded');
  assert.deepEqual(ran, ['One', 'Gone', 'New', 'End']);
});
