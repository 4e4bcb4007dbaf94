import type { Logger } from 'pino';
import { openDatabase, type Database, type DatabaseSettings } from '#database';

type DatabaseConfig = {
  readonly DATABASE_URL?: string | undefined;
  readonly DATA_DIR?: string | undefined;
  readonly DATABASE_CONNECTIONS: number;
};

/** The schema of one service, brought up to date. */
export const openServiceDatabase = (
  config: DatabaseConfig,
  place: Pick<DatabaseSettings, 'schema' | 'migrations'>,
  log: Logger,
): Promise<Database> =>
  openDatabase({
    ...place,
    url: config.DATABASE_URL,
    ...(config.DATA_DIR && { dataDirectory: config.DATA_DIR }),
    connections: config.DATABASE_CONNECTIONS,
    onConnectionLost: (error) => log.warn({ err: error }, 'a database connection was lost'),
  });
