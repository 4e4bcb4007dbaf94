import type { SystemSettings } from '../http-client.ts';
import { azureSubscription, type AzureSubscription } from './azure-subscription.ts';
import type { AzureCredentials } from './azure-token.ts';

/** Azure Resource Manager, for whoever's credentials the account pool has. */
export type AzureClient = {
  readonly subscription: (credentials: AzureCredentials) => AzureSubscription;
};

/** The limits hold for each subscription by itself, as Azure's own do: trouble in one leaves the others alone. */
export type AzureSettings = Omit<SystemSettings, 'url'> & {
  /** `https://login.microsoftonline.com`, unless told otherwise. */
  readonly loginUrl?: string;
  /** `https://management.azure.com`, unless told otherwise. */
  readonly managementUrl?: string;
};

/** So many subscriptions are remembered, with a token each. */
const remembered = 500;

export function azureClient({
  loginUrl = 'https://login.microsoftonline.com',
  managementUrl = 'https://management.azure.com',
  ...limits
}: AzureSettings = {}): AzureClient {
  const known = new Map<string, AzureSubscription>();

  return {
    subscription(credentials) {
      const { tenantId, subscriptionId, clientId, clientSecret } = credentials;
      const key = JSON.stringify([tenantId, subscriptionId, clientId, clientSecret]);
      const subscription =
        known.get(key) ??
        azureSubscription(
          { ...limits, url: managementUrl },
          { ...limits, url: loginUrl },
          credentials,
        );
      known.delete(key);
      known.set(key, subscription); // at the end: the first is the one that was not used for longest
      const [oldest] = known.keys();
      if (known.size > remembered && oldest !== undefined) known.delete(oldest);
      return subscription;
    },
  };
}
