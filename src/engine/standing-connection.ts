import type { Client, Notification } from 'pg';
import type { Database } from '#database';

export type ConnectionDuties = {
  /** Called on the new connection, the first and every later one. A throw means: try again with another. */
  readonly onConnected: (client: Client) => Promise<void>;
  readonly onLost: (error: Error) => void;
  readonly onNotification: (notification: Notification) => void;
};

const firstPause = 50;
const longestPause = 1_000;

/** One session of the database that is opened again whenever it is lost: for LISTEN and for session locks. */
export class StandingConnection {
  readonly #database: Database;
  readonly #duties: ConnectionDuties;
  #client: Client | undefined;
  #closed = false;
  #retry: NodeJS.Timeout | undefined;

  private constructor(database: Database, duties: ConnectionDuties) {
    this.#database = database;
    this.#duties = duties;
  }

  /** The first connection must succeed; later ones are tried until they do. */
  static async open(database: Database, duties: ConnectionDuties): Promise<StandingConnection> {
    const connection = new StandingConnection(database, duties);
    await connection.#connect();
    return connection;
  }

  /** Undefined while the connection is away. */
  get client(): Client | undefined {
    return this.#client;
  }

  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#retry);
    const client = this.#client;
    this.#client = undefined;
    await client?.end();
  }

  /** Gives up on a connection that no longer answers. */
  drop(error: Error): void {
    const client = this.#client;
    if (!client) return;
    this.#client = undefined;
    // The other side may be frozen or gone: nobody waits for its goodbye.
    client.end().catch(() => undefined);
    this.#duties.onLost(error);
    this.#reconnect(firstPause);
  }

  async #connect(): Promise<void> {
    const client = this.#database.connect();
    const lost = (error: Error) => {
      if (this.#client === client) this.drop(error);
    };
    client.on('error', lost);
    client.on('end', () => lost(new Error('the database has closed the connection')));
    client.on('notification', this.#duties.onNotification);
    try {
      await client.connect();
      await this.#duties.onConnected(client);
    } catch (error) {
      client.end().catch(() => undefined); // it may never have been open
      throw error;
    }
    if (this.#closed) await client.end();
    else this.#client = client;
  }

  #reconnect(pause: number): void {
    if (this.#closed) return;
    this.#retry = setTimeout(() => {
      this.#connect().catch(() => this.#reconnect(Math.min(pause * 2, longestPause)));
    }, pause);
  }
}
