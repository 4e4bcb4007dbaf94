import type { ClientBase } from 'pg';
import { inTransaction, type Database } from '#database';
import { inWords, seconds } from '#time';
import { Refusal } from '../errors.ts';
import type { Target, TargetSelectors } from './orchestration.ts';
import { tookTooLong } from './target-expressions.ts';

export type Chosen = Target & {
  /** Why it cannot be upgraded now, if so. */
  readonly unfit: string | undefined;
};

type Row = {
  id: string;
  runtime_id: string | null;
  global_account: string;
  subaccount: string;
  plan_id: string;
  plan_name: string;
  region: string;
  shoot_name: string;
  expired_at: Date | null;
  last_type: string | null;
  last_state: string | null;
  is_temporary: boolean | null;
};

// Each expression was tried before; the limit is for many of them together with many runtimes.
const patience = seconds(20);

const fits = (selectors: string) => `exists (
  select from jsonb_to_recordset(${selectors}) as s(
    "runtimeID" text, "instanceID" text, "planName" text, shoot text, "globalAccount" text, "subAccount" text, region text)
   where case when s."runtimeID" is not null then i.runtime_id = s."runtimeID" else
         (s."instanceID" is null or i.id = s."instanceID")
     and (s."planName" is null or i.plan_name = s."planName")
     and (s.shoot is null or i.shoot_name = s.shoot)
     and (s."globalAccount" is null or i.global_account ~ s."globalAccount")
     and (s."subAccount" is null or i.subaccount ~ s."subAccount")
     and (s.region is null or i.region ~ s.region) end)`;

/** Runtimes that are meant, each once, in an order that has nothing to do with their age, account or place. */
export async function chooseRuntimes(
  database: Database,
  targets: TargetSelectors,
): Promise<Chosen[]> {
  const rows = await inTransaction(database, (db) => findRows(db, targets)).catch(tooMuch);
  return rows.map((row) => ({
    instanceId: row.id,
    runtimeId: row.runtime_id ?? '',
    globalAccount: row.global_account,
    subaccount: row.subaccount,
    planId: row.plan_id,
    planName: row.plan_name,
    region: row.region,
    shootName: row.shoot_name,
    unfit: unfitness(row),
  }));
}

async function findRows(db: ClientBase, { include, exclude }: TargetSelectors): Promise<Row[]> {
  await db.query(`set local statement_timeout = ${patience}`);
  const { rows } = await db.query<Row>(
    `select i.id, i.runtime_id, i.global_account, i.subaccount, i.plan_id, i.plan_name, i.region, i.shoot_name,
            i.expired_at, last.type as last_type, last.state as last_state,
            (last.facts ->> 'temporary')::boolean as is_temporary
       from instances i
       left join lateral (select type, state, facts from operations
                           where subject = i.id and type in ('provision', 'deprovision')
                           order by number desc limit 1) last on true
      where i.deleted_at is null and ${fits('$1::jsonb')} and not ${fits('$2::jsonb')}
      order by md5(i.id), i.id`,
    [JSON.stringify(include), JSON.stringify(exclude)],
  );
  return rows;
}

function tooMuch(error: unknown): never {
  if (!tookTooLong(error)) throw error;
  throw new Refusal(
    'MALFORMED_REQUEST',
    `targets: the runtimes that are meant could not be found within ${inWords(patience)}: expected fewer or simpler ones`,
    { cause: error },
  );
}

function unfitness(row: Row): string | undefined {
  if (row.expired_at) return 'the instance has expired';
  if (row.last_type === 'deprovision')
    return row.is_temporary ? 'the instance is suspended' : 'the instance is being deprovisioned';
  if (row.last_type === 'provision' && row.last_state !== 'succeeded')
    return `its provisioning is ${row.last_state}`;
  if (row.runtime_id === null) return 'the instance has no runtime';
  return undefined;
}
