import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { inspect } from 'node:util';
import { startEmbeddedPostgres, type EmbeddedPostgres } from './embedded-postgres.ts';
import { openDatabase } from './open-database.ts';
import { temporaryDirectory, testDatabase } from './testing.ts';
import { isConnectionError } from './unavailable.ts';

// A server that these tests stop and start again.
const resources = new AsyncDisposableStack();
let server: EmbeddedPostgres;
let startServer: () => Promise<void>;
before(async () => {
  const directory = resources.use(await temporaryDirectory());
  startServer = async () => {
    server = await startEmbeddedPostgres({
      dataDirectory: join(directory.path, 'data'),
      settings: { fsync: 'off' },
    });
  };
  await startServer();
  resources.defer(() => server.stop());
});
after(() => resources.disposeAsync());

test('connections work in the schema, and say who they are', async () => {
  await using database = await openDatabase({ url: server.url, schema: 'broker' });
  const shown = `select current_schema, current_setting('application_name') as name,
                        current_setting('idle_in_transaction_session_timeout') as timeout`;
  const expected = [{ current_schema: 'broker', name: 'kyma-control-plane', timeout: '10s' }];
  assert.deepEqual((await database.pool.query(shown)).rows, expected);
  const client = database.connect();
  await client.connect();
  assert.deepEqual((await client.query(shown)).rows, expected);
  await client.end();
});

test("a URL's own options are kept beside ours", async () => {
  const url = `${server.url}&options=${encodeURIComponent('-c work_mem=5MB')}`;
  await using database = await openDatabase({ url, schema: 'broker' });
  const { rows } = await database.pool.query(
    `select current_schema, current_setting('work_mem') as memory`,
  );
  assert.deepEqual(rows, [{ current_schema: 'broker', memory: '5MB' }]);
});

test('a schema with a strange name is refused', async () => {
  await assert.rejects(
    openDatabase({ url: server.url, schema: 'a; drop table b' }),
    /is no name for a schema/,
  );
});

test('while the server is away queries fail as unavailable, and work again once it is back', async () => {
  const lost: Error[] = [];
  await using database = await openDatabase({
    url: server.url,
    schema: 'broker',
    onConnectionLost: (error) => lost.push(error),
  });
  const inUse = await database.pool.connect();
  const listener = database.connect();
  await listener.connect();
  const listenerEnds = once(listener, 'error');
  // Leaves two connections in the pool, of which one stays idle.
  await Promise.all([database.pool.query('select 1'), database.pool.query('select 1')]);
  const running = assert.rejects(database.pool.query('select pg_sleep(60)'), isConnectionError);

  await server.stop();
  await running;
  assert.ok(isConnectionError((await listenerEnds)[0]));
  await assert.rejects(inUse.query('select 1'), isConnectionError);
  inUse.release();
  await assert.rejects(database.pool.query('select 1'), isConnectionError);
  assert.ok(lost.length > 0 && lost.every(isConnectionError));

  await startServer();
  assert.equal((await database.pool.query('select 1')).rowCount, 1);
});

test('a database can be opened a little before its server is there', async () => {
  const { url } = server;
  await server.stop();
  const opening = openDatabase({ url, schema: 'broker' });
  await startServer();
  await using database = await opening;
  assert.equal((await database.pool.query('select 1')).rowCount, 1);
});

test('a server that cannot be reached is named, without the password', async () => {
  const port = await unusedPort();
  const url = `postgresql://user:pass%20word@localhost:${port}/orders`;
  await assert.rejects(openDatabase({ url, schema: 'broker', connectWithin: 0 }), (error) => {
    assert.ok(isConnectionError(error));
    assert.match(
      String(error),
      new RegExp(`at localhost:${port}, database orders: .*ECONNREFUSED`),
    );
    assert.doesNotMatch(inspect(error, { depth: Infinity, showHidden: true }), /pass(%20| )word/);
    return true;
  });
  const missing = server.url.replace('/postgres?', '/orders?');
  await assert.rejects(
    openDatabase({ url: missing, schema: 'broker' }),
    (error) =>
      /database orders: database "orders" does not exist/.test(String(error)) &&
      !isConnectionError(error),
  );
});

test('an opened database does not show its password', async () => {
  const url = server.url.replace('postgresql://', 'postgresql://postgres:pass%20word@localhost');
  await using database = await openDatabase({ url, schema: 'broker' });
  await database.pool.query('select 1');
  const shown = inspect([database, database.connect()], { depth: 8 });
  assert.doesNotMatch(shown, /pass(%20| )word/);
});

test('a pool that is full for too long counts as unavailable', async () => {
  await using database = await testDatabase({ connections: 1 });
  const client = await database.pool.connect();
  database.pool.options.connectionTimeoutMillis = 10;
  await assert.rejects(database.pool.query('select 1'), isConnectionError);
  client.release();
});

test('a server older than PostgreSQL 15 is refused', async () => {
  await using old = await serverOfVersion(14);
  const url = `postgresql://user@127.0.0.1:${old.port}/orders`;
  await assert.rejects(openDatabase({ url, schema: 'broker' }), {
    message: `PostgreSQL 15 or later is needed; 127.0.0.1:${old.port}, database orders is 14`,
  });
});

/** Speaks just enough of PostgreSQL's protocol to tell its version. */
async function serverOfVersion(version: number) {
  const message = (type: string, ...parts: (string | number[])[]) => {
    const bytes = parts.map((part) =>
      typeof part === 'string' ? Buffer.from(part) : Buffer.from(part),
    );
    const body = Buffer.concat(bytes);
    const length = Buffer.alloc(4);
    length.writeInt32BE(body.length + 4);
    return Buffer.concat([Buffer.from(type), length, body]);
  };
  const ready = message('Z', 'I');
  const column = message(
    'T',
    [0, 1],
    'version\0',
    [0, 0, 0, 0, 0, 0, 0, 0, 0, 23, 0, 4, 0, 0, 0, 0, 0, 0],
  );
  const row = message('D', [0, 1, 0, 0, 0, String(version).length], String(version));
  const listener = createServer((socket) => {
    socket.once('data', () => {
      socket.write(Buffer.concat([message('R', [0, 0, 0, 0]), ready]));
      socket.once('data', () =>
        socket.write(Buffer.concat([column, row, message('C', 'SELECT 1\0'), ready])),
      );
    });
  }).listen(0, '127.0.0.1');
  await once(listener, 'listening');
  const address = listener.address();
  return {
    port: typeof address === 'object' && address ? address.port : 0,
    [Symbol.asyncDispose]: () => listener[Symbol.asyncDispose](),
  };
}

async function unusedPort(): Promise<number> {
  const listener = createServer().listen(0, '127.0.0.1');
  await once(listener, 'listening');
  const address = listener.address();
  listener.close();
  await once(listener, 'close');
  return typeof address === 'object' && address ? address.port : 1;
}
