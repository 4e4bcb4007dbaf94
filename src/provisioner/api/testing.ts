// For tests of what the provisioner does without its database.
import pg from 'pg';
import type { TestDatabase } from '../../database/testing.ts';

/** Breaks all connections to the database and lets nobody in, until it is brought back. */
export async function takeAway({ url }: TestDatabase) {
  const [, server = '', name = '', query = ''] =
    /^([^:]+:\/\/[^/?]*\/)([^?]*)(.*)$/.exec(url) ?? [];
  const other = new pg.Client({ connectionString: `${server}postgres${query}` });
  await other.connect();
  await other.query(`alter database "${name}" with allow_connections false`);
  const terminated = 'select pg_terminate_backend(pid) from pg_stat_activity where datname = $1';
  await other.query(terminated, [name]);
  let isAway = true;
  const bringBack = async () => {
    if (isAway) await other.query(`alter database "${name}" with allow_connections true`);
    isAway = false;
  };
  return {
    bringBack,
    async [Symbol.asyncDispose]() {
      await bringBack();
      await other.end();
    },
  };
}
