import { done, fail, skip, wait, type Step } from '#engine';
import { minutes, seconds } from '#time';
import type { Services } from '../services.ts';
import { NotBegun, waitAtMost } from './removal.ts';
import { theInstance } from './the-instance.ts';

const system = 'lifecycle-manager';

/** The Lifecycle Manager removes its modules from the cluster meanwhile: until then the cluster should be there. */
export const checkKymaResourceDeleted = (services: Services): Step => ({
  name: 'Check_Kyma_Resource_Deleted',
  about: 'Waits until the Kyma resource is gone.',
  domain: 'Lifecycle Manager',
  owner: 'Team Gopher',
  retry: waitAtMost(minutes(30)),
  async run({ operation, signal }) {
    const { kyma: place } = (await theInstance(services, { operation })).details;
    if (!place) return skip('no Kyma resource is on record');
    const kyma = await services.clients.lifecycleManager?.getKyma(place, signal);
    if (!kyma) return done();
    if (!kyma.isBeingDeleted)
      return fail(new NotBegun(`nobody has deleted the Kyma resource ${place.name}`));
    return wait(seconds(15), 'the Kyma resource is being deleted', system);
  },
});
