import { randomUUID } from 'node:crypto';
import type { Pool } from 'pg';
import { planIds } from '../../src/broker/api/testing.ts';

export type Seed = {
  readonly id?: string;
  readonly plan?: string;
  readonly account?: string;
  readonly subaccount?: string;
  readonly region?: string;
  readonly shoot?: string;
  readonly runtimeId?: string | null;
};

/** Instances as if they had been provisioned, without a cluster behind them. */
export async function seedInstances(pool: Pool, seeds: readonly Seed[]): Promise<string[]> {
  const rows = seeds.map((each) => {
    const id = each.id ?? randomUUID();
    const plan = each.plan ?? 'azure';
    return {
      id,
      plan,
      planId: planIds[plan as keyof typeof planIds] ?? planIds.azure,
      account: each.account ?? 'ga-1',
      subaccount: each.subaccount ?? 'sa-1',
      region: each.region ?? 'westeurope',
      shoot: each.shoot ?? `c-${id.slice(0, 18)}`,
      runtime: each.runtimeId === undefined ? randomUUID() : each.runtimeId,
    };
  });
  await pool.query(
    `insert into instances (id, service_id, plan_id, plan_name, global_account, subaccount, platform_region,
       platform_provider, provider, region, context, parameters, shoot_name, shoot_domain, dashboard_url, runtime_id)
     select id, 'service', "planId", plan, account, subaccount, 'cf-eu20', 'azure', 'azure', region,
            jsonb_build_object('globalaccount_id', account, 'subaccount_id', subaccount, 'user_id', 'me'),
            '{"name": "demo"}', shoot, 'kyma.example.com', 'https://dashboard.example.com', runtime
       from json_to_recordset($1) as s(id text, plan text, "planId" text, account text, subaccount text, region text,
            shoot text, runtime text)`,
    [JSON.stringify(rows)],
  );
  return rows.map(({ id }) => id);
}
