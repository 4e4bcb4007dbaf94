import type { Milliseconds } from '#time';
import type { Database } from '#database';
import { advance, type Advance } from './claims.ts';

export type Saved = 'fenced' | { readonly cancelBecause: string | null };

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
    const group = this.#waiting.splice(0, largestGroup);
    this.#underWay += 1;
    void this.#store(group).finally(() => {
      this.#underWay -= 1;
      this.#commit();
    });
  }

  async #store(group: readonly Entry[]): Promise<void> {
    try {
      const texts = group.map(({ text }) => text);
      const saved = await advance(this.#database.pool, this.#offset(), texts);
      for (const { id, resolve } of group) resolve(saved.get(id) ?? 'fenced');
    } catch (error) {
      // One of them may be what the database refuses: each is tried by itself, so that only that one fails.
      if (group.length === 1) for (const { reject } of group) reject(error);
      else for (const entry of group) await this.#store([entry]);
    }
  }
}
