import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { pino } from 'pino';
import type { PoolClient } from 'pg';
import { inTransaction } from '#database';
import { testDatabase } from '../database/testing.ts';
import { beginning, type Act } from './audit-entry.ts';
import { AuditLog, AuditLogUnavailable } from './audit-log.ts';
import { everyEntry, readHead } from './audit-table.ts';
import { verifyChain, type Verdict } from './verify-chain.ts';

const database = await testDatabase({ migrations: ['audit'] });
after(() => database[Symbol.asyncDispose]());
const quiet = pino({ level: 'silent' });
const audit = new AuditLog(database, quiet);

const act = (changes: Partial<Act> = {}): Act => ({
  actor: 'ada',
  client: 'kcp',
  action: 'POST /operations/:operationId/retry',
  subject: 'o-1',
  outcome: 202,
  requestId: 'r-1',
  ...changes,
});

const countOf = async (sql: string) =>
  Number((await database.pool.query<{ n: string }>(sql)).rows[0]?.n);

test('an act is stored with who, what, on what, how it went, and when', async () => {
  const details = { fields: ['parameters.name'], 'on behalf of': 'cloudfoundry u-1' };
  await audit.record(act({ subject: 'o-first', details }));
  const { entries, total } = await audit.find({ subject: 'o-first' }, { limit: 10, offset: 0 });
  assert.equal(total, 1);
  const [{ at, details: written, hash, previous, number, ...entry } = assert.fail()] = entries;
  const { outcome, ...expected } = act({ subject: 'o-first' });
  assert.deepEqual(entry, { ...expected, outcome: String(outcome) });
  assert.deepEqual(JSON.parse(written), details);
  assert.ok(Math.abs(Date.now() - at.getTime()) < 60_000);
  assert.equal(number, 1);
  assert.equal(previous, beginning.hash);
  assert.match(hash, /^[0-9a-f]{64}$/);
});

test('acts of several replicas at once become one chain, in few transactions', async () => {
  const replicas = [audit, new AuditLog(database, quiet), new AuditLog(database, quiet)];
  const before = await countOf('select count(*) as n from audit_log');
  await Promise.all(
    Array.from({ length: 300 }, (_, index) =>
      replicas[index % 3]!.record(act({ actor: 'many', subject: `o-${index}` })),
    ),
  );
  assert.equal(await countOf('select count(*) as n from audit_log'), before + 300);
  const transactions = await countOf(
    `select count(distinct xmin::text) as n from audit_log where actor = 'many'`,
  );
  assert.ok(transactions <= 12, `${transactions} transactions`);
  assert.deepEqual(await verified(), { ok: true, entries: before + 300 });
});

test('what nobody can store as text does not keep others from being recorded', async () => {
  const strange = act({ actor: 'a\0b', subject: '\u{d800}half', details: { fields: ['x\0'] } });
  await Promise.all([
    audit.record(strange),
    audit.record(act({ actor: 'plain', subject: 'Ä 🙂' })),
  ]);
  const { entries } = await audit.find({ actor: 'a\u{fffd}b' }, { limit: 10, offset: 0 });
  assert.equal(entries[0]?.subject, '\u{fffd}half');
  assert.equal((await audit.find({ actor: 'plain' }, { limit: 1, offset: 0 })).total, 1);
  assert.equal((await verified()).ok, true);
});

test('entries are found by time, actor, subject and part of the action, newest first', async () => {
  const moment = new Date();
  for (const [actor, action] of [
    ['fred', 'PUT /v2/service_instances/:instanceId'],
    ['fred', 'DELETE /v2/service_instances/:instanceId'],
  ] as const)
    await audit.record(act({ actor, action }));
  const page = { limit: 10, offset: 0 };
  const actions = async (filter: object) =>
    (await audit.find({ actor: 'fred', ...filter }, page)).entries.map(({ action }) => action[0]);
  assert.deepEqual(await actions({}), ['D', 'P']);
  assert.deepEqual(await actions({ action: 'delete' }), ['D']);
  assert.deepEqual(await actions({ until: moment }), []);
  assert.deepEqual(await actions({ since: new Date(moment.getTime() - 1) }), ['D', 'P']);
});

test('an act that cannot be stored is not told to have been', async () => {
  await using broken = await testDatabase({ migrations: ['audit'] });
  await broken.pool.query('drop table audit_head');
  await assert.rejects(new AuditLog(broken, quiet).record(act()), AuditLogUnavailable);
});

for (const statement of [
  `update audit_log set actor = 'nobody' where number = 1`,
  'delete from audit_log where number = 1',
  'truncate audit_log',
  'delete from audit_head',
  'truncate audit_head',
  'update audit_head set number = number - 1',
]) {
  test(`the database refuses: ${statement}`, async () => {
    await assert.rejects(database.pool.query(statement), /appended to, and nothing else/);
  });
}

