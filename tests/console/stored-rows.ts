// What would take too long to come about by itself.
import { randomUUID } from 'node:crypto';
import type { Database } from '#database';

/** An operation that has ended, of a kind that nobody knows, with so many steps in its timeline. */
export async function storeLongOperation({ pool }: Database, steps: number): Promise<string> {
  const id = randomUUID();
  await pool.query(
    `insert into broker.operations (id, type, subject, state, facts, history_length, created_at, started_at, updated_at, ended_at)
     values ($1::uuid, 'long', $1::uuid::text, 'succeeded', '{}', $2, now() - interval '1 hour', now() - interval '1 hour', now(), now())`,
    [id, steps],
  );
  await pool.query(
    `insert into broker.step_runs (operation_id, number, stage, step, outcome, attempt, runs, replica, started_at, ended_at, duration_ms)
     select $1, n, 'stage_' || (n + 99) / 100, 'Step_' || n, case when n % 10 = 0 then 'retry' else 'done' end, 1, 1, 'test',
            now() - interval '1 hour' + n * interval '0.3 seconds', now() - interval '1 hour' + (n + 1) * interval '0.3 seconds', 300
       from generate_series(1, $2) as n`,
    [id, steps],
  );
  return id;
}

/** Rows alone, for a list that has more than one page. */
export async function copyRuntime({ pool }: Database, copies: number): Promise<void> {
  const { rows } = await pool.query<{ name: string }>(
    `select quote_ident(column_name) as name from information_schema.columns
      where table_schema = 'broker' and table_name = 'instances' and is_generated = 'NEVER' and is_identity = 'NO'`,
  );
  const columns = rows.map(({ name }) => name);
  await pool.query(
    `insert into broker.instances (${columns.join(', ')})
     select ${columns.map((name) => `copy.${name}`).join(', ')}
       from (select * from broker.instances order by created_at limit 1) as i, generate_series(1, $1) as n,
            jsonb_populate_record(null::broker.instances, to_jsonb(i) || jsonb_build_object(
              'id', 'copy-' || n, 'shoot_name', 'copy-' || n, 'runtime_id', null, 'created_at', now() + n * interval '1 ms'))
              as copy`,
    [copies],
  );
}
