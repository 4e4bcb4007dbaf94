import type { PoolClient } from 'pg';
import { inTransaction } from '#database';
import type { Services } from './services.ts';
import { withChanges, type WantedChanges } from './wanted-changes.ts';

/** From now on the instance has what was wanted of it. What others have changed in it meanwhile stays. */
export async function putIntoForce(
  { instances, database }: Pick<Services, 'instances' | 'database'>,
  id: string,
  wanted: WantedChanges,
): Promise<void> {
  await inTransaction(database, async (db: PoolClient) => {
    const instance = await instances.lock(db, id);
    if (instance) await instances.change(db, id, withChanges(instance, wanted));
  });
}
