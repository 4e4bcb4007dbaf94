import type { BtpKind, BtpResources } from '#clients';
import { done, fail, skip, wait, type Step } from '#engine';
import { minutes, seconds } from '#time';
import type { Services } from '../services.ts';
import { waitAtMost, type Removal } from './removal.ts';
import { kubeconfigOf } from './runtime-of.ts';
import { theInstance } from './the-instance.ts';

/** Deletes the instances of deleted subaccounts. With the subaccount, its orders in BTP are gone: nobody waits for them. */
export const accountCleanUpJob = 'accountcleanup-job';

/** A binding holds its instance: bindings go first. */
const kinds = ['servicebindings', 'serviceinstances'] as const satisfies readonly BtpKind[];

/** Gives back what was ordered out of the cluster. For customers who delete a runtime themselves, that is theirs to do. */
export const btpOperatorCleanup = (services: Services): Step<Removal> => ({
  name: 'BTPOperator_Cleanup',
  about: 'Deletes service bindings and service instances of BTP in the cluster.',
  domain: 'BTP',
  owner: 'Team Gopher',
  retry: waitAtMost(minutes(30)),
  async run({ operation, facts, signal, timeIsUp }) {
    const isSoft = facts.userAgent === accountCleanUpJob;
    const isTrialSuspended = facts.temporary === true && facts.plan === 'trial';
    if (!isSoft && !isTrialSuspended)
      return skip('neither is a trial suspended, nor was the subaccount deleted');
    const instance = await theInstance(services, { operation });
    const kubeconfig = await kubeconfigOf(services, instance, signal);
    if (!kubeconfig) return skip('there is no cluster that can be entered');
    const { btpResources } = services.clients.openCluster(kubeconfig);
    if (isSoft) {
      await letGo(btpResources, signal);
      return done();
    }
    for (const kind of kinds) {
      if ((await btpResources.deleteAll(kind, signal)) === 0) continue;
      if (!timeIsUp) return wait(seconds(10), `${kind} are being deleted`, 'runtime-cluster');
      // They would hold up the removal of the cluster.
      await letGo(btpResources, signal);
      return fail(new OrdersLeftInBtp(kind));
    }
    return done();
  },
});

async function letGo(btpResources: BtpResources, signal: AbortSignal): Promise<void> {
  for (const kind of kinds) {
    await btpResources.deleteAll(kind, signal);
    await btpResources.removeFinalizers(kind, signal);
  }
}

class OrdersLeftInBtp extends Error {
  override readonly name = 'OrdersLeftInBtp';
  readonly system = 'runtime-cluster';
  readonly reason = 'orders_left_in_btp';

  constructor(kind: BtpKind) {
    super(`${kind} were not given back in time: they are gone from the cluster, but not from BTP`);
  }
}
