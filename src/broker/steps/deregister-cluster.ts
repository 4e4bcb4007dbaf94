import { bestEffort, done, skip, type Step } from '#engine';
import type { Services } from '../services.ts';
import { theInstance } from './the-instance.ts';

export type Deregistered = { readonly clusterConfigurationDeleted?: boolean };

/** Also if no configuration is on record: the answer to the first one may have been lost. */
export const deregisterCluster = (services: Services): Step<object, Deregistered> => ({
  name: 'Deregister_Cluster',
  about: 'Asks the Reconciler to let go of the cluster.',
  domain: 'Reconciler',
  owner: 'Team Gopher',
  gives: ['clusterConfigurationDeleted'],
  retry: bestEffort,
  async run({ operation, signal }) {
    const { runtimeId } = await theInstance(services, { operation });
    if (runtimeId === undefined) return skip('there is no runtime');
    await services.clients.reconciler?.deleteCluster(runtimeId, signal);
    return done({ clusterConfigurationDeleted: true });
  },
});
