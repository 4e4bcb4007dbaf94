import { join } from 'node:path';
import { describeSchema } from '../src/database/describe-schema.ts';
import { testDatabase } from '../src/database/testing.ts';

/** The description that is kept under version control. */
export const schemaFile = join(import.meta.dirname, '../migrations/schema.sql');

const folders = ['engine', 'audit', 'provisioner', 'broker'];

/** The schema as all migrations leave it in a fresh database. */
export async function migratedSchema(): Promise<string> {
  await using database = await testDatabase({ migrations: folders });
  const schema = await describeSchema(database.pool, database.schema);
  return `-- Written by "npm run schema" from the migrations in: ${folders.join(', ')}. Do not edit.\n\n${schema}`;
}
