import { DatabaseError } from 'pg';
import { isConnectionError, type Database } from '#database';
import type { Milliseconds } from '#time';
import { advance, type Advance, type Asked } from './claims.ts';

export type Saved = 'fenced' | Asked;

type Entry = {
  readonly id: string;
  readonly text: string;
  readonly resolve: (saved: Saved) => void;
  readonly reject: (error: unknown) => void;
};

// While so many transactions are under way, whatever else is to be stored gathers for the next one.
const underWayAtMost = 3;
const largestGroup = 100;

/**
 * Stores advances of many operations in few transactions. An idle replica stores each one at once, by itself; a busy one
 * stores together what has come up since the last commit, as PostgreSQL does with its own log. Each operation still
 * goes on only after its advance is committed.
 */
export class GroupCommit {
  readonly #database: Database;
  readonly #offset: () => Milliseconds;
  #waiting: Entry[] = [];
  #underWay = 0;

  constructor(database: Database, offset: () => Milliseconds) {
    this.#database = database;
    this.#offset = offset;
  }

  /** Throws at once if the advance is no JSON: that must not be the others' trouble. */
  save(what: Advance): Promise<Saved> {
    const text = JSON.stringify(what);
    return new Promise((resolve, reject) => {
      this.#waiting.push({ id: what.id, text, resolve, reject });
      // What else this turn of the event loop brings comes along.
      if (this.#underWay < underWayAtMost) queueMicrotask(() => this.#commit());
    });
  }

  #commit(): void {
    if (this.#underWay >= underWayAtMost || this.#waiting.length === 0) return;
    const group = this.#nextGroup();
    this.#underWay += 1;
    void this.#store(group).finally(() => {
      this.#underWay -= 1;
      this.#commit();
    });
  }

  /**
   * No operation is in it twice. After a lapse of the lease a process may still run an operation that it has claimed anew:
   * of the two only one is valid, and the database answers by the operation.
   */
  #nextGroup(): Entry[] {
    const group = new Map<string, Entry>();
    const others: Entry[] = [];
    for (const entry of this.#waiting) {
      if (group.size >= largestGroup || group.has(entry.id)) others.push(entry);
      else group.set(entry.id, entry);
    }
    this.#waiting = others;
    return [...group.values()];
  }

  async #store(group: readonly Entry[]): Promise<void> {
    try {
      const texts = group.map(({ text }) => text);
      const saved = await advance(this.#database.pool, this.#offset(), texts);
      for (const { id, resolve } of group) resolve(saved.get(id) ?? 'fenced');
    } catch (error) {
      if (group.length === 1 || !isRefusal(error)) {
        for (const { reject } of group) reject(error);
        return;
      }
      // One of them is what the database refuses: each is tried by itself, so that only that one fails.
      for (const entry of group) await this.#store([entry]);
    }
  }
}

/**
 * The database will never store this: wrong data, a broken constraint, a statement it does not understand; or it did not
 * even get there. Everything else (no connection, no room on the disk, a standby that is read-only) passes.
 */
export const isRefusal = (error: unknown): boolean =>
  !isConnectionError(error) &&
  (!(error instanceof DatabaseError) || /^(22|23|42|54|P0)/.test(error.code ?? ''));
