import { done, finish, type Step } from '#engine';
import { minutes, seconds } from '#time';
import { kymaParts } from '../kyma/kyma-parts.ts';
import { landscapeKymaVersion } from '../kyma/kyma-version.ts';
import type { Services } from '../services.ts';
import { orderFacts } from '../start-provisioning.ts';
import type { Order } from './conditions.ts';
import { steady } from './steady.ts';
import { theInstance } from './the-instance.ts';
import { nothingToUpgrade, type KymaUpgrade } from './upgrade.ts';

/** Finds out whether the version can be installed before anything changes; a dry run ends with that. */
export const upgradeKymaInitialisation = (
  services: Services,
): Step<KymaUpgrade & { kymaVersion?: string }, Order & { kymaVersion: string }> => ({
  name: 'Upgrade_Kyma_Initialisation',
  about: 'Chooses the version of Kyma, if there is something to upgrade.',
  domain: 'Upgrade',
  owner: 'Team Gopher',
  gives: ['plan', 'hasBtpCredentials', 'kymaVersion'],
  retry: steady(seconds(5), minutes(5)),
  async run({ operation, facts, signal }) {
    const instance = await theInstance(services, { operation });
    const { planName, context, details } = instance;
    if (planName === 'preview') return finish('Preview Plan does not support upgrade kyma');
    if (!services.clients.reconciler)
      return finish('the Reconciler is switched off: nobody here installs Kyma');
    const pointless = nothingToUpgrade(instance);
    if (pointless !== undefined) return finish(pointless);
    const order = orderFacts(planName, context);
    if (facts.kymaVersion !== undefined) return done({ ...order, kymaVersion: facts.kymaVersion });
    const kymaVersion =
      facts.version ?? (await landscapeKymaVersion(services, instance, signal)).version;
    const { list } = await kymaParts(services, instance, kymaVersion, signal);
    if (facts.dryRun) {
      const count = list.prerequisites.length + list.components.length;
      return finish(
        `dry run: Kyma ${details.kymaVersion ?? 'of an unknown version'} would become ${kymaVersion}, with ${count} components in its release`,
      );
    }
    return done({ ...order, kymaVersion });
  },
});
