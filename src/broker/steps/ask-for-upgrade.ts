import { SystemError, type RuntimeOperation, type UpgradeShootInput } from '#clients';
import { wait, type Outcome, type StepContext } from '#engine';
import { seconds } from '#time';
import type { Instance } from '../instance.ts';
import type { Services } from '../services.ts';
import { tenantOf } from './runtime-of.ts';
import { runtimeIdOf } from './the-instance.ts';

type Wait = Extract<Outcome<object>, { readonly kind: 'wait' }>;

/**
 * Asks the provisioner to change the cluster; the same operation asks as often as it likes. A wait while the provisioner
 * is busy with the runtime: an operation that ran out of time may have left something under way there.
 */
export async function askForUpgrade(
  { clients: { provisioner } }: Services,
  instance: Instance,
  input: UpgradeShootInput,
  { operation, signal }: Pick<StepContext<object>, 'operation' | 'signal'>,
): Promise<RuntimeOperation | Wait> {
  const tenant = tenantOf(instance);
  const runtimeId = runtimeIdOf(instance);
  try {
    const caller = { tenant, operationId: operation.id };
    return await provisioner.upgradeShoot(caller, runtimeId, input, signal);
  } catch (error) {
    if (!(error instanceof SystemError) || error.temporary) throw error;
    const { lastOperation: busy } = await provisioner.runtimeStatus(tenant, runtimeId, signal);
    if (busy?.state !== 'Pending' && busy?.state !== 'InProgress') throw error;
    const because = `${busy.operation} is still under way: ${busy.message}`;
    return wait(seconds(30), because, 'provisioner');
  }
}
