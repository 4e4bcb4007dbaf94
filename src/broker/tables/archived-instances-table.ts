import type { ClientBase } from 'pg';
import type { Queryable } from './instances-table.ts';

/** Of a user of our own house; of others nothing is kept. */
const internalUser = '%@sap.com';

/** Every query on what stays of instances. */
export const archivedInstances = {
  /** The instance's row goes, and this stays of it. Nothing happens if it has gone before. */
  async archive(db: Queryable, instanceId: string): Promise<void> {
    await db.query(
      `with gone as (delete from instances where id = $1 returning *),
       history as (
         select o.*, row_number() over (partition by type order by number) as nth,
                row_number() over (partition by type order by number desc) as nth_last
           from operations o where subject = $1 and type in ('provision', 'deprovision'))
       insert into archived_instances (instance_id, global_account, subaccount, subscription_account, plan_id, plan_name,
         subaccount_region, region, provider, last_runtime_id, shoot_name, is_internal_user, provisioning_started_at,
         provisioning_ended_at, provisioning_state, deprovisioning_started_at, deprovisioning_ended_at, removed_at,
         last_operation)
       select gone.id, global_account, subaccount, subscription_account, plan_id, plan_name,
              platform_region, region, provider,
              coalesce(gone.runtime_id, (select facts ->> 'runtimeId' from history where type = 'deprovision' and nth_last = 1)),
              shoot_name, coalesce(context ->> 'user_id', '') ilike '${internalUser}',
              born.created_at, born.ended_at, born.state, removal.created_at, coalesce(removal.ended_at, now()), now(),
              (select max(number) from operations where subject = $1)
         from gone
         left join history born on born.type = 'provision' and born.nth = 1
         left join history removal on removal.type = 'deprovision' and removal.nth = 1`,
      [instanceId],
    );
  },

  /** Whether there was such an instance. */
  async has(db: Queryable, instanceId: string): Promise<boolean> {
    const { rowCount } = await db.query(
      'select from archived_instances where instance_id = $1 limit 1',
      [instanceId],
    );
    return rowCount === 1;
  },

  /** Whose operations are still there, though they went long ago: by their numbers. */
  async withOperations(
    db: Queryable,
    removedBefore: Date,
    after: number,
    limit: number,
  ): Promise<{ number: number; instanceId: string }[]> {
    const { rows } = await db.query<{ number: string; instance_id: string }>(
      `select number, instance_id from archived_instances
        where operations_removed_at is null and removed_at < $1 and number > $2 order by number limit $3`,
      [removedBefore, after, limit],
    );
    return rows.map(({ number, instance_id }) => ({
      number: Number(number),
      instanceId: instance_id,
    }));
  },

  /** Removes them with their timelines. What a later instance of the id has is left alone. */
  async removeOperations(db: ClientBase, number: number): Promise<number> {
    const { rows } = await db.query<{ operations: number }>(
      `with archived as (
         update archived_instances set operations_removed_at = now() where number = $1 returning instance_id, last_operation),
       old as (
         delete from operations o using archived a
          where o.subject = a.instance_id
            and o.ended_at is not null and o.number <= a.last_operation
         returning o.id),
       timelines as (delete from step_runs s using old where s.operation_id = old.id)
       select count(*)::int as operations from old`,
      [number],
    );
    return rows[0]?.operations ?? 0;
  },
};
