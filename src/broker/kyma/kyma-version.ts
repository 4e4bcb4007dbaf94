import type { Instance } from '../instance.ts';
import type { Services } from '../services.ts';

export type ResolvedVersion = {
  readonly version: string;
  readonly origin: 'parameters' | 'account-mapping' | 'defaults';
};

/** What the order says, else what operators have written down for the account, else the landscape's. */
export async function resolveKymaVersion(
  { clients, settings }: Pick<Services, 'clients' | 'settings'>,
  { parameters, globalAccount, subaccount }: Instance,
  signal: AbortSignal,
): Promise<ResolvedVersion> {
  if (parameters.kymaVersion) return { version: parameters.kymaVersion, origin: 'parameters' };
  const account = { globalAccountId: globalAccount, subaccountId: subaccount };
  const mapped = await clients.controlPlane.kymaVersionOf(account, signal);
  return mapped
    ? { version: mapped, origin: 'account-mapping' }
    : { version: settings.kymaVersion, origin: 'defaults' };
}
