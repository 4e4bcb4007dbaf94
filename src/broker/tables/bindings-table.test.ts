import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { inspect } from 'node:util';
import { createKeyring, inTransaction, rotateSecrets, Secret } from '#database';
import { minutes, MovableClock, seconds } from '#time';
import { testDatabase } from '../../database/testing.ts';
import { testKeyring } from '../../engine/testing.ts';
import { BindingsTable, bindingSecrets, type NewBinding } from './bindings-table.ts';
import { archivedInstances } from './archived-instances-table.ts';
import { InstancesTable } from './instances-table.ts';

const database = await testDatabase({ migrations: ['engine', 'broker'] });
after(() => database[Symbol.asyncDispose]());
const { pool } = database;
const clock = new MovableClock();
const table = new BindingsTable(testKeyring, clock);
const instances = new InstancesTable(testKeyring);

const newInstance = (id: string) =>
  instances.insert(pool, {
    id,
    serviceId: 's',
    planId: 'p',
    planName: 'azure',
    globalAccount: 'ga',
    subaccount: 'sa',
    platform: { region: 'cf-eu20', provider: 'Azure' },
    provider: 'azure',
    region: 'westeurope',
    context: { globalaccount_id: 'ga', subaccount_id: 'sa', user_id: 'u' },
    parameters: { name: 'demo' },
    shootName: id,
    shootDomain: '',
    dashboardUrl: '',
  });
const bindingOf = (id: string, instanceId: string): NewBinding => ({
  id,
  instanceId,
  serviceId: 's',
  planId: 'p',
  parameters: { expiration_seconds: 600 },
  bindResource: { app_guid: 'a' },
  predecessorId: undefined,
});
const credentials = { kubeconfig: new Secret('canary'), server: 'https://api.example.com' };

test('a binding is stored once, and comes out as it went in', async () => {
  await newInstance('i-1');
  const binding = { ...bindingOf('b-1', 'i-1'), predecessorId: 'b-0' };
  assert.equal(await table.insert(pool, binding), true);
  assert.equal(await table.insert(pool, bindingOf('b-1', 'i-1')), false);
  const { createdAt, ...stored } = (await table.get(pool, 'b-1')) ?? assert.fail();
  assert.deepEqual(stored, {
    ...binding,
    credentials: undefined,
    expiresAt: undefined,
    isExpired: false,
  });
  assert.ok(createdAt instanceof Date);
  assert.equal(await table.get(pool, 'b-2'), undefined);
  await inTransaction(database, async (db) => {
    assert.equal((await table.lock(db, 'b-1'))?.id, 'b-1');
    assert.equal(await table.lock(db, 'b-2'), undefined);
  });
});

test('credentials are sealed, expire by the clock, and can be forgotten', async () => {
  await newInstance('i-2');
  await table.insert(pool, bindingOf('b-3', 'i-2'));
  assert.equal(await table.timeLeft(pool, 'b-3'), undefined);
  assert.equal(await table.setCredentials(pool, 'b-3', credentials, minutes(10)), true);
  assert.equal(await table.setCredentials(pool, 'nothing', credentials, minutes(10)), false);
  const { rows } = await pool.query('select * from bindings');
  assert.doesNotMatch(JSON.stringify(rows), /canary/);
  const stored = (await table.get(pool, 'b-3')) ?? assert.fail();
  assert.equal(stored.credentials?.kubeconfig.reveal(), 'canary');
  assert.doesNotMatch(inspect(stored, { depth: 9 }), /canary/);
  assert.equal(stored.isExpired, false);
  const left = (await table.timeLeft(pool, 'b-3')) ?? 0;
  assert.ok(left > minutes(9) && left <= minutes(10), String(left));

  clock.advance(minutes(10) + seconds(1));
  assert.equal((await table.get(pool, 'b-3'))?.isExpired, true);
  assert.ok(((await table.timeLeft(pool, 'b-3')) ?? 0) < 0);
  await table.forgetCredentials(pool, 'b-3');
  assert.partialDeepStrictEqual(await table.get(pool, 'b-3'), {
    credentials: undefined,
    expiresAt: undefined,
    isExpired: false,
  });
});

test('bindings are found by their instance, the oldest first, and go with it', async () => {
  for (const id of ['i-3', 'i-4']) await newInstance(id);
  for (const id of ['c', 'a', 'b']) await table.insert(pool, bindingOf(id, 'i-3'));
  await table.insert(pool, bindingOf('d', 'i-4'));
  const idsOf = async (id: string) => (await table.ofInstance(pool, id)).map((each) => each.id);
  assert.deepEqual(await idsOf('i-3'), ['c', 'a', 'b']);
  await table.remove(pool, 'a');
  assert.deepEqual((await table.removeOfInstance(pool, 'i-3')).toSorted(), ['b', 'c']);
  assert.deepEqual(await idsOf('i-3'), []);
  await archivedInstances.archive(pool, 'i-4');
  assert.equal(await table.get(pool, 'd'), undefined);
});

test('keys can be changed for what is sealed', async () => {
  await newInstance('i-5');
  await table.insert(pool, bindingOf('e', 'i-5'));
  await table.setCredentials(pool, 'e', credentials, minutes(10));
  const keys = { fresh: Buffer.alloc(32, 8), test: Buffer.alloc(32, 7) };
  const both = createKeyring({ current: 'fresh', keys });
  const { remaining } = await rotateSecrets(database, both, bindingSecrets);
  assert.equal(remaining, 0);
  const onlyFresh = new BindingsTable(
    createKeyring({ current: 'fresh', keys: { fresh: keys.fresh } }),
  );
  assert.equal((await onlyFresh.get(pool, 'e'))?.credentials?.kubeconfig.reveal(), 'canary');
});
