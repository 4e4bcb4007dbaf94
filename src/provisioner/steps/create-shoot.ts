import { done, type Step } from '#engine';
import { minutes, seconds } from '#time';
import type { Services } from '../services.ts';
import { newShoot } from '../shoot/new-shoot.ts';
import { theRuntime, theShoot } from './the-runtime.ts';

/** Asks Gardener for the cluster. One that is there already, from a run before, is taken as it is. */
export const createShoot = (services: Services): Step => ({
  name: 'Create_Shoot',
  about: 'Asks Gardener for the cluster.',
  domain: 'Gardener',
  owner: 'Team Framefrog',
  retry: { every: seconds(2), upTo: minutes(1), within: services.settings.limits.shootCreation },
  async run({ operation, signal }) {
    const { clients, settings } = services;
    const runtime = await theRuntime(services, { operation });
    if (await theShoot(services, runtime, signal)) return done();
    const { id, tenant, subaccount, config } = runtime;
    const owner = { runtimeId: id, operationId: operation.id, tenant, subaccount };
    const shoot = newShoot(config, { ...owner, settings: settings.shoot });
    await clients.gardener.shoots.apply(shoot, signal);
    return done();
  },
});
