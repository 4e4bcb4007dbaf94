import { bestEffort, done, skip, type Step } from '#engine';
import type { Services } from '../services.ts';
import { dataTenantOf, deregister } from './edp-registration.ts';
import { theInstance } from './the-instance.ts';

/**
 * Also if nothing is on record: a registration may have lost its answer. The runtimes of a subaccount share its data tenant: it
 * goes with the last of them.
 */
export const edpDeregistration = (services: Services): Step => ({
  name: 'EDP_Deregistration',
  about: 'Removes all entries of the runtime from the Event Data Platform.',
  domain: 'Event Data Platform',
  owner: 'Team Gopher',
  retry: bestEffort,
  async run({ operation, signal }) {
    const { clients, instances, database } = services;
    const instance = await theInstance(services, { operation });
    // First this: what is half removed must be registered anew; and of two removals at a time, one at least sees that nobody is
    // left.
    await instances.remember(database.pool, instance.id, { edpRegistered: null });
    if (await instances.isEdpShared(database.pool, instance))
      return skip('another runtime of the subaccount is registered');
    if (clients.edp) await deregister(clients.edp, dataTenantOf(services, instance), signal);
    return done();
  },
});
