import { bestEffort, done, type Step } from '#engine';
import type { Services } from '../services.ts';
import { dataTenantOf, deregister } from './edp-registration.ts';
import { theInstance } from './the-instance.ts';

/** Also if nothing is on record: a registration may have lost its answer. */
export const edpDeregistration = (services: Services): Step => ({
  name: 'EDP_Deregistration',
  about: 'Removes all entries of the runtime from the Event Data Platform.',
  domain: 'Event Data Platform',
  owner: 'Team Gopher',
  retry: bestEffort,
  async run({ operation, signal }) {
    const { clients, instances, database } = services;
    const instance = await theInstance(services, { operation });
    // First this: what is half removed must be registered anew.
    await instances.remember(database.pool, instance.id, { edpRegistered: null });
    if (clients.edp) await deregister(clients.edp, dataTenantOf(services, instance), signal);
    return done();
  },
});
