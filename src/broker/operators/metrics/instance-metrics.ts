import type { Pool } from 'pg';
import { Gauge, type Registry } from 'prom-client';
import { bothGauges, mostLabels, newer } from './both-names.ts';

/** How many instances there are, and whose. Returns what counts them. */
export function instanceMetrics(registry: Registry, pool: Pool): () => Promise<void> {
  const instances = bothGauges(registry, 'instances_total', 'Instances');
  const ofAccount = bothGauges(
    registry,
    'global_account_id_instances_total',
    'Instances of a global account',
    'global_account_id',
  );
  const ofSubaccount = bothGauges(
    registry,
    'sub_account_id_instances_total',
    'Instances of a subaccount',
    'sub_account_id',
  );
  const ofLicense = bothGauges(
    registry,
    'ers_context_license_type_total',
    'Instances by licence',
    'license_type',
  );
  const ofCredentials = new Gauge({
    name: `${newer}instances_per_credentials_binding`,
    help: 'Instances in an account at a hyperscaler',
    labelNames: ['credentials_binding', 'global_account_id'],
    registers: [registry],
  });
  const binding = bothGauges(
    registry,
    'minutes_since_earliest_binding_expiration',
    'Since the oldest binding has expired that is still there',
  );

  return async () => {
    const found = await counted(pool);
    for (const each of [ofAccount, ofSubaccount, ofLicense, ofCredentials]) each.reset();
    instances.set({}, found.instances);
    for (const { name, count } of found.accounts) ofAccount.set({ global_account_id: name }, count);
    for (const { name, count } of found.subaccounts)
      ofSubaccount.set({ sub_account_id: name }, count);
    for (const { name, count } of found.licenses) ofLicense.set({ license_type: name }, count);
    for (const { name, account, count } of found.credentials)
      ofCredentials.set({ credentials_binding: name, global_account_id: account }, count);
    binding.set({}, found.bindingMinutes);
  };
}

type Named = { readonly name: string; readonly count: number };
type Counted = {
  readonly instances: number;
  readonly accounts: readonly Named[];
  readonly subaccounts: readonly Named[];
  readonly licenses: readonly Named[];
  readonly credentials: readonly (Named & { readonly account: string })[];
  readonly bindingMinutes: number;
};

async function counted(pool: Pool): Promise<Counted> {
  const by = (column: string) =>
    `(select coalesce(json_agg(n), '[]') from (select coalesce(${column}, '') as name, count(*)::int as count
        from instances group by 1 order by 2 desc limit ${mostLabels}) n)`;
  const { rows } = await pool.query<Counted>(`
    select (select count(*)::int from instances) as instances, ${by('global_account')} as accounts,
           ${by('subaccount')} as subaccounts, ${by(`context ->> 'license_type'`)} as licenses,
           (select coalesce(json_agg(c), '[]') from (
              select details ->> 'targetSecret' as name, global_account as account, count(*)::int as count from instances
               where details ? 'targetSecret' group by 1, 2 order by 3 desc limit ${mostLabels}) c) as credentials,
           (select coalesce(extract(epoch from now() - min(expires_at)) / 60, 0)::float8 from bindings
             where expires_at < now()) as "bindingMinutes"`);
  const [found] = rows;
  if (!found) throw new Error('the database has counted nothing');
  return found;
}
