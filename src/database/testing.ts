// Databases for tests: fresh, migrated, and gone afterwards. Not exported by the door of the module.

import { createHash, randomUUID } from 'node:crypto';
import { chmod, mkdtemp, rm, statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { seconds } from '#time';
import { defaultDataDirectory } from './data-directory.ts';
import { startEmbeddedPostgres, type EmbeddedPostgres } from './embedded-postgres.ts';
import { readMigrations } from './migrate.ts';
import { openDatabase, type Database } from './open-database.ts';
import { makeOwnDirectory, shortHash } from './temporary-directory.ts';

export type TestDatabase = Database & { readonly url: string };

/**
 * A fresh database of its own with the migrations applied, dropped at its disposal. All tests share one server: the one
 * that TEST_DATABASE_URL names (tests/global-setup.ts starts one and sets it), or else the embedded one of this process.
 */
export async function testDatabase(
  options: {
    readonly migrations?: readonly string[];
    readonly connections?: number;
    readonly url?: string;
    readonly onConnectionLost?: (error: Error) => void;
  } = {},
): Promise<TestDatabase> {
  const { migrations = [], url: given, ...rest } = options;
  // oxlint-disable-next-line node/no-process-env -- tests have no bin/ that could read it for them
  const server = given ?? process.env['TEST_DATABASE_URL'] ?? (await ownServer());
  const name = `test_${randomUUID().replaceAll('-', '')}`;
  const template = await ensureTemplate(server, migrations);
  // Copying the files costs a tenth of what writing them all to the log costs.
  await onServer(server, (client) =>
    client.query(`create database ${name} template ${template} strategy file_copy`),
  );
  const url = withDatabase(server, name);
  const database = await openDatabase({ ...rest, url, schema });
  return {
    ...database,
    url,
    async [Symbol.asyncDispose]() {
      await database[Symbol.asyncDispose]();
      await onServer(server, (client) =>
        client.query(`drop database if exists ${name} with (force)`),
      );
    },
  };
}

const schema = 'test';

/**
 * An embedded server for a test run. Nothing in it is worth keeping, so it writes nothing through to the disk. Runs at
 * the same time have a server each: a guest would lose it when the other run ends.
 */
export async function startTestServer({ inMemory = false } = {}): Promise<EmbeddedPostgres> {
  const memory = inMemory ? await directoryInMemory() : undefined;
  for (let number = 1; ; number += 1) {
    const name = `test-postgres-${number}`;
    const dataDirectory = memory ? join(memory, name) : await defaultDataDirectory(name);
    const server = await startEmbeddedPostgres({
      dataDirectory,
      settings: {
        fsync: 'off',
        full_page_writes: 'off',
        max_connections: '300',
        max_wal_size: '128MB',
      },
    });
    if (!server.ownedByUs) {
      await server.stop();
      continue;
    }
    await onServer(server.url, removeLeftovers);
    if (!memory) return server;
    const stop = async () => {
      await server.stop();
      await rm(dataDirectory, { recursive: true, force: true });
    };
    return { ...server, stop };
  }
}

/** Where there is room for it: on a disk, copying a database takes ten times as long. */
async function directoryInMemory(): Promise<string | undefined> {
  const shared = '/dev/shm';
  const found = await statfs(shared).catch(() => undefined); // Only Linux has it.
  const isMemory = found?.type === 0x01_02_19_94; // TMPFS_MAGIC
  if (!isMemory || found.bavail * found.bsize < 2 * 2 ** 30) return undefined;
  const directory = join(shared, `kyma-control-plane-${shortHash(import.meta.dirname)}`);
  await makeOwnDirectory(directory, 0o755);
  return directory;
}

// Runs until the process ends, and with it.
let started: Promise<EmbeddedPostgres> | undefined;

async function ownServer(): Promise<string> {
  started ??= startTestServer();
  return (await started).url;
}

/** Databases of tests that were killed, and the templates of bygone migrations when there are many. */
async function removeLeftovers(client: pg.ClientBase): Promise<void> {
  const { rows } = await client.query<{ datname: string }>(
    `select datname from pg_database where datname like 'test\\_%'
     union all (select datname from pg_database where datname like 'template\\_%' order by oid desc offset 10)`,
  );
  for (const { datname } of rows) {
    await client.query(`drop database if exists ${datname} with (force)`);
  }
}

const templates = new Map<string, Promise<string>>();

/** A database with these migrations, made once per state of their files; cloning it takes a few milliseconds. */
function ensureTemplate(server: string, folders: readonly string[]): Promise<string> {
  const key = [server, ...folders].join(' ');
  const template = templates.get(key) ?? makeTemplate(server, folders);
  templates.set(key, template);
  template.catch(() => templates.delete(key)); // Whoever waits for it is told as well.
  return template;
}

async function makeTemplate(server: string, folders: readonly string[]): Promise<string> {
  const migrations = await Promise.all(folders.map((folder) => readMigrations(folder)));
  const state = migrations.flat().map(({ name, checksum }) => `${name} ${checksum}`);
  const hash = createHash('sha256').update(state.join('\n')).digest('hex').slice(0, 16);
  const [template, unfinished] = [`template_${hash}`, `unfinished_${hash}`];
  await onServer(server, async (client) => {
    const isThere = async () =>
      (await client.query('select from pg_database where datname = $1', [template])).rowCount === 1;
    if (await isThere()) return;
    await client.query('select pg_advisory_lock(hashtextextended($1, 0))', [template]);
    try {
      if (await isThere()) return;
      await client.query(`drop database if exists ${unfinished} with (force)`);
      await client.query(`create database ${unfinished}`);
      const database = await openDatabase({
        url: withDatabase(server, unfinished),
        schema,
        migrations: folders,
      });
      await database[Symbol.asyncDispose]();
      await client.query(`alter database ${unfinished} rename to ${template}`);
    } finally {
      await client.query('select pg_advisory_unlock(hashtextextended($1, 0))', [template]);
    }
  });
  return template;
}

const servers = new Map<string, pg.Pool>();

/** Databases come and go all the time: the connection for that is kept. It keeps no process from ending. */
async function onServer<Result>(
  url: string,
  work: (client: pg.ClientBase) => Promise<Result>,
): Promise<Result> {
  const pool = servers.get(url) ?? connectTo(url);
  const client = await pool.connect();
  try {
    return await work(client);
  } finally {
    client.release();
  }
}

function connectTo(url: string): pg.Pool {
  const pool = new pg.Pool({ connectionString: url, max: 2, allowExitOnIdle: true });
  pool.on('error', () => {}); // The server has been stopped while nobody asked anything of it.
  servers.set(url, pool);
  return pool;
}

const withDatabase = (url: string, name: string): string =>
  url.replace(/^([^:]+:\/\/[^/?]*)[^?]*/, `$1/${name}`);

/** A directory that the user of an embedded server can enter, too; removed at its disposal. */
export async function temporaryDirectory(): Promise<AsyncDisposable & { readonly path: string }> {
  const path = await mkdtemp(join(tmpdir(), 'kyma-test-'));
  await chmod(path, 0o755);
  return {
    path,
    [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true, maxRetries: 10 }),
  };
}

/** Looks again and again until it finds something, for what reports to nobody: files, other processes. */
export async function eventually<Found>(
  look: () => Promise<Found | undefined | false>,
  within = seconds(30),
): Promise<Found> {
  const began = performance.now();
  for (let waited = 0; waited < within; waited = performance.now() - began) {
    const found = await look();
    if (found) return found;
    await sleep(Math.min(5 + waited / 50, 50)); // what takes long is not looked at as often
  }
  throw new Error(`not within ${within} ms: ${look.toString()}`);
}
