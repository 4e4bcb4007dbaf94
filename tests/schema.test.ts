import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { migratedSchema, schemaFile } from './migrated-schema.ts';

test('migrations/schema.sql is what the migrations make of an empty database', async () => {
  assert.equal(
    await migratedSchema(),
    await readFile(schemaFile, 'utf8'),
    'a migration changed the schema: run "npm run schema" and review the difference',
  );
});
