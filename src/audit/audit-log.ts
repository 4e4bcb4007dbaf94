import type { Logger } from 'pino';
import { inTransaction, type Database } from '#database';
import { minutes } from '#time';
import type { Act, AuditEntry, AuditHead } from './audit-entry.ts';
import { append, everyEntry, findEntries, readHead, type AuditFilter } from './audit-table.ts';
import { verifyChain, type Verdict } from './verify-chain.ts';

/** An act could not be recorded. If it was recorded as asked before, that is still there. */
export class AuditLogUnavailable extends Error {
  override readonly name = 'AuditLogUnavailable';
}

type Waiting = {
  readonly act: Act;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
};

const largestBatch = 500;
const tellHeadEvery = minutes(1);

/**
 * The audit log of one service. Entries are chained, so only one transaction at a time can append; what many requests have to
 * record at the same moment therefore goes into one.
 */
export class AuditLog {
  readonly #database: Pick<Database, 'pool'>;
  readonly #log: Logger;
  #waiting: Waiting[] = [];
  #isAppending = false;
  #toldAt = -Infinity;

  constructor(database: Pick<Database, 'pool'>, log: Logger) {
    this.#database = database;
    this.#log = log;
  }

  /** Returns when the entry is committed. */
  record(act: Act): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ act, resolve, reject });
      // What else this turn of the event loop brings comes along.
      if (!this.#isAppending) queueMicrotask(() => void this.#appendAll());
    });
  }

  async #appendAll(): Promise<void> {
    if (this.#isAppending) return;
    this.#isAppending = true;
    while (this.#waiting.length > 0) {
      const batch = this.#waiting.splice(0, largestBatch);
      try {
        this.#tell(
          await append(
            this.#database.pool,
            batch.map(({ act }) => act),
          ),
        );
        for (const { resolve } of batch) resolve();
      } catch (cause) {
        for (const { reject } of batch)
          reject(new AuditLogUnavailable('the audit log cannot be written', { cause }));
      }
    }
    this.#isAppending = false;
  }

  /** Logs are kept elsewhere: there the head is safe from whoever could change the log and its head. */
  #tell(head: AuditHead): void {
    if (performance.now() < this.#toldAt + tellHeadEvery) return;
    this.#toldAt = performance.now();
    this.#log.info({ auditHead: head }, 'the audit log has grown');
  }

  /** Newest first. */
  find(
    filter: AuditFilter,
    page: { readonly limit: number; readonly offset: number },
  ): Promise<{ entries: AuditEntry[]; total: number }> {
    return findEntries(this.#database.pool, filter, page);
  }

  /** Looks at every entry as of this moment; requests go on meanwhile. */
  verify(noted?: AuditHead): Promise<Verdict> {
    return inTransaction(this.#database, async (db) => {
      await db.query('set transaction isolation level repeatable read, read only');
      return verifyChain(everyEntry(db), await readHead(db), noted);
    });
  }
}
