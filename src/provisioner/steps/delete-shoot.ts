import { done, type Step } from '#engine';
import { minutes, seconds } from '#time';
import type { Services } from '../services.ts';
import { operationAnnotations } from '../shoot/own-shoot.ts';
import { ownShootOf, theRuntime } from './the-runtime.ts';

/** Asks Gardener for the cluster's removal. What is gone, or going, needs no asking. */
export const deleteShoot = (services: Services): Step => ({
  name: 'Delete_Shoot',
  about: 'Asks Gardener to remove the cluster.',
  domain: 'Gardener',
  owner: 'Team Framefrog',
  retry: { every: seconds(2), upTo: minutes(1), within: services.settings.limits.clusterDeletion },
  async run({ operation, signal }) {
    const runtime = await theRuntime(services, { operation });
    const shoot = await ownShootOf(services, runtime, signal);
    if (!shoot || shoot.metadata.deletionTimestamp) return done();
    await services.clients.gardener.shoots.delete(
      runtime.shootName,
      operationAnnotations(operation.id),
      signal,
    );
    return done();
  },
});