/** By somebody for whom no trigger counts. The last one writes the rest of the chain anew, as the service itself would. */
const tampering: readonly (readonly [
  what: string,
  sql: string,
  brokenAt: number,
  because: RegExp,
])[] = [
  ['who it was is changed', `update audit_log set actor = 'eve' where number = 5`, 5, /content/],
  ['the time is changed', `update audit_log set at = at + '1 ms' where number = 5`, 5, /content/],
  [
    'the details are changed',
    `update audit_log set details = '{ }' where number = 5`,
    5,
    /content/,
  ],
  [
    'text moves from one field to the next',
    `update audit_log set actor = 'ad', client = 'akcp' where number = 1`,
    1,
    /content/,
  ],
  [
    'an entry and its hash are changed',
    `update audit_log set actor = 'eve', hash = repeat('a', 64) where number = 5`,
    5,
    /content/,
  ],
  ['one in the middle is deleted', 'delete from audit_log where number = 5', 5, /missing/],
  ['the first is deleted', 'delete from audit_log where number = 1', 1, /missing/],
  [
    'one is deleted, and the others move up',
    `delete from audit_log where number = 5;
       update audit_log set number = number - 1 where number between 6 and 8;
       delete from audit_log where number > 8; update audit_head set number = 7`,
    5,
    /follow/,
  ],
  [
    'the last is deleted',
    'delete from audit_log where number = (select max(number) from audit_log)',
    -1,
    /ends here/,
  ],
  ['all are deleted', 'delete from audit_log', 1, /ends here/],
  [
    'the end is cut off, and the head put back',
    `delete from audit_log where number > 5; update audit_head set number = 5`,
    5,
    /head is not the hash/,
  ],
  [
    'two change places',
    `update audit_log set number = -1 where number = 5; update audit_log set number = 5 where number = 6;
       update audit_log set number = 6 where number = -1`,
    5,
    /follow/,
  ],
  [
    'one is put in between',
    `update audit_log set number = -number where number > 5;
       update audit_log set number = -number + 1 where number < 0;
       insert into audit_log select 6, at, 'eve', client, action, subject, outcome, request_id, details, hash, repeat('b', 64)
         from audit_log where number = 5`,
    6,
    /content/,
  ],
  [
    'one is added twice',
    `alter table audit_log drop constraint audit_log_pkey; insert into audit_log select * from audit_log where number = 5`,
    5,
    /more than one/,
  ],
  [
    'one is added at the end, without the head',
    `insert into audit_log select number + 1, at, actor, client, action, subject, outcome, request_id, details, hash, hash
         from audit_log order by number desc limit 1`,
    0,
    /without the head/,
  ],
  [
    'everything is written anew',
    `create temporary table copied as select * from audit_log order by number;
       delete from audit_log; update audit_head set number = 0, hash = repeat('0', 64);
       select append_to_audit_log(json_agg(json_build_object('actor', 'eve', 'client', client, 'action', action,
         'subject', subject, 'outcome', outcome, 'request_id', request_id, 'details', details::text) order by number))
         from copied`,
    7,
    /noted/,
  ],
];

for (const [what, sql, brokenAt, because] of tampering) {
  test(`it is found when ${what}`, async () => {
    const { entries, head } = await audit.verify();
    const { entries: page } = await audit.find({}, { limit: 1, offset: entries - 7 });
    const noted = page[0];
    const verdict = await tampered(sql, (db) => judge(db, noted));
    assert.equal(verdict.ok, false);
    const expected = { [-1]: head.number, 0: head.number + 1 }[brokenAt] ?? brokenAt;
    assert.equal(verdict.brokenAt, expected);
    assert.match(verdict.because ?? '', because);
    assert.equal((await audit.verify(noted)).ok, true, 'it was undone');
  });
}

test('a log that ends before what was noted of it has lost its end', async () => {
  const { head } = await audit.verify();
  const verdict = await audit.verify({ number: head.number + 1, hash: 'f'.repeat(64) });
  assert.equal(verdict.brokenAt, head.number + 1);
  assert.match(verdict.because ?? '', /noted/);
});

async function verified() {
  const { ok, entries } = await audit.verify();
  return { ok, entries };
}

const judge = async (db: PoolClient, noted?: { number: number; hash: string }) =>
  verifyChain(everyEntry(db), await readHead(db), noted);

/** What is found after the statements, which are undone afterwards. */
async function tampered(sql: string, look: (db: PoolClient) => Promise<Verdict>): Promise<Verdict> {
  const undone = new Error('undone');
  let verdict: Verdict | undefined;
  await inTransaction(database, async (db) => {
    await db.query('set local session_replication_role = replica');
    await db.query(sql);
    verdict = await look(db);
    throw undone;
  }).catch((error: unknown) => assert.equal(error, undone));
  return verdict ?? assert.fail();
}
