import { serviceProviderKinds, serviceProviderName } from '#clients';
import { bestEffort, done, type Step } from '#engine';
import type { Services } from '../services.ts';

/** By name: what it was registered for is on nobody's record. */
export const iasDeregistration = ({ clients }: Services): Step => ({
  name: 'IAS_Deregistration',
  about: 'Removes the service providers through which people logged in to the runtime.',
  domain: 'Identity Authentication Service',
  owner: 'Team Gopher',
  retry: bestEffort,
  async run({ operation, signal }) {
    for (const kind of Object.values(serviceProviderKinds))
      await clients.ias?.deleteServiceProvider(
        serviceProviderName(kind, operation.subject),
        signal,
      );
    return done();
  },
});
