import { done, type Step } from '#engine';
import type { Services } from '../services.ts';
import { theInstance } from './the-instance.ts';
import { theOverrides } from './the-overrides.ts';

/** Calls nobody. Where Kyma has no such component, the settings concern nothing. */
export const busolaMigratorOverrides = (services: Services): Step => ({
  name: 'BusolaMigratorOverrides',
  about: 'Tells the dashboard of the cluster which runtime it belongs to.',
  domain: 'Busola',
  owner: 'Team Hasselhoff',
  async run({ operation, memory }) {
    const instance = await theInstance(services, { operation });
    theOverrides(memory, instance).appendOverrides('busola-migrator', [
      { key: 'deployment.env.kubeconfigID', value: instance.id },
      { key: 'global.istio.gateway.name', value: 'kyma-gateway' },
    ]);
    return done();
  },
});
