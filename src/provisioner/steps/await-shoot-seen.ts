import { done, fail, wait, type Step } from '#engine';
import { seconds } from '#time';
import type { Services } from '../services.ts';
import { ShootFailed, ShootGone } from './shoot-state.ts';
import { theRuntime, theShoot } from './the-runtime.ts';

/** Until Gardener has seen the change, what it reports is about the time before. */
export const awaitShootSeen = (services: Services): Step => ({
  name: 'Await_Shoot_Seen',
  about: 'Waits until Gardener has seen the change.',
  domain: 'Gardener',
  owner: 'Team Framefrog',
  retry: { every: seconds(2), within: services.settings.limits.shootRefresh },
  async run({ operation, signal }) {
    const runtime = await theRuntime(services, { operation });
    const shoot = await theShoot(services, runtime, signal);
    if (!shoot) throw new ShootGone(runtime.shootName);
    const { generation } = shoot.metadata;
    const { observedGeneration, lastOperation } = shoot.status ?? {};
    if (observedGeneration === generation) return done();
    if (lastOperation?.state === 'Failed' && lastOperation.type !== 'Reconcile')
      return fail(new ShootFailed('gardener Shoot cluster upgrade failed', shoot));
    return wait(seconds(5), 'Gardener has not seen the change yet', 'gardener');
  },
});
