import { done, type Step } from '#engine';
import type { Services } from '../services.ts';
import { theInstance } from './the-instance.ts';

/**
 * Little is left to do here: the engine itself lets an operation wait as pending while another one works on the instance,
 * and begins it afterwards. Whoever waited may find that the instance is gone meanwhile.
 */
export const starting = (services: Services): Step => ({
  name: 'Starting',
  about: 'Makes sure that the instance is still there when its turn has come.',
  domain: 'Provisioning',
  owner: 'Team Gopher',
  async run({ operation }) {
    await theInstance(services, { operation });
    return done();
  },
});
