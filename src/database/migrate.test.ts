import assert from 'node:assert/strict';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { openDatabase } from './open-database.ts';
import { temporaryDirectory, testDatabase } from './testing.ts';

const stations = {
  'engine/0001-stations.sql': 'create table stations (id int primary key);',
  'engine/0002-names.sql': `alter table stations add name text not null; insert into stations values (1, 'first');`,
};

test('files are applied once, in order, into a schema made for them', async () => {
  await using world = await startWorld(stations);
  await world.migrate(['engine']);
  await world.migrate(['engine']);
  assert.deepEqual(await world.applied(), ['engine/0001-stations', 'engine/0002-names']);
  assert.deepEqual((await world.query('select * from fresh.stations')).rows, [
    { id: 1, name: 'first' },
  ]);

  await world.write({ 'engine/0003-second.sql': `insert into stations values (2, 'second');` });
  await world.migrate(['engine']);
  assert.equal((await world.applied()).length, 3);
});

test('folders are applied in the order given, each with its own numbers', async () => {
  await using world = await startWorld({
    ...stations,
    'broker/0001-tracks.sql': 'create table tracks (station int references stations);',
  });
  await world.migrate(['engine', 'broker']);
  assert.deepEqual(await world.applied(), [
    'engine/0001-stations',
    'engine/0002-names',
    'broker/0001-tracks',
  ]);
  await world.migrate(['engine']); // A tool that knows less of the schema may still open it.
});

test('several replicas that start at once apply each migration once', async () => {
  await using world = await startWorld(stations);
  await Promise.all(Array.from({ length: 8 }, () => world.migrate(['engine'])));
  assert.deepEqual(await world.applied(), ['engine/0001-stations', 'engine/0002-names']);
});

test('a migration that fails leaves nothing of itself, and is named', async () => {
  await using world = await startWorld({
    ...stations,
    'engine/0003-broken.sql': 'create table leftover (id int); select 1 / 0;',
  });
  await assert.rejects(world.migrate(['engine']), {
    message: 'migration engine/0003-broken failed: division by zero',
  });
  assert.equal((await world.applied()).length, 2);
  assert.deepEqual((await world.query(`select to_regclass('fresh.leftover') as found`)).rows, [
    { found: null },
  ]);
});

test('an applied migration whose file has changed stops the start', async () => {
  await using world = await startWorld(stations);
  await world.migrate(['engine']);
  await world.write({ 'engine/0001-stations.sql': 'create table stations (id text primary key);' });
  await assert.rejects(world.migrate(['engine']), /migration engine\/0001-stations was changed/);
});

test('other line ends are no change', async () => {
  await using world = await startWorld({ 'engine/0001-a.sql': 'select 1;\nselect 2;\n' });
  await world.migrate(['engine']);
  await world.write({ 'engine/0001-a.sql': 'select 1;\r\nselect 2;\r\n' });
  await world.migrate(['engine']);
});

test('a database that is newer than the code stops the start', async () => {
  await using world = await startWorld(stations);
  await world.migrate(['engine']);
  await world.remove('engine/0002-names.sql');
  await assert.rejects(world.migrate(['engine']), /older than the database: .* engine\/0002-names/);
});

test('a gap stops the start, in the files and in what was applied', async () => {
  await using world = await startWorld(stations);
  await world.migrate(['engine']);
  await world.query(`delete from fresh.migrations where name = 'engine/0001-stations'`);
  await assert.rejects(
    world.migrate(['engine']),
    /engine\/0001-stations was not applied, but a later one was/,
  );
  await world.remove('engine/0001-stations.sql');
  await assert.rejects(
    world.migrate(['engine']),
    /gap: 0002-names.sql stands where 0001-… is expected/,
  );
});

async function startWorld(files: Record<string, string>) {
  await using resources = new AsyncDisposableStack();
  const root = resources.use(await temporaryDirectory());
  const { url, pool } = resources.use(await testDatabase());
  const write = async (contents: Record<string, string>) => {
    for (const [file, sql] of Object.entries(contents)) {
      await mkdir(join(root.path, dirname(file)), { recursive: true });
      await writeFile(join(root.path, file), sql);
    }
  };
  await write(files);
  const opened = resources.move();
  return {
    write,
    remove: (file: string) => rm(join(root.path, file)),
    migrate: async (migrations: string[]) => {
      await using _ = await openDatabase({
        url,
        schema: 'fresh',
        migrations,
        migrationsRoot: root.path,
      });
    },
    query: (sql: string) => pool.query(sql),
    applied: async () => {
      const { rows } = await pool.query<{ name: string }>(
        'select name from fresh.migrations order by applied_at',
      );
      return rows.map(({ name }) => name);
    },
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}
