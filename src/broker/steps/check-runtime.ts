import { provisionerNotFound, SystemError, type RuntimeOperation } from '#clients';
import { done, fail, wait, type Step } from '#engine';
import { minutes, type Milliseconds } from '#time';
import type { Instance } from '../instance.ts';
import type { Services } from '../services.ts';
import type { Order } from './conditions.ts';
import { tenantOf } from './runtime-of.ts';
import { steady } from './steady.ts';
import { runtimeIdOf, theInstance } from './the-instance.ts';

const system = 'provisioner';

/** A cluster grows for many minutes, and is not given up because a question about it was refused. */
export const checkRuntime = (
  services: Services,
  { within, pause }: { readonly within: Milliseconds; readonly pause: Milliseconds } = {
    within: services.settings.limits.provisioning,
    pause: minutes(2),
  },
): Step<Order & { provisionerOperationId?: string }> => ({
  name: 'Check_Runtime',
  about: 'Waits until the cluster is there, and asks Director for the address of its dashboard.',
  domain: 'Provisioning',
  owner: 'Team Gopher',
  retry: steady(minutes(1), within),
  async run({ operation, facts, signal, log }) {
    const { provisionerOperationId } = facts;
    if (provisionerOperationId === undefined) throw new Error('no step has asked the provisioner');
    const instance = await theInstance(services, { operation });
    const creation = await services.clients.provisioner
      .runtimeOperationStatus(tenantOf(instance), provisionerOperationId, signal)
      .catch(unlessRefused);
    if (creation instanceof SystemError) {
      log.warn({ reason: creation.reason }, 'the provisioner refuses to tell');
      return wait(minutes(1), creation.message, system);
    }
    switch (creation.state) {
      case 'Pending':
      case 'InProgress':
        return wait(pause, creation.message, system);
      case 'Failed':
        return fail(new RuntimeFailed(creation));
      case 'Succeeded':
        await takeDashboardUrl(services, instance, signal);
        return done();
      default:
        log.warn({ state: creation.state }, 'the provisioner reports a state that is not known');
        return wait(pause, `the provisioner reports ${creation.state}`, system);
    }
  },
});

/** Our operation cannot be unknown there, unless it is lost for good. */
function unlessRefused(error: unknown): SystemError {
  if (error instanceof SystemError && !error.temporary && error.reason !== provisionerNotFound)
    return error;
  throw error;
}

/**
 * The runtime tells Director its address itself, once its agent runs. Until then, and without Director, the one that was
 * computed at the order stands: the agent may come with Kyma, and Kyma comes after this step.
 */
async function takeDashboardUrl(
  { clients, instances, database }: Services,
  instance: Instance,
  signal: AbortSignal,
): Promise<void> {
  if (!clients.director) return;
  const told = await clients.director.consoleUrl(tenantOf(instance), runtimeIdOf(instance), signal);
  if (told.state === 'known' && told.url !== instance.dashboardUrl) {
    await instances.setDashboardUrl(database.pool, instance.id, told.url);
  }
}

/** The provisioner has given up, and says why. */
export class RuntimeFailed extends Error {
  override readonly name = 'RuntimeFailed';
  readonly temporary = false;
  readonly system = system;
  readonly reason: string;

  constructor({ runtimeID, message, lastError }: RuntimeOperation) {
    super(`the cluster of runtime ${runtimeID} failed: ${lastError?.errMessage || message}`);
    this.reason = lastError?.reason || 'err_provisioner_nil_last_error';
  }
}
