import assert from 'node:assert/strict';
import { randomBytes, randomUUID } from 'node:crypto';
import { after, before, test } from 'node:test';
import { createKeyring, type Keyring } from './keyring.ts';
import { rotateSecrets } from './rotate-secrets.ts';
import { openSecrets, sealSecrets, Secret } from './secret.ts';
import { testDatabase, type TestDatabase } from './testing.ts';

const keys = { 'key.1': randomBytes(32), 'key.2': randomBytes(32) };
const oldRing = createKeyring({ current: 'key.1', keys });
const newRing = createKeyring({ current: 'key.2', keys });
const onlyNew = createKeyring({ current: 'key.2', keys: { 'key.2': keys['key.2'] } });

let database: TestDatabase;
before(async () => {
  database = await testDatabase();
});
after(() => database[Symbol.asyncDispose]());

test('every secret of every row is sealed with the current key, and nothing else is changed', async () => {
  const table = await createTable('uuid');
  const ids = Array.from({ length: 25 }, () => randomUUID());
  for (const id of ids)
    await table.insert(id, { name: id, list: [new Secret(`a ${id}`), new Secret('b')] }, oldRing);
  const current = randomUUID();
  await table.insert(current, { list: [new Secret('c')] }, newRing);
  const before = await table.text(current);

  assert.deepEqual(await table.rotate(newRing, 10), { rewritten: 25, remaining: 0 });
  for (const id of ids) {
    const facts = (await table.open(id, onlyNew)) as { name: string; list: Secret[] };
    assert.equal(facts.name, id);
    assert.deepEqual(
      facts.list.map((secret) => secret.reveal()),
      [`a ${id}`, 'b'],
    );
  }
  assert.equal(await table.text(current), before);
  assert.deepEqual(await table.rotate(newRing, 10), { rewritten: 0, remaining: 0 });
});

test('numbers beyond JavaScript, and texts that look like a secret, stay as they are', async () => {
  const table = await createTable('text');
  const id = 'row "1"';
  const sealed = oldRing.seal('a', id);
  const rest = String.raw`"big": 12345678901234567890.12345678901234567890, "t\"$secret": "key.1:x", "u": "\"$secret\": \"key.1:y\""`;
  await table.insertText(id, `{"s": {"$secret": "${sealed}"}, ${rest}}`);
  const before = await table.text(id);
  assert.deepEqual(await table.rotate(newRing), { rewritten: 1, remaining: 0 });
  const after = (await table.text(id)) ?? '';
  assert.equal(after.replace(/key\.2:[\w-]+/, sealed), before);
});

test('a writer who comes in between wins, and the row is tried again', async () => {
  // With one connection, what is asked for first is done first.
  await using narrow = await testDatabase({ connections: 1 });
  const table = await createTable('uuid', narrow);
  const id = randomUUID();
  await table.insert(id, { version: 1, token: new Secret('first') }, oldRing);
  const writes: Promise<unknown>[] = [];
  const disturbed: Keyring = {
    ...newRing,
    // Called after the row was read and before it is replaced: the worst moment to write.
    open(sealed, context) {
      const version = writes.length + 2;
      if (version <= 4)
        writes.push(table.update(id, { version, token: new Secret('last') }, oldRing));
      return newRing.open(sealed, context);
    },
  };
  assert.deepEqual(await table.rotate(disturbed), { rewritten: 1, remaining: 0 });
  await Promise.all(writes);
  const facts = (await table.open(id, onlyNew)) as { version: number; token: Secret };
  assert.deepEqual([facts.version, facts.token.reveal()], [4, 'last']);
});

test('rows that a replica with the old key writes meanwhile are counted as remaining, and never damaged', async () => {
  const table = await createTable('uuid');
  const ids = Array.from({ length: 50 }, () => randomUUID());
  for (const id of ids) await table.insert(id, { version: 0, token: new Secret('0') }, oldRing);
  const rotated = new AbortController();
  const versions = new Map<string, number>();
  const write = async () => {
    for (let version = 1; !rotated.signal.aborted; version += 1) {
      const id = ids[version % ids.length] ?? '';
      await table.update(id, { version, token: new Secret(String(version)) }, oldRing);
      versions.set(id, version);
    }
  };
  const writing = write();
  const { rewritten } = await table.rotate(newRing, 7);
  rotated.abort();
  await writing;
  assert.ok(rewritten > 0);
  for (const id of ids) {
    const facts = (await table.open(id, newRing)) as { version: number; token: Secret };
    assert.equal(facts.version, versions.get(id) ?? 0);
    assert.equal(facts.token.reveal(), String(facts.version));
  }
  assert.equal((await table.rotate(newRing)).remaining, 0);
});

test('a secret that no key opens is named by its row', async () => {
  const table = await createTable('text');
  await table.insert('row 1', { token: new Secret('a') }, oldRing);
  await assert.rejects(
    table.rotate(onlyNew),
    /the secrets of row 1 in secrets_\d+: the keyring has no key "key\.1"/,
  );
});

let tables = 0;

async function createTable(type: 'uuid' | 'text', on: TestDatabase = database) {
  const name = `secrets_${(tables += 1)}`;
  const { pool } = on;
  await pool.query(`create table ${name} (id ${type} primary key, facts jsonb not null)`);
  const column = { table: name, key: 'id', column: 'facts' };
  const insertText = (id: string, facts: string) =>
    pool.query(`insert into ${name} values ($1, $2)`, [id, facts]);
  const text = async (id: string) => {
    const { rows } = await pool.query<{ facts: string }>(
      `select facts::text from ${name} where id = $1`,
      [id],
    );
    return rows[0]?.facts;
  };
  const sealed = (id: string, facts: unknown, keyring: Keyring) =>
    JSON.stringify(sealSecrets(facts, keyring, id));
  return {
    column,
    insertText,
    text,
    insert: (id: string, facts: unknown, keyring: Keyring) =>
      insertText(id, sealed(id, facts, keyring)),
    update: (id: string, facts: unknown, keyring: Keyring) =>
      pool.query(`update ${name} set facts = $2 where id = $1`, [id, sealed(id, facts, keyring)]),
    open: async (id: string, keyring: Keyring) =>
      openSecrets(JSON.parse((await text(id)) ?? ''), keyring, id),
    rotate: (keyring: Keyring, batch?: number) =>
      rotateSecrets(on, keyring, [column], batch === undefined ? {} : { batch }),
  };
}
