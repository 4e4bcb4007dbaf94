import type { Instance } from '../instance.ts';
import type { Services } from '../services.ts';

export type ResolvedVersion = {
  readonly version: string;
  readonly origin: 'parameters' | 'account-mapping' | 'defaults';
};

/** What the order says, else what the landscape has for the account. */
export async function resolveKymaVersion(
  services: Pick<Services, 'clients' | 'settings'>,
  instance: Instance,
  signal: AbortSignal,
): Promise<ResolvedVersion> {
  const { kymaVersion } = instance.parameters;
  if (kymaVersion) return { version: kymaVersion, origin: 'parameters' };
  return landscapeKymaVersion(services, instance, signal);
}

/** What operators have written down for the account, else the landscape's: what a new runtime gets, and one that is upgraded. */
export async function landscapeKymaVersion(
  { clients, settings }: Pick<Services, 'clients' | 'settings'>,
  { globalAccount, subaccount }: Pick<Instance, 'globalAccount' | 'subaccount'>,
  signal: AbortSignal,
): Promise<ResolvedVersion> {
  const account = { globalAccountId: globalAccount, subaccountId: subaccount };
  const mapped = await clients.controlPlane.kymaVersionOf(account, signal);
  return mapped
    ? { version: mapped, origin: 'account-mapping' }
    : { version: settings.kymaVersion, origin: 'defaults' };
}
