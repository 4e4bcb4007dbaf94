import { done, skip, type Step } from '#engine';
import { seconds } from '#time';
import { changedInShoot, shootUpdate } from '../plans/shoot-update.ts';
import type { Services } from '../services.ts';
import { concernsShoot, withChanges } from '../wanted-changes.ts';
import { askForUpgrade } from './ask-for-upgrade.ts';
import { settled } from './settled.ts';
import type { Order } from './conditions.ts';
import { steady } from './steady.ts';
import { theInstance } from './the-instance.ts';
import type { Update } from './update-kyma-initialization.ts';

/** Safe to repeat: the provisioner knows this operation's id, and gives what it has begun for it. */
export const upgradeShoot = (
  services: Services,
): Step<
  Order & Update & { provisionerOperationId?: string },
  { provisionerOperationId?: string }
> => ({
  name: 'Upgrade_Shoot',
  about: 'Asks the Runtime Provisioner to change the cluster.',
  domain: 'Provisioner',
  owner: 'Team Gopher',
  gives: ['provisionerOperationId'],
  retry: steady(seconds(10)),
  async run({ operation, facts, signal }) {
    const { wanted, provisionerOperationId } = facts;
    if (provisionerOperationId !== undefined) return done({ provisionerOperationId });
    const instance = await theInstance(services, { operation });
    if (!concernsShoot(instance, wanted)) return skip('nothing of the cluster itself changes');
    const { kubernetesVersion, machineImage, machineImageVersion, oidc } =
      services.settings.cluster;
    const changed = withChanges(instance, wanted);
    const { context } = changed;
    const changes = shootUpdate(
      {
        current: instance.parameters,
        update: wanted.parameters,
        userId: context.user_id,
        ...(context.license_type !== undefined && { licenseType: context.license_type }),
      },
      { oidc },
    );
    const maintenance = wanted.maintenanceVersion !== undefined && {
      kubernetesVersion,
      ...(machineImage && { machineImage }),
      ...(machineImage && machineImageVersion && { machineImageVersion }),
    };
    const gardenerConfig = {
      ...settled(services, changed),
      ...changes.gardenerConfig,
      ...maintenance,
    };
    // On record before the call: if the update fails on the way, the next one settles what the cluster has.
    const { unsettled: before = [] } = instance.details;
    const license = wanted.context.license_type === undefined ? [] : (['license_type'] as const);
    const asked = [...before, ...changedInShoot(wanted.parameters), ...license];
    const unsettled = [...new Set(asked)];
    await services.instances.remember(services.database.pool, instance.id, { unsettled });
    const input = { ...changes, gardenerConfig };
    const begun = await askForUpgrade(services, instance, input, { operation, signal });
    return 'kind' in begun ? begun : done({ provisionerOperationId: begun.id });
  },
});
