// Queries on the engine's tables, on what has ended and nobody changes any more.
import type { ClientBase } from 'pg';
import type { Queryable } from '../tables/instances-table.ts';

/** Of so many operations, the oldest first. */
export async function removeOldTimelines(
  db: ClientBase,
  before: Date,
  limit: number,
): Promise<{ operations: number; events: number }> {
  const { rows } = await db.query<{ operations: number; events: number }>(
    `with old as (
       update operations set history_length = 0
        where id in (select id from operations where ended_at < $1 and history_length > 0
                      order by ended_at limit $2 for update skip locked)
       returning id),
     gone as (delete from step_runs s using old where s.operation_id = old.id returning 1)
     select (select count(*)::int from old) as operations, (select count(*)::int from gone) as events`,
    [before, limit],
  );
  return rows[0] ?? { operations: 0, events: 0 };
}

/** How many lines there are to remove. */
export async function countOldTimelines(db: Queryable, before: Date): Promise<number> {
  const { rows } = await db.query<{ events: number }>(
    `select coalesce(sum(history_length), 0)::int as events from operations where ended_at < $1 and history_length > 0`,
    [before],
  );
  return rows[0]?.events ?? 0;
}

/** Of jobs themselves. Their history is kept in a table of its own. */
export async function removeOldJobOperations(db: ClientBase, before: Date): Promise<number> {
  const { rowCount } = await db.query(
    `delete from operations where type = 'job' and ended_at < $1 and history_length = 0
        and exists (select from job_runs r where r.id = operations.id and r.ended_at is not null)`,
    [before],
  );
  return rowCount ?? 0;
}

/** Of bindings that are gone. */
export async function removeOldBindingOperations(db: ClientBase, before: Date): Promise<number> {
  const { rows } = await db.query<{ operations: number }>(
    `with old as (
       delete from operations o
        where type in ('bind', 'unbind', 'expire_binding') and ended_at < $1
          and not exists (select from bindings b where b.id = o.facts ->> 'bindingId')
       returning id),
     timelines as (delete from step_runs s using old where s.operation_id = old.id)
     select count(*)::int as operations from old`,
    [before],
  );
  return rows[0]?.operations ?? 0;
}
