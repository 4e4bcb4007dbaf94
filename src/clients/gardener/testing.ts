// For tests of this client: a Gardener project in this process.
import assert from 'node:assert/strict';
import { inspect } from 'node:util';
import { gardenerWith } from '../../landscape/gardener/testing.ts';
import { startLandscape, type Landscape } from '../../landscape/testing.ts';
import { SystemError } from '../system-error.ts';
import { gardenerClient } from './gardener-client.ts';
import { gardenerProject, type GardenerSettings } from './project.ts';

export const { signal } = new AbortController();

/** The client's token: never to be seen. */
const canary = /token-of-the-kyma-project/;

export async function startGardener(
  options: { readonly freeAccounts?: number; readonly settings?: Partial<GardenerSettings> } = {},
) {
  const { freeAccounts = 2, settings } = options;
  const landscape = await startLandscape({ systems: [gardenerWith({ freeAccounts })] });
  const url = `${landscape.url}/gardener`;
  const kubeconfig = await (await fetch(`${url}/kubeconfig`)).text();
  const all = { kubeconfig, project: 'kyma', ...settings };
  return {
    landscape,
    url,
    client: gardenerClient(all),
    /** To do what the client does not. */
    project: gardenerProject(all),
    anotherClient: () => gardenerClient(all),
    async stage(shoot: string, operation: object) {
      const { status } = await fetch(`${url}/shoots/${shoot}/operation`, {
        method: 'PUT',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(operation),
      });
      assert.equal(status, 204);
    },
    [Symbol.asyncDispose]: () => landscape[Symbol.asyncDispose](),
  };
}

export const failsWith = (expected: Partial<SystemError>) => (error: unknown) => {
  assert.ok(error instanceof SystemError);
  assert.doesNotMatch(inspect(error, { depth: 9 }), canary);
  const { system, temporary, reason, status, retryAfter } = error;
  const wanted = { system: 'gardener', ...expected };
  assert.partialDeepStrictEqual({ system, temporary, reason, status, retryAfter }, wanted);
  return true;
};

export const labelsOf = (landscape: Landscape, binding: string) => {
  const all = landscape.inventory()['gardener']?.['secretbindings.core.gardener.cloud'] ?? [];
  const bindings = all as { name: string; labels: Record<string, string> }[]; // as the inventory lists objects
  return bindings.find(({ name }) => name === binding)?.labels;
};

export const shootOf = (name: string, secretBindingName = 'azure-pool-001') => ({
  metadata: {
    name,
    labels: { account: 'ga-1', subaccount: 'sa-1' },
    annotations: { 'kcp.provisioner.kyma-project.io/runtime-id': `runtime-${name}` },
  },
  spec: {
    secretBindingName,
    region: 'westeurope',
    kubernetes: { version: '1.26.5' },
    provider: { type: 'azure' },
  },
});
