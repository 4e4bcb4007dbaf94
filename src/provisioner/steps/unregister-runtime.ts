import { done, type Step } from '#engine';
import { minutes, seconds } from '#time';
import type { Services } from '../services.ts';
import { theRuntime } from './the-runtime.ts';

/** Only now that the cluster is gone: its id may not be given to another one before. */
export const unregisterRuntime = (services: Services): Step => ({
  name: 'Unregister_Runtime',
  about: 'Takes the runtime out of Director, and marks it as deleted.',
  domain: 'Director',
  owner: 'Team Framefrog',
  retry: { every: seconds(10), upTo: minutes(1), within: services.settings.limits.clusterDeletion },
  async run({ operation, signal }) {
    const { clients, runtimes, database } = services;
    const { id, tenant } = await theRuntime(services, { operation });
    await clients.director?.unregisterRuntime(tenant, id, signal);
    await runtimes.markDeleted(database.pool, id);
    return done();
  },
});
