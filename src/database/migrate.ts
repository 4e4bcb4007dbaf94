import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';

export type Migration = { readonly name: string; readonly sql: string; readonly checksum: string };

const projectMigrations = join(import.meta.dirname, '../../migrations');

/**
 * Creates the schema if it is missing and brings it up to date: folder by folder, each file once, in order, together
 * with its row in `migrations`. Replicas that start at the same moment wait for each other. Whatever does not look like
 * a beginning of what this code knows stops it before anything is changed.
 *
 * The client must have the schema as its search_path.
 */
export async function migrate(
  client: pg.ClientBase,
  schema: string,
  folders: readonly string[],
  root: string = projectMigrations,
): Promise<void> {
  const known = await Promise.all(folders.map((folder) => readMigrations(folder, root)));
  const lock = `migrations of ${schema}`;
  await client.query('select pg_advisory_lock(hashtextextended($1, 0))', [lock]);
  try {
    await createSchema(client, schema);
    if (folders.length === 0) return;
    await client.query(
      `create table if not exists migrations (
         name text primary key,
         checksum text not null,
         applied_at timestamptz not null default now()
       )`,
    );
    const { rows } = await client.query<AppliedMigration>(
      'select name, checksum from migrations order by name',
    );
    const missing = folders.flatMap((folder, index) =>
      missingMigrations(
        known[index] ?? [],
        rows.filter((row) => row.name.startsWith(`${folder}/`)),
      ),
    );
    for (const migration of missing) await apply(client, migration);
  } finally {
    // If the connection is lost, so is the lock.
    await client
      .query('select pg_advisory_unlock(hashtextextended($1, 0))', [lock])
      .catch(() => {});
  }
}

/** The files of a folder in their order, as `folder/NNNN-name`. */
export async function readMigrations(
  folder: string,
  root: string = projectMigrations,
): Promise<Migration[]> {
  const files = (await readdir(join(root, folder)))
    .filter((file) => file.endsWith('.sql'))
    .toSorted();
  for (const [index, file] of files.entries()) {
    const number = String(index + 1).padStart(4, '0');
    if (!file.startsWith(`${number}-`)) {
      throw new Error(
        `the migrations in ${folder}/ have a gap: ${file} stands where ${number}-… is expected`,
      );
    }
  }
  return Promise.all(
    files.map(async (file) => {
      // A checkout may turn line ends into CRLF; the migration is still the same.
      const sql = (await readFile(join(root, folder, file), 'utf8')).replaceAll('\r\n', '\n');
      const checksum = createHash('sha256').update(sql).digest('hex');
      return { name: `${folder}/${file.slice(0, -'.sql'.length)}`, sql, checksum };
    }),
  );
}

type AppliedMigration = { readonly name: string; readonly checksum: string };

/** What of a folder's migrations is still to be applied. */
function missingMigrations(
  known: readonly Migration[],
  applied: readonly AppliedMigration[],
): readonly Migration[] {
  for (const { name, checksum } of applied) {
    const migration = known.find((each) => each.name === name);
    if (!migration) {
      throw new Error(
        `this version is older than the database: it does not know migration ${name}`,
      );
    }
    if (migration.checksum !== checksum) {
      throw new Error(`migration ${name} was changed after it was applied: add a new one instead`);
    }
  }
  const skipped = known
    .slice(0, applied.length)
    .find(({ name }) => !applied.some((each) => each.name === name));
  if (skipped) throw new Error(`migration ${skipped.name} was not applied, but a later one was`);
  return known.slice(applied.length);
}

async function createSchema(client: pg.ClientBase, schema: string): Promise<void> {
  // `create schema if not exists` asks for the right to create schemas even where it has nothing to do.
  const { rowCount } = await client.query('select from pg_namespace where nspname = $1', [schema]);
  if (rowCount === 0) await client.query(`create schema ${pg.escapeIdentifier(schema)}`);
}

async function apply(client: pg.ClientBase, { name, sql, checksum }: Migration): Promise<void> {
  try {
    await client.query('begin');
    await client.query(sql);
    await client.query('insert into migrations (name, checksum) values ($1, $2)', [name, checksum]);
    await client.query('commit');
  } catch (cause) {
    await client.query('rollback').catch(() => {});
    throw new Error(
      `migration ${name} failed: ${cause instanceof Error ? cause.message : String(cause)}`,
      { cause },
    );
  }
}
