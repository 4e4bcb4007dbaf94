import type { ClientBase } from 'pg';
import { inTransaction, type Database } from '#database';
import type { Milliseconds } from '#time';
import { ms, nowAt } from './database-time.ts';
import type { Queryable } from './operations-table.ts';

// A replica holds the session advisory lock (lockClass, its id). It is free within milliseconds of the process's death.
const lockClass = `hashtext(current_schema() || '.replicas')`;

/** Takes the lock before the row appears: a row without its lock is a dead replica. */
export async function registerReplica(db: ClientBase, name: string): Promise<number> {
  const { rows } = await db.query<{ id: number }>(
    `with me as materialized (select nextval(pg_get_serial_sequence('replicas', 'id'))::int as id),
          locked as materialized (select id, pg_advisory_lock(${lockClass}, id) from me)
     insert into replicas (id, name) overriding system value select id, $1 from locked returning id`,
    [name],
  );
  if (!rows[0]) throw new Error('the database has registered no replica');
  return rows[0].id;
}

/** After a lost connection: true if nobody has declared the replica dead yet, and it is registered again as before. */
export async function resumeReplica(db: ClientBase, id: number): Promise<boolean> {
  const { rows } = await db.query<{ locked: boolean }>(
    `select pg_try_advisory_lock(${lockClass}, $1) as locked`,
    [id],
  );
  return rows[0]?.locked === true && (await beat(db, id));
}

/** False: declared dead, and what it held belongs to others. */
export async function beat(db: ClientBase, id: number): Promise<boolean> {
  const { rowCount } = await db.query({
    name: 'beat',
    text: 'update replicas set heartbeat_at = now() where id = $1',
    values: [id],
  });
  return rowCount === 1;
}

export async function unregisterReplica(db: Queryable, id: number): Promise<void> {
  await db.query('delete from replicas where id = $1', [id]);
}

/**
 * Declares replicas dead that have lost their lock or not shown themselves for a lease, and frees what they held. Two
 * statements, because a claim that the dead replica had under way must be committed before its operations are looked for.
 */
export const buryDeadReplicas = (
  database: Database,
  offset: Milliseconds,
  me: number,
  lease: Milliseconds,
) =>
  inTransaction(database, async (db) => {
    // Leases are real time: the clock's offset is for what operations see.
    const { rows: dead } = await db.query<{ id: number; name: string; heartbeat: string }>(
      `delete from replicas
        where id <> $1 and (heartbeat_at < now() - $2::float8 * ${ms}
                            or pg_try_advisory_xact_lock(${lockClass}, id))
       returning id, name, heartbeat_at::text as heartbeat`,
      [me, lease],
    );
    const freed = dead.length > 0 ? await freeOwnerless(db, offset, dead) : 0;
    return { dead: dead.map(({ name }) => name), freed };
  });

/**
 * Whatever is claimed by a replica that does not exist falls due again. Time since its last heartbeat counts as queueing.
 * An operation on which replicas died repeatedly comes back later and later: it may be what kills them.
 */
export async function freeOwnerless(
  db: Queryable,
  offset: Milliseconds,
  dead: readonly { id: number; heartbeat: string }[] = [],
): Promise<number> {
  const now = nowAt(offset);
  const { rowCount } = await db.query(
    `update operations o set
       claimed_by = null, epoch = epoch + 1, losses = losses + 1,
       due_at = case when losses < 2
         then coalesce((select heartbeat from unnest($1::int[], $2::timestamptz[]) as d(id, heartbeat)
                         where d.id = claimed_by) + $3::float8 * ${ms}, ${now})
         else ${now} + least(power(2, losses), 300) * interval '1 second' end
     where state = 'in progress' and claimed_by is not null
       and not exists (select from replicas r where r.id = o.claimed_by)`,
    [dead.map(({ id }) => id), dead.map(({ heartbeat }) => heartbeat), offset],
  );
  return rowCount ?? 0;
}
