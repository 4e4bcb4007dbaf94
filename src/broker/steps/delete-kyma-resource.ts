import { bestEffort, done, skip, type Step } from '#engine';
import type { Services } from '../services.ts';
import { theInstance } from './the-instance.ts';

/** Asks for it; the Lifecycle Manager takes its time. The place was on record before anything was made there. */
export const deleteKymaResource = (services: Services): Step => ({
  name: 'Delete_Kyma_Resource',
  about: 'Deletes the Kyma resource of the runtime.',
  domain: 'Lifecycle Manager',
  owner: 'Team Gopher',
  retry: bestEffort,
  async run({ operation, signal }) {
    const { kyma } = (await theInstance(services, { operation })).details;
    if (!kyma) return skip('no Kyma resource is on record');
    await services.clients.lifecycleManager?.deleteKyma(kyma, signal);
    return done();
  },
});
