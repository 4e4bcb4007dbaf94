import type { Services } from '../services.ts';
import { theInstance } from '../steps/the-instance.ts';
import { theOverrides } from '../steps/the-overrides.ts';
import { outage, vocabulary, type ExtensionKit } from './extension.ts';

/** What an extension works with. */
export const extensionKit = (
  services: Pick<Services, 'instances' | 'database'>,
  extend: ExtensionKit['extend'],
  environment: ExtensionKit['environment'],
): ExtensionKit => ({
  ...vocabulary,
  outage,
  environment,
  extend,
  async runtimeOf({ operation }) {
    const instance = await theInstance(services, { operation });
    const { globalAccount, subaccount, provider, region, shootName, shootDomain } = instance;
    return {
      instanceId: instance.id,
      runtimeId: instance.runtimeId,
      plan: instance.planName,
      globalAccount,
      subaccount,
      provider,
      region,
      name: instance.parameters.name,
      shootName,
      shootDomain,
    };
  },
  overridesOf: async ({ operation, memory }) =>
    theOverrides(memory, await theInstance(services, { operation })),
});
