import { done, wait, type Step } from '#engine';
import { seconds } from '#time';
import type { Services } from '../services.ts';
import { ShootGone } from './shoot-state.ts';
import { theRuntime, theShoot } from './the-runtime.ts';

/** Gardener has looked at the Shoot once it has given it a domain. */
export const awaitDomain = (services: Services): Step<object, { domain: string }> => ({
  name: 'Await_Domain',
  about: 'Waits until Gardener has given the cluster a domain.',
  domain: 'Gardener',
  owner: 'Team Framefrog',
  gives: ['domain'],
  retry: { every: seconds(2), within: services.settings.limits.clusterDomain },
  async run({ operation, signal }) {
    const runtime = await theRuntime(services, { operation });
    const shoot = await theShoot(services, runtime, signal);
    if (!shoot) throw new ShootGone(runtime.shootName);
    const { domain } = shoot.spec.dns ?? {};
    return domain
      ? done({ domain })
      : wait(seconds(5), 'the cluster has no domain yet', 'gardener');
  },
});
