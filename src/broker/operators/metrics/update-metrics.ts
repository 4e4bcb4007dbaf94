import type { Pool } from 'pg';
import { Gauge, type Registry } from 'prom-client';
import { nothingChanges } from '../../steps/update-kyma-initialization.ts';
import { mostLabels, newer } from './both-names.ts';

/** How often instances were changed, and how often that was for nothing. Returns what counts it. */
export function updateMetrics(registry: Registry, pool: Pool): () => Promise<void> {
  const gauge = (name: string, help: string) =>
    new Gauge({ name: newer + name, help, labelNames: ['instance_id'], registers: [registry] });
  const updates = gauge(
    'instance_updates_total',
    'Updates of an instance; of those that were changed most',
  );
  const empty = gauge(
    'instance_empty_updates_total',
    'Updates of an instance that changed nothing; of those with most of them',
  );

  return async () => {
    const found = await counted(pool);
    for (const each of [updates, empty]) each.reset();
    for (const { name, count } of found.updates) updates.set({ instance_id: name }, count);
    for (const { name, count } of found.empty) empty.set({ instance_id: name }, count);
  };
}

type Named = { readonly name: string; readonly count: number };
type Counted = { readonly updates: readonly Named[]; readonly empty: readonly Named[] };

/** Some that change nothing are told at once, and leave a count; others find out when their turn comes. */
async function counted(pool: Pool): Promise<Counted> {
  const { rows } = await pool.query<Counted>(
    `with updates as materialized (
       select subject as name, count(*)::int as count,
              (count(*) filter (where state = 'succeeded' and description = $1))::int as empty
         from operations where type = 'update' group by subject)
     select (select coalesce(json_agg(u), '[]') from (
               select name, count from updates order by 2 desc limit ${mostLabels}) u) as updates,
            (select coalesce(json_agg(e), '[]') from (
               select name, sum(count)::int as count from (
                 select name, empty as count from updates where empty > 0
                 union all
                 select id, empty_updates from instances where empty_updates > 0) all_empty
                group by name order by 2 desc limit ${mostLabels}) e) as empty`,
    [nothingChanges],
  );
  const [found] = rows;
  if (!found) throw new Error('the database has counted nothing');
  return found;
}
