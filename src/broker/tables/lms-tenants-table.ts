import { inTransaction, type Database } from '#database';

/** A logging tenant, by what makes it the only one. */
export type LmsTenantKey = { readonly name: string; readonly region: string };

/**
 * The tenant that is on record, or else the one that `make` makes. Of several at the same moment one makes it, and the
 * others get undefined until it is on record: they look again later. The transaction is open while LMS is asked, so that a
 * replica that dies lets the next one in at once.
 */
export const theOnlyTenant = (
  database: Database,
  { name, region }: LmsTenantKey,
  make: () => Promise<string>,
): Promise<string | undefined> =>
  inTransaction(database, async (db) => {
    const find = async () => {
      const { rows } = await db.query<{ id: string }>(
        'select id from lms_tenants where name = $1 and region = $2',
        [name, region],
      );
      return rows[0]?.id;
    };
    const known = await find();
    if (known !== undefined) return known;
    const { rows: locks } = await db.query<{ is_ours: boolean }>(
      'select pg_try_advisory_xact_lock(hashtextextended($1, 0)) as is_ours',
      [`LMS tenant ${name} in ${region}`],
    );
    if (!locks[0]?.is_ours) return undefined;
    // Somebody may have been quicker between the look and the lock.
    const since = await find();
    if (since !== undefined) return since;
    const id = await make();
    await db.query('insert into lms_tenants (name, region, id) values ($1, $2, $3)', [
      name,
      region,
      id,
    ]);
    return id;
  });
