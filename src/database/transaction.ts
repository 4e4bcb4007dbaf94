import type pg from 'pg';
import { isConnectionError } from './unavailable.ts';

/** Commits what the work did when it returns, and undoes it when it throws; the caller then gets the work's own error. */
export async function inTransaction<Result>(
  database: { readonly pool: pg.Pool },
  work: (db: pg.PoolClient) => Promise<Result>,
): Promise<Result> {
  const db = await database.pool.connect();
  let isBroken = false;
  try {
    await db.query('begin');
    const result = await work(db);
    const { command } = await db.query('commit');
    // PostgreSQL answers a commit after a failed statement with a rollback, and calls that a success.
    if (command !== 'COMMIT') {
      throw new Error(
        'the transaction was rolled back: a statement in it failed, and its error was caught',
      );
    }
    return result;
  } catch (error) {
    if (isConnectionError(error)) isBroken = true;
    else await db.query('rollback').catch(() => (isBroken = true));
    throw error;
  } finally {
    // A broken connection is destroyed; the server undoes what it had open.
    db.release(isBroken);
  }
}
