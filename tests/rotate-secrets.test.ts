import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { sealSecrets, Secret } from '#database';
import { Engine, operation } from '#engine';
import { testDatabase } from '../src/database/testing.ts';
import { noWork, silent, testKeyring } from '../src/engine/testing.ts';

const key = (id: string, byte: number) => `${id}:${Buffer.alloc(32, byte).toString('base64')}`;

const rotate = (url: string, keys: string, ...schemas: string[]) =>
  promisify(execFile)(
    process.execPath,
    [join(import.meta.dirname, '../bin/rotate-secrets.ts'), ...schemas],
    { env: { ...process.env, DATABASE_URL: url, ENCRYPTION_KEYS: keys } },
  );

test('the command of the how-to seals stored secrets with the first key, and says how many are left', async () => {
  await using database = await testDatabase({ migrations: ['engine'] });
  const operations = [operation('sample').stage('one', noWork)];
  const engine = new Engine({ database, operations, keyring: testKeyring, log: silent });
  await engine.start('sample', 's1', { password: new Secret('canary') });
  const keys = `${key('fresh', 8)},${key('test', 7)}`;
  const first = await rotate(database.url, keys, 'test');
  assert.equal(first.stdout, 'test: 1 rows rewritten with key fresh, 0 left\n');
  const again = await rotate(database.url, key('fresh', 8), 'test');
  assert.equal(again.stdout, 'test: 0 rows rewritten with key fresh, 0 left\n');
  await assert.rejects(
    rotate(database.url, keys),
    ({ code, stderr }: { code: number; stderr: string }) => {
      assert.deepEqual([code, stderr.slice(0, 6)], [2, 'usage:']);
      return true;
    },
  );
});

test('the command knows every table of the services in which secrets are', async () => {
  await using database = await testDatabase({ migrations: ['engine', 'broker', 'provisioner'] });
  const sealed = JSON.stringify(sealSecrets({ key: new Secret('canary') }, testKeyring, 'b'));
  await database.pool.query(
    `insert into instances (id, service_id, plan_id, plan_name, global_account, subaccount, platform_region,
       platform_provider, provider, region, context, parameters, shoot_name, shoot_domain, dashboard_url)
     values ('b', 's', 'p', 'azure', 'ga', 'sa', 'r', 'a', 'azure', 'r', $1, $1, 'x', 'd', 'u')`,
    [sealed],
  );
  await database.pool.query(
    `insert into bindings (id, instance_id, service_id, plan_id, parameters, bind_resource, credentials, expires_at, created_at)
     values ('b', 'b', 's', 'p', '{}', '{}', $1, now(), now())`,
    [sealed],
  );
  const keys = `${key('fresh', 8)},${key('test', 7)}`;
  const { stdout } = await rotate(database.url, keys, 'test');
  assert.equal(stdout, 'test: 3 rows rewritten with key fresh, 0 left\n');
});
