// Instances beside their operations, for lists of many. Both are tables of the broker's own schema.
import type { Pool } from 'pg';
import { activityCondition, type Activity, type OperationState } from '#engine';
import { Refusal } from '../errors.ts';
import type { InstanceDetails } from '../instance.ts';
import type { RuntimeOrder, RuntimesQuery } from './runtimes-query.ts';
import { lastOperations, runtimeOperations, stateConditions, stateText } from './runtime-state.ts';

export type RuntimeRow = {
  readonly id: string;
  readonly service_id: string;
  readonly plan_id: string;
  readonly plan_name: string;
  readonly global_account: string;
  readonly subaccount: string;
  readonly subscription_account: string | null;
  readonly platform_region: string;
  readonly provider: string;
  readonly region: string;
  readonly user_id: string | null;
  readonly name: string | null;
  readonly shoot_name: string;
  readonly dashboard_url: string;
  readonly runtime_id: string | null;
  readonly details: InstanceDetails;
  readonly parameters: Readonly<Record<string, unknown>>;
  readonly created_at: Date;
  readonly updated_at: Date;
  readonly expired_at: Date | null;
  readonly deleted_at: Date | null;
  readonly sorted_by: string;
};

// Secrets are in what is left out: nothing here needs a key.
const columns = `i.id, i.service_id, i.plan_id, i.plan_name, i.global_account, i.subaccount, i.subscription_account,
  i.platform_region, i.provider, i.region, i.context ->> 'user_id' as user_id, i.parameters ->> 'name' as name,
  i.parameters - 'kubeconfig' as parameters, i.shoot_name, i.dashboard_url, i.runtime_id, i.details, i.created_at,
  i.updated_at, i.expired_at, i.deleted_at`;

const orders: Readonly<Record<RuntimeOrder, string>> = {
  createdAt: 'i.created_at',
  modifiedAt: 'i.updated_at',
  region: 'i.region',
  plan: 'i.plan_name',
  account: 'i.global_account',
  shoot: 'i.shoot_name',
  state: stateText,
};
const isTime = (order: RuntimeOrder) => order === 'createdAt' || order === 'modifiedAt';

export type RuntimePage = {
  readonly rows: readonly RuntimeRow[];
  readonly total: number;
  readonly nextCursor: string | undefined;
};

export async function listRuntimes(pool: Pool, query: RuntimesQuery): Promise<RuntimePage> {
  const { text, values } = conditionsOf(query);
  const { order, descending } = query.sort;
  const direction = descending ? 'desc' : 'asc';
  const by = orders[order];
  const more = [...values];
  let page = `offset ${(query.page - 1) * query.page_size}`;
  let beyond = '';
  if (query.cursor !== undefined) {
    more.push(...readCursor(query.cursor, order));
    const type = isTime(order) ? 'timestamptz' : 'text';
    beyond = ` and (${by}, i.id) ${descending ? '<' : '>'} ($${more.length - 1}::${type}, $${more.length})`;
    page = '';
  }
  const sorting = `order by ${by} ${direction}, i.id ${direction}`;
  const limit = `limit ${query.page_size + 1} ${page}`;
  const joined = order === 'state' ? lastOperations : '';
  const find = () =>
    // Only what is on the page is read as a whole.
    pool.query<RuntimeRow>(
      `with page as materialized (
         select i.id, ${by} as sorted from instances i ${joined} where ${text}${beyond} ${sorting} ${limit})
       select ${columns}, page.sorted::text as sorted_by from page join instances i on i.id = page.id
        order by page.sorted ${direction}, page.id ${direction}`,
      more,
    );
  const count = async () => {
    const { rows: counts } = await pool.query<{ count: number }>(
      `select count(*)::int as count from instances i where ${text}`,
      values,
    );
    return counts[0]?.count ?? 0;
  };
  // Whoever searches finds few, and then the page itself tells how many: nobody reads everything a second time.
  const [found, total] = query.search
    ? await find().then(async (few) => [few, totalOn(few.rows, query) ?? (await count())] as const)
    : await Promise.all([find(), count()]);
  const rows = found.rows.slice(0, query.page_size);
  const last = found.rows.length > query.page_size ? rows.at(-1) : undefined;
  return {
    rows,
    total,
    nextCursor: last && writeCursor(order, last),
  };
}

/** How many there are in all, if the end of the list is on this page. */
function totalOn(
  { length }: readonly RuntimeRow[],
  { page, page_size: size, cursor }: RuntimesQuery,
): number | undefined {
  if (cursor !== undefined || length > size || (length === 0 && page > 1)) return undefined;
  return (page - 1) * size + length;
}

/** Where the next page begins: behind the last item of this one. */
const writeCursor = (order: RuntimeOrder, { sorted_by, id }: RuntimeRow): string =>
  Buffer.from(JSON.stringify([order, sorted_by, id])).toString('base64url');

function readCursor(cursor: string, order: RuntimeOrder): [string, string] {
  try {
    const [sortedBy, value, id] = JSON.parse(
      Buffer.from(cursor, 'base64url').toString(),
    ) as unknown[];
    const isWhole = sortedBy === order && typeof value === 'string' && typeof id === 'string';
    if (isWhole && (!isTime(order) || !Number.isNaN(Date.parse(value)))) return [value, id];
  } catch {
    // Told below: it is as wrong as any other.
  }
  throw new Refusal(
    'MALFORMED_REQUEST',
    `while getting query parameters: cursor: expected nextCursor of a page that was sorted by ${order}`,
  );
}

