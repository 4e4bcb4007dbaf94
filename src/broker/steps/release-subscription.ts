import { bestEffort, condition, done, fail, skip, type Step } from '#engine';
import type { Services } from '../services.ts';
import type { Order } from './conditions.ts';
import type { RuntimeRemoval } from './remove-runtime.ts';
import { accountOwnerOf } from './resolve-target-secret.ts';
import { theInstance } from './the-instance.ts';

/** Those of trials are shared by many customers: they stay as they are. */
export const accountIsTheirOwn = condition<Order>(
  'the account is not shared',
  ({ plan }) => plan !== 'trial',
);

/** Gives the hyperscaler's account back to the pool with the customer's last cluster in it. */
export const releaseSubscription = (services: Services): Step<RuntimeRemoval> => ({
  name: 'Release_Subscription',
  about: "Releases the hyperscaler's account that the cluster was in.",
  domain: 'Subscriptions',
  owner: 'Team Gopher',
  retry: bestEffort,
  async run({ operation, facts, signal }) {
    const { clients, instances, database } = services;
    const instance = await theInstance(services, { operation });
    // Whoever cleans the account up next would destroy what is in it.
    if (!facts.runtimeIsGone) return fail(new ClusterMayBeThere());
    // First this, then a look at the others: of two removals at a time, one at least sees that nobody is left.
    await instances.remember(database.pool, instance.id, { targetSecret: null });
    const owner = accountOwnerOf(services, instance);
    const secret = await clients.accounts.findOwn(owner, signal);
    if (secret === undefined) return skip('the customer has no account that could be released');
    if (await instances.isSecretUsed(database.pool, secret))
      return skip(`other runtimes use the account of ${secret}`);
    const outcome = await clients.accounts.release(owner, signal);
    switch (outcome) {
      case 'released':
        return done();
      case 'released before':
        // By a replica that is believed dead, meanwhile; or it was another account of the customer, and this one has to wait
        // until that is cleaned.
        if ((await clients.accounts.findOwn(owner, signal)) === undefined) return done();
        return fail(new OtherAccountFirst(secret));
      case 'internal':
      case 'in use':
      case 'no account':
        return skip(`${secret} is kept: ${outcome}`);
    }
  },
});

class ClusterMayBeThere extends Error {
  override readonly name = 'ClusterMayBeThere';
  readonly temporary = false;
  readonly reason = 'cluster_may_be_there';

  constructor() {
    super('the account is not released: nobody has seen that the cluster in it is gone');
  }
}

class OtherAccountFirst extends Error {
  override readonly name = 'OtherAccountFirst';
  readonly temporary = false;
  readonly system = 'gardener';
  readonly reason = 'other_account_first';

  constructor(secret: string) {
    super(`${secret} cannot be released before another account of the customer has been cleaned`);
  }
}
