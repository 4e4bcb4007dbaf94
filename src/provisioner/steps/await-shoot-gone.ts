import { done, wait, type Step } from '#engine';
import { seconds } from '#time';
import type { Services } from '../services.ts';
import { ownShootOf, theRuntime } from './the-runtime.ts';

export const awaitShootGone = (services: Services): Step => ({
  name: 'Await_Shoot_Gone',
  about: 'Waits until the cluster is gone.',
  domain: 'Gardener',
  owner: 'Team Framefrog',
  retry: { every: seconds(2), within: services.settings.limits.clusterGone },
  async run({ operation, signal }) {
    const runtime = await theRuntime(services, { operation });
    const shoot = await ownShootOf(services, runtime, signal);
    if (!shoot) return done();
    const { type, progress, description } = shoot.status?.lastOperation ?? {};
    const how = type === 'Delete' ? `: ${progress ?? 0} %, ${description ?? ''}` : '';
    return wait(seconds(20), `the cluster is being removed${how}`, 'gardener');
  },
});
