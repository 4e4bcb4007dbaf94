import type { PoolClient } from 'pg';
import type { Engine, StoredOperation } from '#engine';
import { Refusal } from './errors.ts';
import type { Instance } from './instance.ts';
import type { Plan } from './plans/plans.ts';
import type { Services } from './services.ts';
import { isSame, type WantedChanges } from './wanted-changes.ts';

/** What is to change, checked. */
type AskedUpdate = Pick<WantedChanges, 'parameters' | 'context'> & {
  /** The one that the instance shall have. */
  readonly plan: Plan;
  readonly maintenanceVersion: string | undefined;
};

/**
 * Starts an update, in the caller's transaction. The same update again gives the operation that is under way, another one
 * meanwhile is refused. It waits for an upgrade to end, but not for a removal: that leaves nothing to change.
 */
export async function startUpdate(
  { instances, engine }: Services & { readonly engine: Engine },
  { id }: Pick<Instance, 'id'>,
  { plan, parameters, context, maintenanceVersion }: AskedUpdate,
  db: PoolClient,
): Promise<StoredOperation> {
  // Of two requests at a time, the second sees what the first has started.
  const instance = await instances.lock(db, id);
  if (!instance) throw new Refusal('INSTANCE_UNKNOWN', `there is no instance ${id}`);
  const wanted: WantedChanges = {
    ...(plan.id !== instance.planId && { plan: { id: plan.id, name: plan.name } }),
    parameters,
    context,
    // Platforms send the version along with other changes: only another one asks for maintenance.
    ...(maintenanceVersion !== undefined &&
      maintenanceVersion !== instance.maintenanceVersion && { maintenanceVersion }),
  };
  const open = (await engine.ofSubject(id, 100, db)).filter(({ ended_at }) => ended_at === null);
  const update = open.find(
    ({ type, cancel_because }) => type === 'update' && cancel_because === null,
  );
  if (update && isSame(update.facts['wanted'], wanted)) return update;
  const inTheWay =
    update ?? open.find(({ type }) => type === 'deprovision' || type === 'provision');
  if (inTheWay)
    throw new Refusal(
      'OPERATION_IN_PROGRESS',
      `the instance ${id} is busy with another operation (${inTheWay.type})`,
    );
  return engine.start('update', id, { wanted }, { account: instance.globalAccount, db });
}
