// For tests of this client: a landscape with Azure alone, and who calls it.
import { azure } from '../../landscape/azure/testing.ts';
import { startLandscape, type Landscape } from '../../landscape/testing.ts';
import { azureClient, type AzureSettings } from './azure-client.ts';
import { failuresOf } from '../testing.ts';

export const { signal } = new AbortController();
export const canary = 'canary-secret';
export const credentials = {
  tenantId: 'tenant-1',
  subscriptionId: 'subscription-1',
  clientId: 'client-1',
  clientSecret: canary,
};
export const resource = {
  name: 'k5f0c7f1a',
  location: 'westeurope',
  tags: { SubAccountID: 'sub-1', InstanceID: '5F0C7F1A', OperationID: 'op-1' },
};

export const startAzure = () => startLandscape({ systems: [azure] });

export const clientOf = ({ url }: Landscape, more: Partial<AzureSettings> = {}) =>
  azureClient({ loginUrl: `${url}/azure`, managementUrl: `${url}/azure`, ...more });

export const subscriptionOf = (landscape: Landscape, more: Partial<AzureSettings> = {}) =>
  clientOf(landscape, more).subscription(credentials);

export const failsWith = failuresOf('azure', canary);

/** From now on Azure answers so; the token endpoint only if the path says it. */
export const answers = (
  { faults }: Landscape,
  path: string,
  status: number,
  body: unknown,
  headers: Record<string, string> = {},
) =>
  faults.add({
    system: 'azure',
    path,
    action: {
      kind: 'answer',
      status,
      body: typeof body === 'string' ? body : JSON.stringify(body),
      headers,
    },
  });
