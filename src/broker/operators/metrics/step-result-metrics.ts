import type { Pool } from 'pg';
import { Gauge, type Registry } from 'prom-client';
import type { StepOutcome } from '#engine';
import { older } from './both-names.ts';
import type { PlanIds } from './plan-ids.ts';

// Each step is a line for every scrape: there are far more of them than of operations.
const mostOperations = 100;
const mostSteps = 1_000;

const types = { provision: 'provisioning', deprovision: 'deprovisioning' } as const;
const labelNames = [
  'operation_id',
  'instance_id',
  'global_account_id',
  'plan_id',
  'step_name',
] as const;

const numbers: Readonly<Record<StepOutcome, number>> = {
  fail: 0,
  'not completed': 0,
  canceled: 0,
  done: 1,
  skip: 1,
  wait: 2,
  retry: 2,
};

/** How the steps of the newest operations went. Returns what looks. */
export function stepResultMetrics(
  registry: Registry,
  pool: Pool,
  planIds: PlanIds,
): () => Promise<void> {
  const gauges = new Map(
    Object.entries(types).map(([type, name]) => [
      type,
      new Gauge({
        name: `${older}${name}_step_result`,
        help: `How a step went last (${name}): 0 failed, 1 succeeded, 2 in progress; of the newest operations`,
        labelNames,
        registers: [registry],
      }),
    ]),
  );
  return async () => {
    const found = await stepResults(pool);
    for (const gauge of gauges.values()) gauge.reset();
    for (const { type, plan, outcome, ...labels } of found)
      gauges.get(type)?.set({ ...labels, plan_id: planIds.of(plan) }, numbers[outcome]);
  };
}

type Row = Readonly<Record<Exclude<(typeof labelNames)[number], 'plan_id'>, string>> & {
  readonly type: keyof typeof types;
  readonly plan: string;
  readonly outcome: StepOutcome;
};

/** Of operations that are open or have ended lately: the last line that each step has in the timeline. */
async function stepResults(pool: Pool): Promise<Row[]> {
  const { rows } = await pool.query<Row>(
    `select o.id as operation_id, o.subject as instance_id, o.account as global_account_id, o.type,
            coalesce(o.facts ->> 'plan', '') as plan, s.step as step_name, s.outcome
       from (select id, subject, account, type, facts, created_at from operations
              where (ended_at is null or ended_at > now() - interval '3 hours') and type = any($1)
              order by created_at desc limit ${mostOperations}) o
      cross join lateral (select distinct on (step) step, outcome from step_runs
                           where operation_id = o.id order by step, number desc) s
      order by o.created_at desc limit ${mostSteps}`,
    [Object.keys(types)],
  );
  return rows;
}
