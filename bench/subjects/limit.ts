// What the database allows at best: single-row updates by primary key, one transaction each, over the same connections.
import pg from 'pg';
import { learned, runSubject } from '../workload.ts';

const rows = 2_000;

await runSubject(async (url, workload, stopwatch) => {
  const pool = new pg.Pool({ connectionString: url, max: workload.connections });
  await pool.query(
    `create table if not exists raw_limit (id int primary key, facts jsonb not null) with (fillfactor = 70)`,
  );
  await pool.query(`insert into raw_limit select n, '{}' from generate_series(1, $1) n`, [rows]);
  const facts = JSON.stringify([learned(0), learned(1), learned(2)]);
  let next = 0;
  const update = async () => {
    const client = await pool.connect();
    while (next < workload.operations) {
      next += 1;
      await client.query({
        name: 'update',
        text: 'update raw_limit set facts = $2 where id = $1',
        values: [(next % rows) + 1, facts],
      });
      stopwatch.ended();
    }
    client.release();
  };
  return {
    async begin() {
      await Promise.all(Array.from({ length: workload.connections }, update));
    },
    stop: () => pool.end(),
  };
});
