// What work has cost PostgreSQL: transactions by its own statistics, CPU by the kernel's (Linux only).
import { readdir, readFile } from 'node:fs/promises';
import pg from 'pg';

export type Cost = { readonly transactions: number; readonly cpu: number | null };

/** Counted since the server's start; take it before and after. */
export async function serverCost(url: string, database: string): Promise<Cost> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const { rows } = await client.query<{ transactions: number; postmaster: number }>(
      `select (xact_commit + xact_rollback)::float8 as transactions,
              (string_to_array(pg_read_file('postmaster.pid'), e'\\n'))[1]::int as postmaster
         from pg_stat_database where datname = $1`,
      [database],
    );
    const { transactions = 0, postmaster = 0 } = rows[0] ?? {};
    return { transactions, cpu: await cpuOf(postmaster) };
  } finally {
    await client.end();
  }
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
    const [parent, utime, stime, cutime, cstime] = [1, 11, 12, 13, 14].map((at) => fields[at] ?? 0);
    if (Number(pid) === postmaster) ticks += utime! + stime! + cutime! + cstime!;
    else if (parent === postmaster) ticks += utime! + stime!;
  }
  return ticks / ticksPerSecond;
}
