import { done, type Step } from '#engine';
import { seconds } from '#time';
import type { Services } from '../services.ts';
import { askForUpgrade } from './ask-for-upgrade.ts';
import type { Order } from './conditions.ts';
import { steady } from './steady.ts';
import { theInstance } from './the-instance.ts';
import { upgradeOf } from './upgrade-cluster-initialisation.ts';
import type { ClusterUpgrade } from './upgrade.ts';

/** Safe to repeat: the provisioner knows this operation's id, and gives what it has begun for it. */
export const upgradeCluster = (
  services: Services,
): Step<
  Order & ClusterUpgrade & { provisionerOperationId?: string },
  { provisionerOperationId: string }
> => ({
  name: 'Upgrade_Cluster',
  about: 'Asks the Runtime Provisioner for other versions of Kubernetes and of the machine image.',
  domain: 'Provisioner',
  owner: 'Team Gopher',
  gives: ['provisionerOperationId'],
  retry: steady(seconds(5), services.settings.limits.runtimeRequest),
  async run({ operation, facts, signal }) {
    const { provisionerOperationId } = facts;
    if (provisionerOperationId !== undefined) return done({ provisionerOperationId });
    const instance = await theInstance(services, { operation });
    const input = upgradeOf(services, instance, facts);
    const begun = await askForUpgrade(services, instance, input, { operation, signal });
    return 'kind' in begun ? begun : done({ provisionerOperationId: begun.id });
  },
});
