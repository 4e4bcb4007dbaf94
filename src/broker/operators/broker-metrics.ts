import type { Pool } from 'pg';
import { Gauge, type Registry } from 'prom-client';
import { seconds, type Milliseconds } from '#time';
import type { Api } from '../api/api.ts';
import { bindingMetrics } from './binding-metrics.ts';
import { durationMetrics } from './duration-metrics.ts';
import { resultMetrics } from './result-metrics.ts';

/** Under both names that dashboards of this broker's kind know. */
export const prefixes = ['compass_keb_', 'kcp_keb_v2_'] as const;

const kinds = {
  provision: 'provisioning',
  deprovision: 'deprovisioning',
  update: 'updating',
} as const;
const states = { failed: 'failed', 'in progress': 'in_progress', succeeded: 'succeeded' } as const;

/** Counted from the database at most so often: whoever asks in between is told the same. */
const keptFor: Milliseconds = seconds(15);

/** The metrics that the documents name. Returns what counts them. */
export function brokerMetrics(
  registry: Registry,
  api: Pick<Api, 'engine' | 'database' | 'plans'>,
): () => Promise<void> {
  const gauges = (name: string, help: string, ...labelNames: string[]) => {
    const all = prefixes.map(
      (prefix) => new Gauge({ name: prefix + name, help, labelNames, registers: [registry] }),
    );
    return {
      reset: () => all.forEach((each) => each.reset()),
      set: (labels: Record<string, string>, value: number) =>
        all.forEach((each) => each.set(labels, value)),
    };
  };
  const instances = gauges('instances_total', 'Instances');
  const ofAccount = gauges(
    'global_account_id_instances_total',
    'Instances of a global account',
    'global_account_id',
  );
  const ofSubaccount = gauges(
    'sub_account_id_instances_total',
    'Instances of a subaccount',
    'sub_account_id',
  );
  const ofLicense = gauges(
    'ers_context_license_type_total',
    'Instances by licence',
    'license_type',
  );
  const operations = new Map(
    Object.values(kinds).flatMap((kind) =>
      Object.values(states).map((state) => {
        const name = `operations_${kind}_${state}_total`;
        return [name, gauges(name, `Operations: ${kind}, ${state}`, 'plan_id')] as const;
      }),
    ),
  );
  const updates = new Gauge({
    name: 'kcp_keb_v2_instance_updates_total',
    help: 'Updates of an instance; of those that were changed most',
    labelNames: ['instance_id'],
    registers: [registry],
  });
  const ofCredentials = new Gauge({
    name: 'kcp_keb_v2_instances_per_credentials_binding',
    help: 'Instances in an account at a hyperscaler',
    labelNames: ['credentials_binding', 'global_account_id'],
    registers: [registry],
  });
  const binding = gauges(
    'minutes_since_earliest_binding_expiration',
    'Since the oldest binding has expired that is still there',
  );
  const connections = new Gauge({
    name: 'kcp_broker_database_connections',
    help: 'Connections of this process to the database',
    labelNames: ['state'],
    registers: [registry],
  });
  const countDurations = durationMetrics(registry, api);
  const countBindings = bindingMetrics(registry, api);
  const planIds = new Map(api.plans.enabled.map(({ name, id }) => [name, id]));
  const planId = (name: string | null) => planIds.get(name ?? '') ?? name ?? '';
  const lookAtResults = resultMetrics(registry, api.database.pool, planId);

  const count = async () => {
    const { pool } = api.database;
    const [found] = await Promise.all([counted(pool), lookAtResults()]);
    for (const each of [ofAccount, ofSubaccount, ofLicense, ...operations.values()]) each.reset();
    for (const each of [updates, ofCredentials]) each.reset();
    instances.set({}, found.instances);
    for (const { name, count: all } of found.accounts)
      ofAccount.set({ global_account_id: name }, all);
    for (const { name, count: all } of found.subaccounts)
      ofSubaccount.set({ sub_account_id: name }, all);
    for (const { name, count: all } of found.licenses) ofLicense.set({ license_type: name }, all);
    for (const { type, state, plan, count: all } of found.operations) {
      const name = `operations_${kinds[type]}_${states[state]}_total`;
      operations.get(name)?.set({ plan_id: planId(plan) }, all);
    }
    for (const { name, count: all } of found.updates) updates.set({ instance_id: name }, all);
    for (const { name, account, count: all } of found.credentials)
      ofCredentials.set({ credentials_binding: name, global_account_id: account }, all);
    binding.set({}, found.bindingMinutes);
  };

  let last: { readonly at: Milliseconds; readonly done: Promise<void> } | undefined;
  return async () => {
    const { pool } = api.database;
    connections.set({ state: 'open' }, pool.totalCount);
    connections.set({ state: 'idle' }, pool.idleCount);
    connections.set({ state: 'waited for' }, pool.waitingCount);
    if (!last || performance.now() - last.at > keptFor) {
      last = { at: performance.now(), done: count() };
      last.done.catch(() => (last = undefined)); // it is told to those who wait for it
    }
    await Promise.all([last.done, countDurations(), countBindings()]);
  };
}

type Named = { readonly name: string; readonly count: number };
type Counted = {
  readonly instances: number;
  readonly accounts: readonly Named[];
  readonly subaccounts: readonly Named[];
  readonly licenses: readonly Named[];
  readonly bindingMinutes: number;
  readonly operations: readonly {
    readonly type: keyof typeof kinds;
    readonly state: keyof typeof states;
    readonly plan: string | null;
    readonly count: number;
  }[];
  readonly updates: readonly Named[];
  readonly credentials: readonly (Named & { readonly account: string })[];
};

// More accounts than that are of no use on a dashboard, and each is a line for every scrape.
const mostLabels = 2_000;

async function counted(pool: Pool): Promise<Counted> {
  const by = (column: string) =>
    `(select coalesce(json_agg(n), '[]') from (select coalesce(${column}, '') as name, count(*)::int as count
        from instances group by 1 order by 2 desc limit ${mostLabels}) n)`;
  const { rows } = await pool.query<Counted>(`
    select (select count(*)::int from instances) as instances, ${by('global_account')} as accounts,
           ${by('subaccount')} as subaccounts, ${by(`context ->> 'license_type'`)} as licenses,
           (select coalesce(extract(epoch from now() - min(expires_at)) / 60, 0)::float8 from bindings
             where expires_at < now()) as "bindingMinutes",
           (select coalesce(json_agg(o), '[]') from (
              select type, state, facts ->> 'plan' as plan, count(*)::int as count from operations
               where type in ('provision', 'deprovision', 'update') and state in ('failed', 'in progress', 'succeeded')
               group by 1, 2, 3) o) as operations,
           (select coalesce(json_agg(u), '[]') from (
              select subject as name, count(*)::int as count from operations where type = 'update'
               group by 1 order by 2 desc limit ${mostLabels}) u) as updates,
           (select coalesce(json_agg(c), '[]') from (
              select details ->> 'targetSecret' as name, global_account as account, count(*)::int as count from instances
               where details ? 'targetSecret' group by 1, 2 order by 3 desc limit ${mostLabels}) c) as credentials`);
  const [found] = rows;
  if (!found) throw new Error('the database has counted nothing');
  return found;
}
