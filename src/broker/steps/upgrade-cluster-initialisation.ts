import type { UpgradeShootInput } from '#clients';
import { done, finish, type Step } from '#engine';
import type { Instance } from '../instance.ts';
import { shootUpgrade, type WantedVersions } from '../plans/shoot-upgrade.ts';
import type { Services } from '../services.ts';
import { orderFacts } from '../start-provisioning.ts';
import type { Order } from './conditions.ts';
import { theInstance } from './the-instance.ts';
import { nothingToUpgrade, type ClusterUpgrade } from './upgrade.ts';

/** A dry run ends here, with what the provisioner would be asked for. */
export const upgradeClusterInitialisation = (services: Services): Step<ClusterUpgrade, Order> => ({
  name: 'Upgrade_Cluster_Initialisation',
  about: 'Looks whether there is a cluster of ours to upgrade.',
  domain: 'Upgrade',
  owner: 'Team Gopher',
  gives: ['plan', 'hasBtpCredentials'],
  async run({ operation, facts }) {
    const instance = await theInstance(services, { operation });
    const { planName, context } = instance;
    if (planName === 'own_cluster')
      return finish('upgrade cluster skipped: the customer brings the cluster');
    const pointless = nothingToUpgrade(instance);
    if (pointless !== undefined) return finish(pointless);
    if (facts.dryRun) {
      const { gardenerConfig } = upgradeOf(services, instance, facts);
      return finish(
        `dry run: the provisioner would be asked for ${JSON.stringify(gardenerConfig)}`,
      );
    }
    return done(orderFacts(planName, context));
  },
});

export const upgradeOf = (
  { settings }: Services,
  { parameters, context }: Instance,
  wanted: WantedVersions,
): UpgradeShootInput =>
  shootUpgrade(
    wanted,
    { parameters, userId: context.user_id, licenseType: context.license_type },
    settings.cluster,
  );
