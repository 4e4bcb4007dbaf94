import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { randomUUID } from 'node:crypto';
import { inTransaction } from '#database';
import { testDatabase } from '../../database/testing.ts';
import { testKeyring } from '../../engine/testing.ts';
import { accepted } from '../config/testing.ts';
import { RuntimesTable, secretColumns, ShootNameInUse, type NewRuntime } from './runtimes-table.ts';

const database = await testDatabase({ migrations: ['engine', 'provisioner'] });
after(() => database[Symbol.asyncDispose]());
const { pool } = database;
const table = new RuntimesTable(testKeyring);

const kyma = (version: string) => ({
  version,
  components: [{ component: 'compass-runtime-agent', namespace: 'compass-system' }],
  configuration: [{ key: 'global.password', value: 'canary-override', secret: true }],
});

/** Stored, with the operation that did it. */
async function stored(changes: Partial<NewRuntime> = {}) {
  const runtime: NewRuntime = {
    id: randomUUID(),
    tenant: 'ga-1',
    subaccount: 'sa-1',
    shootName: `c-${randomUUID().slice(0, 7)}`,
    description: { name: 'demo', labels: { team: 'a' } },
    config: accepted('azure'),
    administrators: ['canary-user'],
    kyma: kyma('1.0.0'),
    ...changes,
  };
  const operationId = randomUUID();
  await table.insert(pool, runtime, operationId);
  return { ...runtime, operationId };
}

const change = (
  id: string,
  operationId: string,
  what: Parameters<RuntimesTable['putInForce']>[3],
) => inTransaction(database, (db) => table.putInForce(db, id, operationId, what));

async function historyOf(id: string): Promise<string[]> {
  const { rows } = await pool.query<{ operation_id: string }>(
    'select operation_id from configurations where runtime_id = $1 order by number',
    [id],
  );
  return rows.map(({ operation_id: operationId }) => operationId);
}

test('a runtime is read as it was stored', async () => {
  for (const changes of [{}, { kyma: undefined, administrators: [], subaccount: '' }]) {
    const { operationId: _operation, ...runtime } = await stored(changes);
    const found = await table.get(pool, runtime.id);
    const { createdAt, deletedAt, ...rest } = found ?? assert.fail('it is not there');
    assert.deepEqual(rest, runtime);
    assert.ok(createdAt instanceof Date);
    assert.equal(deletedAt, undefined);
  }
  assert.equal(await table.get(pool, randomUUID()), undefined);
});

test('only what is named is put in force, and the history has one entry for each operation', async () => {
  const { id, operationId, config } = await stored();
  const [upgrade, other] = [randomUUID(), randomUUID()];
  await change(id, upgrade, { config: { ...config, autoScalerMax: 8 } });
  await change(id, upgrade, { config: { ...config, autoScalerMax: 9 }, administrators: ['b'] });
  await change(id, other, { kyma: kyma('2.0.0') });
  const found = await table.get(pool, id);
  assert.equal(found?.config.autoScalerMax, 9);
  assert.deepEqual(found.administrators, ['b']);
  assert.equal(found.kyma?.version, '2.0.0');
  assert.deepEqual(await historyOf(id), [operationId, upgrade, other]);
});

test('the Kyma of before an operation is the one that was in force then', async () => {
  const { id, operationId } = await stored();
  const [second, third] = [randomUUID(), randomUUID()];
  await change(id, second, { kyma: kyma('2.0.0') });
  await change(id, third, { kyma: kyma('3.0.0') });
  assert.equal((await table.kymaBefore(pool, third))?.version, '2.0.0');
  assert.equal((await table.kymaBefore(pool, second))?.version, '1.0.0');
  assert.equal(await table.kymaBefore(pool, operationId), undefined);
  assert.equal(await table.kymaBefore(pool, randomUUID()), undefined);
});

test('a change of what is not there is an error, and leaves no history', async () => {
  const id = randomUUID();
  await assert.rejects(change(id, randomUUID(), { kyma: kyma('2.0.0') }), /there is no runtime/);
  assert.deepEqual(await historyOf(id), []);
});

test('a Shoot has one runtime, until that is deleted', async () => {
  const { id, shootName } = await stored();
  await assert.rejects(stored({ shootName }), ShootNameInUse);
  await table.markDeleted(pool, id);
  const { deletedAt } = (await table.get(pool, id)) ?? assert.fail('it is not there');
  assert.ok(deletedAt);
  await stored({ shootName });
  await table.markDeleted(pool, id);
  assert.deepEqual((await table.get(pool, id))?.deletedAt, deletedAt);
});

test('of runtimes for one Shoot at the same moment one is stored', async () => {
  const shootName = 'c-same';
  const attempts = await Promise.allSettled([1, 2, 3].map(() => stored({ shootName })));
  assert.equal(attempts.filter(({ status }) => status === 'fulfilled').length, 1);
});

test('people and overrides are sealed, in exactly those columns that the rotation of keys knows', async () => {
  const { id } = await stored();
  await change(id, randomUUID(), { kyma: kyma('2.0.0') });
  const sealed = new Set<string>();
  for (const name of ['runtimes', 'configurations']) {
    const { rows } = await pool.query<Record<string, unknown>>(`select * from ${name}`);
    for (const [column, value] of rows.flatMap((row) => Object.entries(row))) {
      const text = JSON.stringify(value);
      assert.doesNotMatch(text, /canary/, `${name}.${column}`);
      if (text.includes('"$secret"')) sealed.add(`${name}.${column}`);
    }
  }
  const known = secretColumns.map(({ table: name, column }) => `${name}.${column}`);
  assert.deepEqual([...sealed].toSorted(), known.toSorted());
});

test('what was sealed for one runtime cannot be read as another’s', async () => {
  const [one, other] = [await stored(), await stored()];
  await pool.query(
    'update runtimes set administrators = (select administrators from runtimes where id = $1) where id = $2',
    [one.id, other.id],
  );
  await assert.rejects(table.get(pool, other.id));
});
