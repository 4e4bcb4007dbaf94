import type { Logger } from 'pino';
import type { Database } from '#database';
import type { Wake } from './operations-table.ts';

/**
 * Calls the replicas for operations that have been accepted. PostgreSQL lets transactions with a NOTIFY commit one after the
 * other, so none is in those that accept: one call follows for all that have come in meanwhile. What is lost with a process that
 * dies in between, the replicas find when they look by themselves.
 */
export class WakeCalls {
  readonly #database: Database;
  readonly #log: Logger;
  #waiting: Wake[] = [];
  #isCalling = false;

  constructor(database: Database, log: Logger) {
    this.#database = database;
    this.#log = log;
  }

  /** Of something that is committed. */
  send(news: Wake): void {
    this.#waiting.push(news);
    if (!this.#isCalling) void this.#callAll();
  }

  async #callAll(): Promise<void> {
    this.#isCalling = true;
    while (this.#waiting.length > 0) {
      const all = this.#waiting;
      this.#waiting = [];
      try {
        await this.#database.pool.query({
          name: 'wake-calls',
          text: `select pg_notify(current_schema() || '_wake', news) from json_array_elements_text($1) as news`,
          values: [JSON.stringify(all.map((news) => JSON.stringify(news)))],
        });
      } catch (error) {
        const lost = { err: error, operations: all.length };
        this.#log.warn(lost, 'replicas were not called; they look by themselves in a moment');
      }
    }
    this.#isCalling = false;
  }
}