/** Texts of ours; what callers gave are values. $1 is in all of them, so that it has a type. */
function conditionsOf(query: RuntimesQuery) {
  const values: unknown[] = [runtimeOperations];
  const texts = ['cardinality($1::text[]) > 0'];
  const among = (column: string, given: readonly string[]) => {
    if (given.length === 0) return;
    values.push(given);
    texts.push(`${column} = any($${values.length}::text[])`);
  };
  among('i.global_account', query.account);
  among('i.subaccount', query.subaccount);
  among('i.id', query.instance_id);
  among('i.runtime_id', query.runtime_id);
  among('i.region', query.region);
  among('i.shoot_name', query.shoot);
  among('i.plan_name', query.plan);
  if (query.expired) texts.push('i.expired_at is not null');
  if (query.search) {
    values.push(`%${query.search.toLowerCase().replaceAll(/[\\%_]/g, '\\$&')}%`);
    texts.push(`i.searched like $${values.length}`);
  }
  if (query.attention.length > 0)
    texts.push(`(${query.attention.map((each) => attentionConditions[each]).join(' or ')})`);
  const { state } = query;
  const states = state.flatMap((each) => (each === 'all' ? [] : [stateConditions[each]]));
  const isAll = state.includes('all');
  if (states.length > 0 && !isAll) texts.push(`(${states.join(' or ')})`);
  // What only remains, and what is suspended, is there for those who ask for it.
  else if (!isAll && query.attention.length === 0) texts.push(isNotRemoved);
  return { text: texts.join(' and '), values };
}

const isNotRemoved = `not ${stateConditions.deprovisioned}`;

const hasOpen = (activity: Activity) =>
  `i.id in (select subject from operations where ended_at is null and ${activityCondition(activity, 'now()')})`;

const attentionConditions = {
  retrying: hasOpen('retrying'),
  stuck: hasOpen('stuck'),
  residue: 'i.deleted_at is not null',
} as const;

/** An operation without what only its steps need. */
export type BriefOperation = {
  readonly id: string;
  readonly number: string;
  readonly subject: string;
  readonly type: string;
  readonly state: OperationState;
  readonly description: string;
  readonly created_at: Date;
  readonly updated_at: Date;
  readonly ended_at: Date | null;
  readonly finished_stages: readonly string[];
  readonly not_completed: readonly string[];
  readonly cancel_because: string | null;
  readonly temporary: boolean;
  readonly unsuspends: boolean;
  readonly dry_run: boolean;
  readonly kyma_version: string | null;
  readonly orchestration_id: string | null;
};

/** Of each instance the newest fifty and the first, oldest first. */
export async function operationsOfRuntimes(
  pool: Pool,
  instanceIds: readonly string[],
): Promise<BriefOperation[]> {
  const { rows } = await pool.query<BriefOperation>({
    name: 'operations-of-runtimes',
    text: `
      select o.id, o.number, o.subject, o.type, o.state, o.description, o.created_at, o.updated_at, o.ended_at,
             o.finished_stages, o.not_completed, o.cancel_because,
             coalesce((o.facts ->> 'temporary')::boolean, false) as temporary,
             coalesce((o.facts ->> 'unsuspends')::boolean, false) as unsuspends,
             coalesce((o.facts ->> 'dryRun')::boolean, false) as dry_run,
             o.facts ->> 'kymaVersion' as kyma_version, u.orchestration_id
        from unnest($1::text[]) as asked (id)
        cross join lateral (
          (select * from operations where subject = asked.id and type = any($2) order by number desc limit 50)
          union all
          (select * from operations where subject = asked.id and type = any($2) order by number limit 1)) o
        left join orchestration_operations u on u.operation_id = o.id
       order by o.number`,
    values: [instanceIds, runtimeOperations],
  });
  return [...new Map(rows.map((row) => [row.id, row])).values()];
}

/** How many there are of each type, of those instances that have more than were read. */
export async function countOperationsOf(pool: Pool, instanceIds: readonly string[]) {
  const { rows } = await pool.query<{ subject: string; type: string; count: number }>(
    `select subject, type, count(*)::int as count from operations
      where subject = any($1) and type = any($2) group by subject, type`,
    [instanceIds, ['update', 'upgradeKyma', 'upgradeCluster']],
  );
  return rows;
}

/** Instances that are gone, as far as they are remembered. */
export async function removedRuntimes(
  pool: Pool,
  { instance_id, account }: Pick<RuntimesQuery, 'instance_id' | 'account'>,
  limit: number,
) {
  const { rows } = await pool.query<RemovedRuntime>(
    `select distinct on (instance_id) instance_id as id, global_account, subaccount, subscription_account, plan_id, plan_name,
            subaccount_region, region, provider, last_runtime_id, shoot_name, provisioning_started_at as created_at, removed_at
       from archived_instances a
      where (cardinality($1::text[]) = 0 or instance_id = any($1))
        and (cardinality($2::text[]) = 0 or global_account = any($2))
        and not exists (select from instances i where i.id = a.instance_id)
      order by instance_id, number desc limit $3`,
    [instance_id, account, limit],
  );
  return rows;
}

export type RemovedRuntime = {
  readonly id: string;
  readonly global_account: string;
  readonly subaccount: string;
  readonly subscription_account: string | null;
  readonly plan_id: string;
  readonly plan_name: string;
  readonly subaccount_region: string;
  readonly region: string;
  readonly provider: string;
  readonly last_runtime_id: string | null;
  readonly shoot_name: string;
  readonly created_at: Date | null;
  readonly removed_at: Date;
};

export async function instancesOfRuntimes(
  pool: Pool,
  runtimeIds: readonly string[],
): Promise<string[]> {
  const { rows } = await pool.query<{ id: string }>(
    'select id from instances where runtime_id = any($1)',
    [runtimeIds],
  );
  return rows.map(({ id }) => id);
}
