import type pg from 'pg';
import { isConnectionError } from './unavailable.ts';

/** Of the transactions that are under way, by their connections. */
const afterwards = new WeakMap<object, (() => void)[]>();

/** Commits what the work did when it returns, and undoes it when it throws; the caller then gets the work's own error. */
export async function inTransaction<Result>(
  database: { readonly pool: pg.Pool },
  work: (db: pg.PoolClient) => Promise<Result>,
): Promise<Result> {
  const db = await database.pool.connect();
  const acts: (() => void)[] = [];
  let result: Result;
  let isBroken = false;
  try {
    await db.query('begin');
    afterwards.set(db, acts);
    result = await work(db);
    const { command } = await db.query('commit');
    // PostgreSQL answers a commit after a failed statement with a rollback, and calls that a success.
    if (command !== 'COMMIT') {
      throw new Error(
        'the transaction was rolled back: a statement in it failed, and its error was caught',
      );
    }
  } catch (error) {
    if (isConnectionError(error)) isBroken = true;
    else await db.query('rollback').catch(() => (isBroken = true));
    throw error;
  } finally {
    afterwards.delete(db);
    // A broken connection is destroyed; the server undoes what it had open.
    db.release(isBroken);
  }
  for (const act of acts) act();
  return result;
}

/** All that the work reads is of one moment, so that it does not contradict itself. */
export const inSnapshot = <Result>(
  database: { readonly pool: pg.Pool },
  work: (db: pg.PoolClient) => Promise<Result>,
): Promise<Result> =>
  inTransaction(database, async (db) => {
    await db.query('set transaction isolation level repeatable read, read only');
    return work(db);
  });

/** Runs it when what this connection does is committed: at once outside of a transaction, and never if that is undone. */
export function afterCommit(db: pg.Pool | pg.ClientBase, act: () => void): void {
  const acts = afterwards.get(db);
  if (acts) acts.push(act);
  else act();
}
