import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { seconds, type Milliseconds } from '#time';
import { defaultDataDirectory } from './data-directory.ts';
import { startEmbeddedPostgres } from './embedded-postgres.ts';
import { migrate } from './migrate.ts';
import { isConnectionError } from './unavailable.ts';

export type Database = {
  /** Its connections have the schema as their search_path. */
  readonly pool: pg.Pool;
  readonly schema: string;
  /** A new client of its own, not yet connected, with the same settings: for LISTEN and session locks. */
  readonly connect: () => pg.Client;
  /** Closes the pool, and the embedded server if this process started it. */
  readonly [Symbol.asyncDispose]: () => Promise<void>;
};

export type DatabaseSettings = {
  /** Without it, the embedded server is used. */
  readonly url?: string | undefined;
  /** Of the embedded server. */
  readonly dataDirectory?: string;
  /** Created if it does not exist. */
  readonly schema: string;
  /** Of the pool, at most; 10 if not given. */
  readonly connections?: number;
  /** Folders under /migrations to apply at the start, in this order. */
  readonly migrations?: readonly string[];
  /** Another place of those folders, for tests. */
  readonly migrationsRoot?: string;
  /** How long to wait at the start for a server that cannot be reached yet; 10 s if not given. */
  readonly connectWithin?: Milliseconds;
  /** Told when an idle connection is lost. Without it that is ignored: the pool opens another when one is needed. */
  readonly onConnectionLost?: (error: Error) => void;
};

const oldestVersion = 15;

export async function openDatabase(settings: DatabaseSettings): Promise<Database> {
  const { schema } = settings;
  if (!/^[a-z][a-z0-9_]*$/.test(schema)) {
    throw new Error(`"${schema}" is no name for a schema: use a-z, 0-9 and _`);
  }
  await using opened = new AsyncDisposableStack();
  const url = settings.url ?? (await startEmbedded(settings.dataDirectory, opened));
  const config = clientConfig(url, schema);

  await prepare(config, settings);

  const pool = new pg.Pool({ ...config, max: settings.connections ?? 10 });
  // pg hides the password, but not the URL that contains it.
  Object.defineProperty(pool.options, 'connectionString', { enumerable: false });
  pool.on('error', (error) => settings.onConnectionLost?.(error));
  pool.on('connect', survive);
  opened.defer(() => pool.end());

  const resources = opened.move();
  return {
    pool,
    schema,
    connect: () => survive(new pg.Client(config)),
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  };
}

/**
 * A client whose connection breaks emits an error, often two, and an error without a listener ends the process. Who uses
 * the client learns of it by the next query, or listens too.
 */
function survive<Client extends pg.ClientBase>(client: Client): Client {
  client.on('error', () => {});
  return client;
}

async function startEmbedded(
  dataDirectory: string | undefined,
  opened: AsyncDisposableStack,
): Promise<string> {
  const server = await startEmbeddedPostgres({
    dataDirectory: dataDirectory ?? (await defaultDataDirectory('postgres')),
  });
  opened.defer(server.stop);
  return server.url;
}

function clientConfig(url: string, schema: string): pg.ClientConfig {
  // The URL's own options come first: pg would let them replace ours.
  const address = url.replace(/\?.*$/s, '');
  const parameters = new URLSearchParams(url.slice(address.length));
  const options = [parameters.get('options'), `-c search_path=${schema}`].filter(Boolean).join(' ');
  parameters.delete('options');
  return {
    connectionString: parameters.size > 0 ? `${address}?${parameters.toString()}` : address,
    options,
    application_name: 'kyma-control-plane',
    connectionTimeoutMillis: seconds(5),
    idle_in_transaction_session_timeout: seconds(10),
    keepAlive: true,
    keepAliveInitialDelayMillis: seconds(10),
  };
}

/** Waits for the server, looks whether it will do, and brings the schema up to date. */
async function prepare(config: pg.ClientConfig, settings: DatabaseSettings): Promise<void> {
  const client = await connectPatiently(config, settings.connectWithin ?? seconds(10));
  try {
    const { rows } = await client.query<{ version: number }>(
      `select current_setting('server_version_num')::int / 10000 as version`,
    );
    const version = rows[0]?.version ?? 0;
    if (version < oldestVersion) {
      throw new Error(
        `PostgreSQL ${oldestVersion} or later is needed; ${placeOf(client)} is ${version}`,
      );
    }
    await migrate(client, settings.schema, settings.migrations ?? [], settings.migrationsRoot);
  } finally {
    await client.end();
  }
}

/** Servers and services are started together: PostgreSQL may need a moment longer than we do. */
async function connectPatiently(config: pg.ClientConfig, within: Milliseconds): Promise<pg.Client> {
  const deadline = performance.now() + within;
  for (;;) {
    const client = survive(new pg.Client(config));
    try {
      await client.connect();
      return client;
    } catch (cause) {
      if (isConnectionError(cause) && performance.now() < deadline) {
        await sleep(100);
        continue;
      }
      throw new Error(`cannot connect to PostgreSQL at ${placeOf(client)}: ${reasonOf(cause)}`, {
        cause,
      });
    }
  }
}

function reasonOf(error: unknown): string {
  // One error for several addresses of a host has no message of its own.
  if (error instanceof AggregateError) return error.errors.map(reasonOf).join(', ');
  return error instanceof Error ? error.message : String(error);
}

/** Where the server is, without the user's name and password. */
function placeOf({ host, port, database }: pg.Client): string {
  return `${host.startsWith('/') ? host : `${host}:${port}`}, database ${database}`;
}
