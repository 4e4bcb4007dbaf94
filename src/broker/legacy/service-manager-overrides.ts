import { done, fail, skip, type Step } from '#engine';
import type { Instance } from '../instance.ts';
import { smPlatformCredentials } from '../instance.ts';
import type { Services } from '../services.ts';
import { theInstance } from '../steps/the-instance.ts';
import { theOverrides } from '../steps/the-overrides.ts';
import type { ServiceManagerAccess, ServiceManagerRules } from './legacy-settings.ts';

/** Calls nobody: the runtime's own proxy does, with these credentials. */
export const serviceManagerOverrides = (services: Services): Step => ({
  name: 'ServiceManagerOverrides',
  about: 'Gives the runtime the credentials of Service Manager.',
  domain: 'Service Manager',
  owner: 'Team Gopher',
  async run({ operation, memory }) {
    const rules = services.settings.older?.serviceManager;
    if (!rules) return skip('Service Manager is not set');
    const instance = await theInstance(services, { operation });
    const access = accessOf(rules, instance);
    if (!access) return fail(new CredentialsMissing(rules.mode));
    theOverrides(memory, instance).appendOverrides('service-manager-proxy', [
      { key: 'config.sm.url', value: access.url },
      { key: 'sm.user', value: access.username },
      { key: 'sm.password', value: access.password.reveal(), secret: true },
    ]);
    return done();
  },
});

/** Whose credentials count. */
export function accessOf(
  { mode, own, subaccountWithItsOwn }: ServiceManagerRules,
  { context, subaccount }: Pick<Instance, 'context' | 'subaccount'>,
): ServiceManagerAccess | undefined {
  const sent = smPlatformCredentials(context);
  if (subaccount === subaccountWithItsOwn) return sent;
  switch (mode) {
    case 'Always':
      return own;
    case 'WhenNotSentInRequest':
      return sent ?? own;
    case 'Never':
      return sent;
  }
}

class CredentialsMissing extends Error {
  override readonly name = 'CredentialsMissing';
  readonly temporary = false;
  readonly failureClass = 'user';
  readonly reason = 'service_manager_credentials_missing';
  readonly action = 'order again with context.sm_platform_credentials';

  constructor(mode: string) {
    super(
      `context.sm_platform_credentials is missing: with the override mode ${mode} the request must bring them`,
    );
  }
}
