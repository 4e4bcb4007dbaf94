import type { Client } from 'pg';
import type { Logger } from 'pino';
import type { Database } from '#database';
import type { Milliseconds } from '#time';
import type { Wake } from './operations-table.ts';
import { beat, registerReplica, resumeReplica, unregisterReplica } from './replicas-table.ts';
import { StandingConnection } from './standing-connection.ts';

export type LeaseDuties = {
  /** The replica was declared dead: what it held belongs to others. */
  readonly onLost: () => void;
  /** Registered, at first or again, or resumed after the connection was away. */
  readonly onHeld: () => void;
  readonly onWake: (news: Wake) => void;
};

/**
 * The proof that this replica lives: a session lock that the database frees when the process dies, and a heartbeat that
 * grows old when it is frozen or cut off. Everything the replica has claimed hangs on it. Real time, not the clock's.
 */
export class Lease {
  readonly #database: Database;
  readonly #duration: Milliseconds;
  readonly #name: string;
  readonly #duties: LeaseDuties;
  readonly #log: Logger;
  #connection: StandingConnection | undefined;
  #beating: NodeJS.Timeout | undefined;
  #id: number | undefined;
  #provenAt = -Infinity;
  #heldSince = Infinity;
  #asking = false;
  #waiting: (() => void)[] = [];

  constructor(
    database: Database,
    name: string,
    duration: Milliseconds,
    duties: LeaseDuties,
    log: Logger,
  ) {
    this.#database = database;
    this.#name = name;
    this.#duration = duration;
    this.#duties = duties;
    this.#log = log;
  }

  async take(): Promise<void> {
    this.#connection = await StandingConnection.open(this.#database, {
      onConnected: (client) => this.#connected(client),
      onLost: (error) => {
        this.#heldSince = Infinity;
        this.#log.warn({ err: error }, 'lost the connection that holds the lease');
      },
      onNotification: ({ payload = '' }) => {
        try {
          this.#duties.onWake(JSON.parse(payload) as Wake); // as WakeCalls and notify have sent it
        } catch (error) {
          this.#log.error({ err: error }, 'a wake-up call was not understood');
        }
      },
    });
    this.#beating = setInterval(() => void this.#beat(), this.#duration / 4);
  }

  /** The replica's id, while it may claim. */
  get id(): number | undefined {
    return this.#isProven() ? this.#id : undefined;
  }

  /** How long the lease has been held without a break. */
  get heldFor(): Milliseconds {
    return Math.max(0, performance.now() - this.#heldSince);
  }

  /** Returns at once while the lease is known to be held, else when it is known again: nothing starts on a stale lease. */
  async proven(): Promise<void> {
    while (!this.#isProven()) await new Promise<void>((resolve) => this.#waiting.push(resolve));
  }

  async release(): Promise<void> {
    clearInterval(this.#beating);
    const client = this.#connection?.client;
    if (client && this.#id !== undefined) await unregisterReplica(client, this.#id);
    this.#id = undefined;
    await this.#connection?.close();
  }

  #isProven(): boolean {
    return this.#id !== undefined && performance.now() - this.#provenAt < this.#duration;
  }

  async #connected(client: Client): Promise<void> {
    const asked = performance.now();
    if (this.#id !== undefined && !(await resumeReplica(client, this.#id))) this.#lost();
    await client.query(`listen "${this.#database.schema}_wake"`);
    this.#id ??= await registerReplica(client, this.#name);
    this.#heldSince = performance.now();
    this.#prove(asked);
    this.#duties.onHeld();
  }

  async #beat(): Promise<void> {
    const client = this.#connection?.client;
    if (!client || this.#id === undefined || this.#asking) return;
    this.#asking = true;
    const asked = performance.now();
    // A heartbeat that takes as long as the lease is none: the connection is replaced.
    const overdue = setTimeout(
      () => this.#connection?.drop(new Error('the database has not answered a heartbeat')),
      this.#duration,
    );
    try {
      if (await beat(client, this.#id)) {
        this.#prove(asked);
      } else {
        this.#lost();
        // A new session, and with it a new lock and a new registration.
        this.#connection?.drop(new Error('another replica has declared this one dead'));
      }
    } catch (error) {
      this.#log.warn({ err: error }, 'heartbeat failed');
    } finally {
      clearTimeout(overdue);
      this.#asking = false;
    }
  }

  /** Counted from the moment the question was asked, not the answer received. */
  #prove(asked: Milliseconds): void {
    this.#provenAt = asked;
    for (const resolve of this.#waiting.splice(0)) resolve();
  }

  #lost(): void {
    this.#id = undefined;
    this.#provenAt = -Infinity;
    this.#duties.onLost();
  }
}
