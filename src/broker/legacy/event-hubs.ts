import { SystemError, type AzureSubscription } from '#clients';
import type { Instance } from '../instance.ts';
import type { Services } from '../services.ts';

/** The resource group, and the one namespace in it. */
export const eventHubsName = ({ id }: Pick<Instance, 'id'>): string => `k${id.toLowerCase()}`;

/** The account's part of Azure; undefined if its Secret is gone. */
export async function subscriptionOf(
  { clients }: Services,
  secretName: string,
  signal: AbortSignal,
): Promise<AzureSubscription | undefined> {
  const credentials = await clients.azureAccount(secretName, signal);
  return credentials && clients.azure.subscription(credentials);
}

/** From this version on Kyma brings its own. */
export function needsEventHubs(kymaVersion: string): boolean {
  const [, major, minor] = /^(\d+)\.(\d+)/.exec(kymaVersion) ?? [];
  return Number(major) === 1 && Number(minor) < 21;
}

/** Operators may put it back. */
export const accountGone = (secretName: string) =>
  new SystemError('gardener', `gardener: there is no Secret ${secretName} of an Azure account`, {
    temporary: true,
    reason: 'account_gone',
  });
