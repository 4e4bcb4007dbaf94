import { GraphqlError, SystemError } from '#clients';
import { done, wait, type Step, type StepContext } from '#engine';
import { minutes, seconds } from '#time';
import type { Instance } from '../instance.ts';
import { requestRuntime } from '../request-runtime.ts';
import type { Services } from '../services.ts';
import { tenantOf, unlessUnknown } from './runtime-of.ts';
import { theInstance } from './the-instance.ts';

export type RuntimeRemoval = {
  /** Of the provisioner's operation that removes it. */
  readonly removalOperationId?: string;
  /** Nothing is left of it, or it never was. */
  readonly runtimeIsGone?: boolean;
};

/** Only begins it. A cluster that nobody removes costs money: this is tried for hours. */
export const removeRuntime = (services: Services): Step<object, RuntimeRemoval> => ({
  name: 'Remove_Runtime',
  about: 'Asks the Runtime Provisioner to remove the cluster.',
  domain: 'Provisioner',
  owner: 'Team Gopher',
  gives: ['removalOperationId', 'runtimeIsGone'],
  retry: {
    every: seconds(10),
    upTo: minutes(1),
    within: services.settings.limits.deprovisioning,
    otherwise: 'go on',
  },
  async run(context) {
    const { provisioner } = services.clients;
    const { operation, signal } = context;
    const instance = await theInstance(services, context);
    const tenant = tenantOf(instance);
    const runtimeId = instance.runtimeId ?? (await lostRuntime(services, instance, context));
    if (runtimeId === undefined) return done({ runtimeIsGone: true });
    try {
      const caller = { tenant, operationId: operation.id };
      const begun = await unlessUnknown(provisioner.deprovisionRuntime(caller, runtimeId, signal));
      return done(begun === undefined ? { runtimeIsGone: true } : { removalOperationId: begun });
    } catch (error) {
      if (!(error instanceof SystemError) || error.temporary) throw error;
      // The refusal does not say why. One operation at a time: the one before has to end first.
      const status = await provisioner.runtimeStatus(tenant, runtimeId, signal);
      const busy = status.lastOperation;
      if (busy?.state !== 'Pending' && busy?.state !== 'InProgress') throw error;
      return wait(
        seconds(30),
        `${busy.operation} is still under way: ${busy.message}`,
        'provisioner',
      );
    }
  },
});

/**
 * A provisioning that was cut off between its request and the answer has left a runtime that nobody has on record, or
 * none at all. The provisioner has no search; but the same request under the same key gives the runtime that the first
 * one began. If the first one never arrived, this begins a runtime, for this operation to remove: that costs a while, but
 * the other way round a cluster would run for ever. Without a note that a request was about to be sent, nothing is asked.
 */
async function lostRuntime(
  services: Services,
  instance: Instance,
  { log, signal }: StepContext<object>,
): Promise<string | undefined> {
  const { runtimeRequestedBy: operationId, targetSecret } = instance.details;
  if (operationId === undefined || targetSecret === undefined) return undefined;
  try {
    const request = { operationId, targetSecret };
    const { runtimeID } = await requestRuntime(services, instance, request, signal);
    log.warn({ runtimeId: runtimeID }, 'found the runtime of a request that got no answer');
    await services.instances.setRuntime(services.database.pool, instance.id, runtimeID);
    return runtimeID;
  } catch (error) {
    // The provisioner itself refuses it, as it must have done then: what it has accepted once it gives for the key.
    if (error instanceof GraphqlError && !error.temporary) return undefined;
    throw error;
  }
}
