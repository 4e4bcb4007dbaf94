import type { Pool } from 'pg';
import { Counter, Histogram, linearBuckets, type Registry } from 'prom-client';
import type { Api } from '../../api/api.ts';

// Which plan a binding is of is looked up when somebody asks, for so many of them.
const mostKept = 20_000;

/** Bindings that were made and revoked in this process, and how long that took. Returns what counts them. */
export function bindingMetrics(
  registry: Registry,
  { engine, database: { pool } }: Pick<Api, 'engine' | 'database'>,
): () => Promise<void> {
  const registers = [registry];
  const durations = new Map(
    (['bind', 'unbind'] as const).map((type) => [
      type as string,
      new Histogram({
        name: `kcp_keb_v2_${type}_duration_millisecond`,
        help: `How long it took: ${type}`,
        buckets: linearBuckets(50, 200, 15),
        registers,
      }),
    ]),
  );
  const created = new Counter({
    name: 'kcp_keb_v2_binding_created_total',
    help: 'Bindings that were made in this process',
    labelNames: ['plan_id'],
    registers,
  });
  let made: string[] = [];
  engine.listen((event) => {
    if (event.kind !== 'ended' || event.state !== 'succeeded') return;
    durations.get(event.type ?? '')?.observe(event.duration);
    if (event.type === 'bind' && made.length < mostKept) made.push(event.operation);
  });

  return async () => {
    const operations = made;
    made = [];
    if (operations.length === 0) return;
    for (const { plan_id, count } of await plansOfBindings(pool, operations))
      created.inc({ plan_id }, count);
  };
}

async function plansOfBindings(pool: Pool, operations: readonly string[]) {
  const { rows } = await pool.query<{ plan_id: string; count: number }>(
    `select coalesce(i.plan_id, '') as plan_id, count(*)::int as count
       from operations o left join instances i on i.id = o.facts ->> 'instanceId'
      where o.id = any($1::uuid[]) group by 1`,
    [operations],
  );
  return rows;
}
