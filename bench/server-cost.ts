// What work has cost PostgreSQL: writing transactions by their numbers, CPU by the kernel's count (Linux only).
import { readdir, readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';

export type Cost = { readonly transactions: number; readonly cpu: number | null };

/** Counted since the server's start, for the whole server; take it before and after, with nobody else at work. */
export async function serverCost(url: string): Promise<Cost> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const { rows } = await client.query<{ transactions: number; postmaster: number }>(
      `select pg_snapshot_xmax(pg_current_snapshot())::text::float8 as transactions,
              (string_to_array(pg_read_file('postmaster.pid'), e'\\n'))[1]::int as postmaster`,
    );
    const { transactions = 0, postmaster = 0 } = rows[0] ?? {};
    return { transactions, cpu: await cpuOf(postmaster) };
  } finally {
    await client.end();
  }
}

/** Once its clients have gone: what their processes have used then counts as the postmaster's. */
export async function untilDeserted(url: string, database: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  for (;;) {
    const { rowCount } = await client.query('select from pg_stat_activity where datname = $1', [
      database,
    ]);
    if (rowCount === 0) break;
    await sleep(10);
  }
  await client.end();
}

const ticksPerSecond = 100;

/** Seconds of the postmaster, its living children, and those that have ended. */
async function cpuOf(postmaster: number): Promise<number | null> {
  if (process.platform !== 'linux') return null;
  let ticks = 0;
  for (const pid of await readdir('/proc')) {
    if (!/^\d+$/.test(pid)) continue;
    const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => ''); // it may just have ended
    // The second field is the command in brackets, and may contain anything.
    const fields = stat
      .slice(stat.lastIndexOf(')') + 2)
      .split(' ')
      .map(Number);
    const [parent = 0, user = 0, system = 0, ofChildren = 0, systemOfChildren = 0] = [
      1, 11, 12, 13, 14,
    ].map((at) => fields[at]);
    if (Number(pid) === postmaster) ticks += user + system + ofChildren + systemOfChildren;
    else if (parent === postmaster) ticks += user + system;
  }
  return ticks / ticksPerSecond;
}
