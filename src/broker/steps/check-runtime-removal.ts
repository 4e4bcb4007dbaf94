import type { RuntimeLastError } from '#clients';
import { done, fail, wait, type Step } from '#engine';
import { minutes, seconds } from '#time';
import type { Services } from '../services.ts';
import { NotBegun } from './removal.ts';
import type { RuntimeRemoval } from './remove-runtime.ts';
import { tenantOf, unlessUnknown } from './runtime-of.ts';
import { theInstance } from './the-instance.ts';

const system = 'provisioner';

export const checkRuntimeRemoval = (
  services: Services,
): Step<RuntimeRemoval, Pick<RuntimeRemoval, 'runtimeIsGone'>> => ({
  name: 'Check_Runtime_Removal',
  about: 'Waits until the cluster is gone.',
  domain: 'Provisioner',
  owner: 'Team Gopher',
  gives: ['runtimeIsGone'],
  retry: {
    every: seconds(30),
    upTo: minutes(1),
    within: services.settings.limits.deprovisioning,
    otherwise: 'go on',
  },
  async run({ operation, facts, signal, log }) {
    const { removalOperationId: removal, runtimeIsGone } = facts;
    if (runtimeIsGone) return done();
    if (removal === undefined)
      return fail(new NotBegun('the provisioner has not begun to remove the cluster'));
    const { provisioner } = services.clients;
    const instance = await theInstance(services, { operation });
    const { runtimeId = '' } = instance;
    const tenant = tenantOf(instance);
    const status = await unlessUnknown(provisioner.runtimeOperationStatus(tenant, removal, signal));
    if (!status) {
      const runtime = await unlessUnknown(provisioner.runtimeStatus(tenant, runtimeId, signal));
      if (!runtime) return done({ runtimeIsGone: true });
      return fail(new NotBegun(`the provisioner has forgotten that it removes ${runtimeId}`));
    }
    const { state, message, lastError } = status;
    switch (state) {
      case 'Succeeded':
        return done({ runtimeIsGone: true });
      case 'Failed':
        return fail(new RuntimeRemovalFailed(runtimeId, lastError));
      case 'Pending':
      case 'InProgress':
        return wait(seconds(30), message, system);
      default:
        log.warn({ state }, 'the provisioner is in a state that is not known');
        return wait(minutes(1), `the removal is in the unknown state ${state}`, system);
    }
  },
});

class RuntimeRemovalFailed extends Error {
  override readonly name = 'RuntimeRemovalFailed';
  readonly system = system;
  readonly reason: string;

  constructor(runtimeId: string, lastError: RuntimeLastError | undefined) {
    super(
      `the provisioner could not remove runtime ${runtimeId}: ${lastError?.errMessage ?? 'it does not say why'}`,
    );
    this.reason = lastError?.reason || 'err_provisioner_nil_last_error';
  }
}
