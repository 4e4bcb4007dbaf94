import type { AccountOwner } from '#clients';
import { done, wait, type Step } from '#engine';
import { seconds } from '#time';
import type { Instance } from '../instance.ts';
import { hasEuAccess } from '../plans/cluster-location.ts';
import type { Services } from '../services.ts';
import type { Order } from './conditions.ts';
import { tenantOf } from './runtime-of.ts';
import { steady } from './steady.ts';
import { planOf, theInstance } from './the-instance.ts';

/**
 * Safe to repeat: whoever has an account gets it again. An empty pool is waited for, because operators fill it. Each
 * operation resolves anew: a runtime that was suspended may come back to another account.
 */
export const resolveTargetSecret = (
  services: Services,
): Step<Order & { targetSecret?: string }, { targetSecret: string }> => ({
  name: 'Resolve_Target_Secret',
  about:
    'Finds the account at the hyperscaler that the cluster runs in, by the name of its Secret.',
  domain: 'Hyperscaler Account Pool',
  owner: 'Team Framefrog',
  gives: ['targetSecret'],
  retry: steady(seconds(10), services.settings.limits.accountLookup),
  async run({ operation, facts, signal }) {
    if (facts.targetSecret !== undefined) return done({ targetSecret: facts.targetSecret });
    const { instances, database } = services;
    const instance = await theInstance(services, { operation });
    const { accounts } = services.clients;
    const owner = accountOwnerOf(services, instance);
    const isShared = instance.planName === 'trial';
    const given = instance.parameters.targetSecret;
    const targetSecret =
      given ??
      (isShared
        ? await accounts.leastUsedShared(owner.hyperscalerType, signal)
        : await accounts.claim(owner, signal));
    await instances.remember(database.pool, instance.id, { targetSecret });
    // Whoever removes the account's last runtime at the same time releases it, unless it is on record by now.
    const isSafe = given !== undefined || isShared;
    const isOurs = isSafe || (await accounts.findOwn(owner, signal)) === targetSecret;
    return isOurs
      ? done({ targetSecret })
      : wait(seconds(10), `the account ${targetSecret} was released meanwhile`, 'gardener');
  },
});

/** The account stays with whoever ordered first, also if the instance has moved since. */
export const accountOwnerOf = (services: Services, instance: Instance): AccountOwner => ({
  tenantName: tenantOf(instance),
  hyperscalerType: instance.provider,
  euAccess: hasEuAccess(planOf(services, instance), instance.platform),
});
