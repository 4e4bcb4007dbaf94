import { done, fail, wait, type Step } from '#engine';
import { minutes, seconds } from '#time';
import type { Services } from '../services.ts';
import { hibernatedShoot } from '../shoot/hibernation.ts';
import { upgradedShoot } from '../shoot/upgraded-shoot.ts';
import { ShootGone, upgradeState } from './shoot-state.ts';
import { theRuntime, theShoot } from './the-runtime.ts';

/** Asks Gardener to put the cluster to sleep, as it is. */
export const hibernateShoot = (services: Services): Step => ({
  name: 'Hibernate_Shoot',
  about: 'Asks Gardener to put the cluster to sleep.',
  domain: 'Gardener',
  owner: 'Team Framefrog',
  retry: { every: seconds(2), upTo: minutes(1), within: services.settings.limits.shootRefresh },
  async run({ operation, signal }) {
    const { clients, settings } = services;
    const runtime = await theRuntime(services, { operation });
    const shoot = await theShoot(services, runtime, signal);
    if (!shoot) throw new ShootGone(runtime.shootName);
    const { id, tenant, subaccount, config } = runtime;
    const owner = { runtimeId: id, operationId: operation.id, tenant, subaccount };
    const asItIs = upgradedShoot(shoot, config, { ...owner, settings: settings.shoot });
    await clients.gardener.shoots.apply(hibernatedShoot(asItIs), signal);
    return done();
  },
});

export const awaitHibernation = (services: Services): Step => ({
  name: 'Await_Hibernation',
  about: 'Waits until the cluster is asleep.',
  domain: 'Gardener',
  owner: 'Team Framefrog',
  retry: { every: seconds(2), within: services.settings.limits.hibernation },
  async run({ operation, signal }) {
    const runtime = await theRuntime(services, { operation });
    const shoot = await theShoot(services, runtime, signal);
    if (!shoot) throw new ShootGone(runtime.shootName);
    const state = upgradeState(shoot, 'hibernation of the cluster failed');
    if (state.kind === 'failed') return fail(state.error);
    if (state.kind === 'ready' && shoot.status?.hibernated) return done();
    const because = state.kind === 'busy' ? state.because : 'the cluster is not asleep yet';
    return wait(seconds(30), because, 'gardener');
  },
});
