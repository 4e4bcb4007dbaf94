import assert from 'node:assert/strict';
import { test } from 'node:test';
import { testDatabase } from '../../database/testing.ts';
import { theOnlyTenant } from './lms-tenants-table.ts';

const key = { name: 'ga1', region: 'eu' };

test('a tenant is made once for each name and region', async () => {
  await using database = await testDatabase({ migrations: ['engine', 'broker'] });
  let made = 0;
  const make = async () => `tenant-${++made}`;
  assert.equal(await theOnlyTenant(database, key, make), 'tenant-1');
  assert.equal(await theOnlyTenant(database, key, make), 'tenant-1');
  assert.equal(await theOnlyTenant(database, { ...key, region: 'us' }, make), 'tenant-2');
});

test('while one makes it, others are told to come again; and one that fails leaves the way free', async () => {
  await using database = await testDatabase({ migrations: ['engine', 'broker'] });
  const asked = Promise.withResolvers<void>();
  const answer = Promise.withResolvers<string>();
  const first = theOnlyTenant(database, key, () => {
    asked.resolve();
    return answer.promise;
  });
  await asked.promise;
  const never = () => assert.fail('two have asked');
  assert.equal(await theOnlyTenant(database, key, never), undefined);
  answer.reject(new Error('no tenant'));
  await assert.rejects(first, /no tenant/);
  assert.equal(await theOnlyTenant(database, key, async () => 'second'), 'second');
});
