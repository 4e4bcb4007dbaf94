import { serviceProviderKinds, serviceProviderName } from '#clients';
import { bestEffort, done, skip, wait, type Step } from '#engine';
import { minutes } from '#time';
import type { Services } from '../services.ts';
import { theInstance } from './the-instance.ts';

/** By name. What was asked for a moment ago may not be visible yet, so there is a second look. */
export const iasDeregistration = (services: Services): Step => ({
  name: 'IAS_Deregistration',
  about: 'Removes the service providers through which people logged in to the runtime.',
  domain: 'Identity Authentication Service',
  owner: 'Team Gopher',
  retry: bestEffort,
  async run({ operation, attempt, signal }) {
    const { clients, instances, database } = services;
    if (!clients.ias) return skip('IAS is switched off');
    const { iasAsked: asked = {} } = (await theInstance(services, { operation })).details;
    for (const kind of Object.values(serviceProviderKinds)) {
      const name = serviceProviderName(kind, operation.subject);
      const mayComeUp = asked[name] !== undefined && attempt === 1;
      if (mayComeUp && !(await clients.ias.findServiceProvider(name, signal)))
        return wait(minutes(2), `not visible yet: ${name}`, 'ias');
      await clients.ias.deleteServiceProvider(name, signal);
    }
    await instances.remember(database.pool, operation.subject, { iasAsked: null });
    return done();
  },
});
