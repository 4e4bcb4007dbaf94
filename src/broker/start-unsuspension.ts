import type { PoolClient } from 'pg';
import type { Engine, StoredOperation } from '#engine';
import type { Instance } from './instance.ts';
import type { Services } from './services.ts';
import { startDeprovisioning } from './start-deprovisioning.ts';
import { orderFacts } from './start-provisioning.ts';

/**
 * A new runtime for an instance that has lost its own: a provisioning of the same order, behind the suspension if that
 * still runs. What an earlier one has left behind is removed first, by another suspension: the names of the new runtime
 * are those of the old one. The instance is locked.
 */
export async function startUnsuspension(
  services: Services & { readonly engine: Engine },
  instance: Instance,
  last: StoredOperation,
  db: PoolClient,
): Promise<StoredOperation> {
  const { instances, engine } = services;
  const { id, planName, globalAccount } = instance;
  if (last.ended_at !== null && leavesSomething(instance, last))
    await startDeprovisioning(services, { instanceId: id, temporary: true }, db);
  const context = { ...instance.context, active: true };
  await instances.setContext(db, id, context);
  const input = { ...orderFacts(planName, context), unsuspends: true };
  return engine.start('provision', id, input, { account: globalAccount, db });
}

/** Whether the end of that operation was no clean one: something of a runtime may be there. */
export const leavesSomething = ({ runtimeId }: Instance, last: StoredOperation): boolean =>
  last.state !== 'succeeded' || last.not_completed.length > 0 || runtimeId !== undefined;
