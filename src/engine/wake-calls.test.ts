import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { pino } from 'pino';
import { inTransaction } from '#database';
import { eventually, testDatabase } from '../database/testing.ts';
import { operation } from './index.ts';
import { insertOperation } from './operations-table.ts';
import { noWork, testWorld } from './testing.ts';
import { WakeCalls } from './wake-calls.ts';

const sample = operation('sample').stage('one', noWork);

test('replicas are called for every operation that was accepted, for many at once, and for none that was undone', async (t) => {
  await using world = await testWorld([sample]);
  const { engine, database } = world;
  const heard: string[] = [];
  const watching = await engine.watch(({ kind, operation: id }) => {
    if (kind === 'created') heard.push(id);
  });
  t.after(() => watching.close());
  const queries = t.mock.method(database.pool, 'query').mock;

  const many = await Promise.all(
    Array.from({ length: 100 }, (_, n) => engine.start('sample', `s-${n}`, {})),
  );
  const undone = inTransaction(database, async (db) => {
    await engine.start('sample', 'undone', {}, { db });
    throw new Error('changed my mind');
  });
  await assert.rejects(undone, /changed my mind/);
  await engine.start('sample', 's-0', {}, { id: many[0]?.id ?? '' }); // it is there already
  const { id: last } = await engine.start('sample', 'last', {});
  await eventually(async () => heard.includes(last));
  assert.deepEqual(heard.toSorted(), [...many.map(({ id }) => id), last].toSorted());
  assert.ok(queries.callCount() < 60, `${queries.callCount()} calls`);
});

test('a call that fails is no trouble for those after it', async () => {
  const said: string[] = [];
  const log = pino({ level: 'warn' }, { write: (line: string) => void said.push(line) });
  const database = await testDatabase({ migrations: ['engine'] });
  await database[Symbol.asyncDispose]();
  const calls = new WakeCalls(database, log);
  for (const id of ['a', 'b', 'c']) calls.send({ kind: 'created', id });
  await eventually(async () => said.length === 2);
  assert.match(said[0] ?? '', /"operations":1.*replicas were not called/);
  assert.match(said[1] ?? '', /"operations":2/);
});

test('what no replica was called for is found all the same', async () => {
  await using world = await testWorld([sample], { poll: 50 });
  world.run();
  const { id: first } = await world.engine.start('sample', 'called', {});
  await world.ended(first);
  const of = { type: 'sample', subject: 'not called', account: '', facts: '{}', mayQueue: false };
  const { row } = await insertOperation(world.database.pool, 0, { id: randomUUID(), ...of });
  assert.equal((await world.ended(row.id)).state, 'succeeded');
});
