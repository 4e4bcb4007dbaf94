import { bestEffort, done, skip, type Step } from '#engine';
import type { Services } from '../services.ts';
import { theInstance } from './the-instance.ts';

/** Later than the Kyma resource: the Lifecycle Manager needs it as long as it works in the cluster. */
export const deleteKubeconfig = (services: Services): Step => ({
  name: 'Delete_Kubeconfig',
  about: 'Deletes the Secret through which the Lifecycle Manager entered the cluster.',
  domain: 'Lifecycle Manager',
  owner: 'Team Gopher',
  retry: bestEffort,
  async run({ operation, signal }) {
    const { clients, instances, database } = services;
    const { id, details } = await theInstance(services, { operation });
    const { lifecycleManager } = clients;
    if (!details.kyma || !lifecycleManager) return skip('no Kyma resource is on record');
    await lifecycleManager.deleteKubeconfig(details.kyma, signal);
    // A Kyma resource that would not go is still to be found by this entry.
    if (!(await lifecycleManager.kymaExists(details.kyma, signal)))
      await instances.remember(database.pool, id, { kyma: null });
    return done();
  },
});
