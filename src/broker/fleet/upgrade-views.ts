// What people ask of an orchestration's upgrades: each as its operation stands at this moment, also if the orchestration
// has not looked yet.
import { subjectOf } from './orchestration.ts';
import type { Queryable } from './orchestrations-table.ts';
import type { UpgradeState, WaveCount } from './upgrades-table.ts';

const joined = `orchestration_operations u
  left join operations o on o.id = u.operation_id and u.state in ('in progress', 'failed')`;
const state = `case when o.id is null then u.state when o.ended_at is null then 'in progress' else o.state end`;

export type UpgradeView = {
  readonly operationId: string;
  readonly instanceId: string;
  readonly runtimeId: string;
  readonly globalAccount: string;
  readonly subaccount: string;
  readonly planId: string;
  readonly planName: string;
  readonly shootName: string;
  readonly region: string;
  readonly wave: number;
  readonly attempt: number;
  readonly windowBegin: Date | null;
  readonly windowEnd: Date | null;
  /** One that waits for another attempt is retrying. */
  readonly state: UpgradeState | 'retrying';
  readonly description: string;
  readonly notification: string;
  readonly facts: Readonly<Record<string, unknown>> | null;
};

const shownState = `case when ${state} = 'pending' and u.attempt > 1 then 'retrying' else ${state} end`;
const view = `u.operation_id as "operationId", u.instance_id as "instanceId", u.runtime_id as "runtimeId",
  u.global_account as "globalAccount", u.subaccount, u.plan_id as "planId", u.plan_name as "planName",
  u.shoot_name as "shootName", u.region, u.wave, u.attempt, u.window_begin as "windowBegin", u.window_end as "windowEnd",
  ${shownState} as state,
  coalesce(o.description || case when o.ended_at is null then coalesce(': ' || o.because, '') else '' end, u.description)
    as description,
  u.notification, o.facts`;

/** In the order in which they were planned. */
export async function listUpgrades(
  db: Queryable,
  orchestrationId: string,
  wanted: { readonly states: readonly string[]; readonly page: number; readonly pageSize: number },
): Promise<{ readonly data: UpgradeView[]; readonly totalCount: number }> {
  const { states, page, pageSize } = wanted;
  const where = `u.orchestration_id = $1 and (cardinality($2::text[]) = 0 or ${shownState} = any($2))`;
  const { rows } = await db.query<UpgradeView>(
    `select ${view} from ${joined} where ${where} order by u.wave, md5(u.instance_id), u.attempt limit $3 offset $4`,
    [orchestrationId, states, pageSize, (page - 1) * pageSize],
  );
  const { rows: counted } = await db.query<{ count: number }>(
    `select count(*)::integer as count from ${joined} where ${where}`,
    [orchestrationId, states],
  );
  return { data: rows, totalCount: counted[0]?.count ?? 0 };
}

export async function findUpgrade(
  db: Queryable,
  orchestrationId: string,
  operationId: string,
): Promise<UpgradeView | undefined> {
  const { rows } = await db.query<UpgradeView>(
    `select ${view} from orchestration_operations u left join operations o on o.id = u.operation_id
      where u.orchestration_id = $1 and u.operation_id::text = $2`,
    [orchestrationId, operationId],
  );
  return rows[0];
}

/** Of each of them, by its id. */
export async function countUpgrades(
  db: Queryable,
  orchestrationIds: readonly string[],
): Promise<Map<string, (WaveCount & { readonly isRetry: boolean })[]>> {
  const { rows } = await db.query<WaveCount & { id: string; isRetry: boolean }>(
    `select u.orchestration_id as id, u.wave, ${state} as state, u.superseded, u.attempt > 1 as "isRetry",
            count(*)::integer as count, max(coalesce(o.ended_at, u.ended_at)) as "lastEnd"
       from ${joined} where u.orchestration_id = any($1::uuid[]) group by 1, 2, 3, 4, 5`,
    [orchestrationIds],
  );
  return Map.groupBy(rows, ({ id }) => id);
}

export type FailureGroup = {
  readonly fingerprint: string;
  readonly step: string | null;
  readonly system: string | null;
  readonly class: string | null;
  readonly reason: string | null;
  /** Of one of them. */
  readonly message: string;
  readonly count: number;
  /** The first ten. */
  readonly runtimes: readonly string[];
};

/** Failures of the same kind together, the most frequent first. */
export async function groupFailures(
  db: Queryable,
  orchestrationId: string,
): Promise<FailureGroup[]> {
  const { rows } = await db.query<FailureGroup>(
    `select coalesce(o.fingerprint, '') as fingerprint, min(o.error ->> 'step') as step,
            min(o.error ->> 'system') as system, min(o.error ->> 'class') as class, min(o.error ->> 'reason') as reason,
            min(coalesce(o.error ->> 'message', u.description)) as message, count(*)::integer as count,
            (array_agg(u.instance_id order by u.instance_id))[1:10] as runtimes
       from ${joined} where u.orchestration_id = $1 and ${state} = 'failed' and not u.superseded
      group by o.fingerprint order by count(*) desc, fingerprint`,
    [orchestrationId],
  );
  return rows;
}

/** The operations that carry the orchestrations of these upgrades. */
export async function carriersOf(
  db: Queryable,
  operationIds: readonly string[],
): Promise<string[]> {
  const { rows } = await db.query<{ id: string }>(
    `select c.id from operations c
      where c.ended_at is null and c.subject = any(array(
        select distinct $2 || orchestration_id::text from orchestration_operations where operation_id = any($1::uuid[])))`,
    [operationIds, subjectOf('')],
  );
  return rows.map(({ id }) => id);
}
