import type { Pool } from 'pg';
import { Gauge, type Registry } from 'prom-client';

const states = ['reconciled', 'skipped'] as const;

/** What the outcomes of the job mean here. Of those that are not named, nobody can say either. */
const stateOf: Readonly<Record<string, (typeof states)[number]>> = {
  equal: 'reconciled',
  created: 'reconciled',
  overwritten: 'reconciled',
  'left alone': 'skipped',
  skipped: 'skipped',
};

/** The BTP credentials in clusters, as the job last left them; of those that its history keeps. Returns what looks. */
export function reconcilerMetrics(registry: Registry, pool: Pool): () => Promise<void> {
  const secrets = new Gauge({
    name: 'reconciled_secrets',
    help: 'BTP credentials in a cluster after the last run of the runtime reconciler: 1 in the state that they are in',
    labelNames: ['shoot', 'state'],
    registers: [registry],
  });
  return async () => {
    const found = await lastOutcomes(pool);
    secrets.reset();
    for (const { shoot, outcome } of found)
      for (const state of stateOf[outcome] ? states : [])
        secrets.set({ shoot, state }, stateOf[outcome] === state ? 1 : 0);
  };
}

async function lastOutcomes(pool: Pool) {
  const { rows } = await pool.query<{ shoot: string; outcome: string }>(
    `select i.shoot_name as shoot, entry ->> 'outcome' as outcome
       from (select entries from job_runs where job = 'runtime-reconciler' and ended_at is not null
              order by started_at desc limit 1) last
      cross join lateral jsonb_array_elements(last.entries) entry
       join instances i on i.id = entry ->> 'subject'`,
  );
  return rows;
}
