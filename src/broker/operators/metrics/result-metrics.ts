import type { Pool } from 'pg';
import { Gauge, type Registry } from 'prom-client';
import { newer, older } from './both-names.ts';
import type { PlanIds } from './plan-ids.ts';
import { runtimeOperations } from '../runtime-state.ts';

// Each is a line for every scrape: those that have ended leave after three hours, and the newest thousand say enough.
const mostResults = 1_000;

const ids = ['operation_id', 'instance_id', 'global_account_id', 'plan_id'] as const;
const errors = ['error_category', 'error_reason'] as const;
const ofRuntime = ['runtime_id', 'shoot', 'provider', 'error'] as const;

/** The states as numbers, where the value is the state. */
const numbers = {
  failed: 0,
  succeeded: 1,
  'in progress': 2,
  pending: 3,
  canceling: 4,
  canceled: 5,
} as const;

const ofType = {
  provision: ['provisioning_result', ...errors],
  deprovision: ['deprovisioning_result', ...errors],
  upgradeKyma: ['upgrade_kyma_result'],
  upgradeCluster: ['upgrade_cluster_result'],
} as const;

/** What has become of single operations. Returns what looks. */
export function resultMetrics(
  registry: Registry,
  pool: Pool,
  planIds: PlanIds,
): () => Promise<void> {
  const registers = [registry];
  const help = 'Operations that are open or have ended lately: 1 in the state that they are in';
  const labels = [...ids, 'type', 'state', ...errors];
  const result = new Gauge({
    name: `${older}operation_result`,
    help,
    labelNames: labels,
    registers,
  });
  const wide = new Gauge({
    name: `${newer}operation_result`,
    help,
    labelNames: [...labels, ...ofRuntime],
    registers,
  });
  const byType = new Map(
    Object.entries(ofType).map(([type, [name, ...more]]) => [
      type,
      {
        more,
        gauge: new Gauge({
          name: older + name,
          help: `What has become of it (${type}): 0 failed, 1 succeeded, 2 in progress, 3 pending, 4 canceling, 5 canceled`,
          labelNames: [...ids, ...more],
          registers,
        }),
      },
    ]),
  );

  return async () => {
    const found = await results(pool);
    for (const each of [result, wide, ...[...byType.values()].map(({ gauge }) => gauge)])
      each.reset();
    for (const { plan, ...row } of found) {
      const all = { ...row, plan_id: planIds.of(plan) };
      const picked = (names: readonly (keyof typeof all)[]) =>
        Object.fromEntries(names.map((name) => [name, all[name]]));
      result.set(picked([...ids, 'type', 'state', ...errors]), 1);
      wide.set(all, 1);
      const typed = byType.get(row.type);
      typed?.gauge.set(picked([...ids, ...typed.more]), numbers[row.state]);
    }
  };
}

type Label = 'type' | Exclude<(typeof ids)[number], 'plan_id'> | (typeof errors)[number];
type Result = Readonly<Record<Label | (typeof ofRuntime)[number], string>> & {
  readonly plan: string;
  readonly state: keyof typeof numbers;
};

async function results(pool: Pool): Promise<Result[]> {
  const { rows } = await pool.query<Result>(
    `select o.id as operation_id, o.subject as instance_id, o.account as global_account_id, o.type,
            case when o.state = 'in progress' and o.cancel_because is not null then 'canceling' else o.state end as state,
            coalesce(o.facts ->> 'plan', i.plan_name, '') as plan, coalesce(o.error ->> 'class', '') as error_category,
            coalesce(o.error ->> 'reason', '') as error_reason, left(coalesce(o.error ->> 'message', ''), 200) as error,
            coalesce(i.runtime_id, '') as runtime_id, coalesce(i.shoot_name, '') as shoot,
            coalesce(i.provider, '') as provider
       from (select * from operations
              where (ended_at is null or ended_at > now() - interval '3 hours') and type = any($1)
              order by created_at desc limit ${mostResults}) o
       left join instances i on i.id = o.subject`,
    [runtimeOperations],
  );
  return rows;
}
