// What jobs look for, by the ids of instances or bindings in their order. Whether something has changed since is for the
// job to see: it looks again with the row locked.
import type { Queryable } from '../tables/instances-table.ts';

type Page = { readonly after: string; readonly limit: number };

const idsOf = async (
  db: Queryable,
  text: string,
  values: readonly unknown[],
): Promise<string[]> => {
  const { rows } = await db.query<{ id: string }>(text, [...values]);
  return rows.map(({ id }) => id);
};

/** Instances that are removed or suspended, and whose last removal has left something behind. */
export const withResidue = (db: Queryable, { after, limit }: Page) =>
  idsOf(
    db,
    `select i.id from instances i
       left join lateral (select o.type, o.state, o.not_completed from operations o
                           where o.subject = i.id and o.type in ('provision', 'update', 'deprovision')
                           order by o.number desc limit 1) last on true
      where i.id > $1
        and (i.deleted_at is not null
             or (last.type = 'deprovision' and last.state = 'succeeded' and last.not_completed <> '{}'))
      order by i.id limit $2`,
    [after, limit],
  );

/** Instances of the plan that are older than allowed, and those that have expired and still have a runtime. */
export const tooOld = (
  db: Queryable,
  { after, limit }: Page,
  {
    plan,
    createdBefore,
    subaccount,
  }: { plan: string; createdBefore: Date; subaccount?: string | undefined },
) =>
  idsOf(
    db,
    `select id from instances
      where id > $1 and plan_name = $3 and deleted_at is null and created_at < $4
        and ($5::text is null or subaccount = $5) and (expired_at is null or runtime_id is not null)
      order by id limit $2`,
    [after, limit, plan, createdBefore, subaccount ?? null],
  );

export const ofSubaccounts = (
  db: Queryable,
  { after, limit }: Page,
  subaccounts: readonly string[],
) =>
  idsOf(
    db,
    `select id from instances where id > $1 and subaccount = any($3) and deleted_at is null order by id limit $2`,
    [after, limit, subaccounts],
  );

export const withRuntime = (db: Queryable, { after, limit }: Page) =>
  idsOf(
    db,
    `select id from instances where id > $1 and runtime_id is not null and deleted_at is null order by id limit $2`,
    [after, limit],
  );

export const ofRuntime = async (db: Queryable, runtimeId: string): Promise<string | undefined> =>
  (await idsOf(db, 'select id from instances where runtime_id = $1 limit 1', [runtimeId]))[0];

export const expiredBindings = (db: Queryable, { after, limit }: Page, now: Date) =>
  idsOf(db, 'select id from bindings where id > $1 and expires_at <= $3 order by id limit $2', [
    after,
    limit,
    now,
  ]);
