import { done, type Step } from '#engine';
import { minutes, seconds } from '#time';
import { landscapeKymaVersion, resolveKymaVersion } from '../kyma/kyma-version.ts';
import type { Services } from '../services.ts';
import { steady } from './steady.ts';
import { theInstance } from './the-instance.ts';
import type { Update } from './update-kyma-initialization.ts';

/** An update leaves Kyma at its version, unless it is asked for maintenance. */
export const updateInitKymaVersion = (
  services: Services,
): Step<Update & { kymaVersion?: string }, { kymaVersion: string }> => ({
  name: 'Update_Init_Kyma_Version',
  about: 'Finds out which version of Kyma the runtime has, or shall have after its maintenance.',
  domain: 'Update',
  owner: 'Team Gopher',
  gives: ['kymaVersion'],
  retry: steady(seconds(5), minutes(1)),
  async run({ operation, facts, signal }) {
    if (facts.kymaVersion !== undefined) return done({ kymaVersion: facts.kymaVersion });
    const instance = await theInstance(services, { operation });
    const { kymaVersion } = instance.details;
    if (facts.wanted.maintenanceVersion !== undefined)
      return done({
        kymaVersion: (await landscapeKymaVersion(services, instance, signal)).version,
      });
    if (kymaVersion !== undefined) return done({ kymaVersion });
    return done({ kymaVersion: (await resolveKymaVersion(services, instance, signal)).version });
  },
});
