import type { PoolClient } from 'pg';
import type { Engine, StoredOperation } from '#engine';
import type { Found } from './api/instance-state.ts';
import type { Services } from './services.ts';
import { startDeprovisioning } from './start-deprovisioning.ts';
import { leavesSomething } from './start-unsuspension.ts';

/** Plans whose time is limited. */
export const expiringPlans = ['trial', 'free'] as const;
export type ExpiringPlan = (typeof expiringPlans)[number];

/**
 * From now on the instance never comes back, and its runtime goes. Gives the operation that takes it, be it under way or
 * over; undefined if there is none, because a removal was tried and has failed: that is for whoever asked for it. The
 * instance is locked.
 */
export async function expireInstance(
  services: Services & { readonly engine: Engine },
  { instance, state, last }: Found,
  db: PoolClient,
): Promise<StoredOperation | undefined> {
  const { instances, engine } = services;
  const { id } = instance;
  await instances.expire(db, id);
  if (state === 'deprovision failed' || state === 'remains') return undefined;
  if (state === 'suspended' && !leavesSomething(instance, last)) return last;
  if (state === 'suspending' && last.cancel_because === null) return last;
  await instances.setContext(db, id, { ...instance.context, active: false });
  // It may wait behind a suspension that goes on: then that one is enough.
  if (state === 'unsuspending') await engine.cancel(last.id, 'the instance has expired', db);
  return startDeprovisioning(services, { instanceId: id, temporary: true }, db);
}
