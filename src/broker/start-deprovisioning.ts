import type { PoolClient } from 'pg';
import type { Engine, StoredOperation } from '#engine';
import { dropBindings } from './drop-bindings.ts';
import type { Services } from './services.ts';
import { orderFacts } from './start-provisioning.ts';

/** A request to remove what an instance has out there. */
export type RemovalRequest = {
  readonly instanceId: string;
  /** Who asked: `accountcleanup-job` does not want to wait for BTP. */
  readonly userAgent?: string | undefined;
  /** Suspend it: everything goes but the instance. */
  readonly temporary?: boolean;
  /** Only what the removal before has left behind, and whether that had seen the runtime go. */
  readonly only?: readonly string[];
  readonly runtimeIsGone?: boolean;
};

/**
 * Whatever runs on the instance is canceled: nobody waits for hours to get rid of something. One removal is enough, though:
 * if it is under way, the request is answered with it. Undefined if there is no such instance.
 */
export async function startDeprovisioning(
  services: Services & { readonly engine: Engine },
  { instanceId, userAgent, temporary = false, only, runtimeIsGone }: RemovalRequest,
  db: PoolClient,
): Promise<StoredOperation | undefined> {
  const { instances, engine } = services;
  // Of two requests at a time, the second sees what the first has started.
  const instance = await instances.lock(db, instanceId);
  if (!instance) return undefined;
  const underWay = (await engine.ofSubject(instanceId, 100, db)).find(
    ({ type, ended_at, cancel_because }) =>
      type === 'deprovision' && ended_at === null && cancel_because === null,
  );
  // A suspension keeps the instance: that is not what the request wants.
  const isEnough = underWay && (temporary || !underWay.facts['temporary']);
  if (isEnough) return underWay;
  const { planName, context, globalAccount } = instance;
  const input = {
    ...orderFacts(planName, context),
    ...(temporary && { temporary }),
    ...(userAgent !== undefined && { userAgent }),
    ...(only && { only }),
    ...(runtimeIsGone !== undefined && { runtimeIsGone }),
  };
  const preempt = temporary ? 'the instance is being suspended' : 'the instance is being deleted';
  await dropBindings(services, instanceId, preempt, db);
  return engine.start('deprovision', instanceId, input, { account: globalAccount, preempt, db });
}
