import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fastify } from 'fastify';
import { testDatabase } from '../../database/testing.ts';
import { serveHealth } from './health.ts';
import { takeAway } from './testing.ts';

test('without its database the service is alive but not ready, and ready again with it', async () => {
  await using database = await testDatabase();
  const app = fastify();
  serveHealth(app, { database });
  const ask = async (url: string) => {
    const { statusCode, body } = await app.inject({ url });
    return [statusCode, body];
  };
  assert.deepEqual(await ask('/healthz'), [200, 'ok']);
  assert.deepEqual(await ask('/readyz'), [200, 'ok']);
  await using away = await takeAway(database);
  assert.deepEqual(await ask('/healthz'), [200, 'ok']);
  assert.deepEqual(await ask('/readyz'), [503, 'the database cannot be reached']);
  await away.bringBack();
  assert.deepEqual(await ask('/readyz'), [200, 'ok']);
});
