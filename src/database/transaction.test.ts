import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { testDatabase, type TestDatabase } from './testing.ts';
import { afterCommit, inSnapshot, inTransaction } from './transaction.ts';
import { isConnectionError } from './unavailable.ts';

let database: TestDatabase;
before(async () => {
  database = await testDatabase({ connections: 2 });
  await database.pool.query('create table notes (text text not null)');
});
after(() => database[Symbol.asyncDispose]());

const notes = async () => (await database.pool.query('select text from notes')).rows;

test('what a transaction did is there when its work returns', async () => {
  const result = await inTransaction(database, async (db) => {
    await db.query(`insert into notes values ('kept')`);
    assert.deepEqual(await notes(), []);
    return 'result';
  });
  assert.equal(result, 'result');
  assert.deepEqual(await notes(), [{ text: 'kept' }]);
});

test('what a transaction did is undone when its work throws, and the caller gets that error', async () => {
  const error = new Error('changed my mind');
  const failing = inTransaction(database, async (db) => {
    await db.query('delete from notes');
    throw error;
  });
  await assert.rejects(failing, (thrown) => thrown === error);
  assert.deepEqual(await notes(), [{ text: 'kept' }]);
});

test('a transaction is not called committed when an error in it was swallowed', async () => {
  const swallowing = inTransaction(database, async (db) => {
    await db.query('delete from notes');
    await db.query('insert into notes values (null)').catch(() => {});
  });
  await assert.rejects(swallowing, /was rolled back/);
  assert.deepEqual(await notes(), [{ text: 'kept' }]);
});

test('what is to follow a commit does so once it is there, and never if it is undone', async () => {
  const seen: unknown[] = [];
  const look = () => void seen.push(notes());
  await inTransaction(database, async (db) => {
    await db.query(`insert into notes values ('followed')`);
    afterCommit(db, look);
    assert.equal(seen.length, 0);
  });
  assert.deepEqual(await Promise.all(seen), [[{ text: 'kept' }, { text: 'followed' }]]);
  const undone = inTransaction(database, async (db) => {
    await db.query(`delete from notes where text = 'followed'`);
    afterCommit(db, look);
    throw new Error('changed my mind');
  });
  await assert.rejects(undone);
  assert.equal(seen.length, 1);
  await database.pool.query(`delete from notes where text = 'followed'`);
  afterCommit(database.pool, look);
  assert.equal(seen.length, 2);
});

test('what is read in a snapshot is of one moment, and nothing is written there', async () => {
  await inSnapshot(database, async (db) => {
    const first = await db.query('select text from notes');
    await database.pool.query(`insert into notes values ('later')`);
    assert.deepEqual((await db.query('select text from notes')).rows, first.rows);
    assert.equal((await notes()).length, first.rows.length + 1);
  });
  const writing = inSnapshot(database, (db) => db.query('delete from notes'));
  await assert.rejects(writing, /read-only transaction/);
  await database.pool.query(`delete from notes where text = 'later'`);
});

test('a connection that breaks in a transaction is replaced, and the work keeps its own error', async () => {
  for (const _ of [1, 2, 3]) {
    const error = new Error('of the work');
    const losing = inTransaction(database, async (db) => {
      await breakConnection(db);
      throw error;
    });
    await assert.rejects(losing, (thrown) => thrown === error);
  }
  for (const _ of [1, 2, 3]) {
    const losing = inTransaction(database, async (db) => {
      await breakConnection(db);
      await db.query('select 1');
    });
    await assert.rejects(losing, isConnectionError);
  }
  assert.deepEqual(await notes(), [{ text: 'kept' }]);
  assert.ok(database.pool.totalCount <= 2);
});

async function breakConnection(db: { query: TestDatabase['pool']['query'] }): Promise<void> {
  const { rows } = await db.query<{ pid: number }>('select pg_backend_pid() as pid');
  await database.pool.query('select pg_terminate_backend($1, 5000)', [rows[0]?.pid]);
}
