// For tests of this client: a landscape with the provisioner alone, and what to order from it.
import assert from 'node:assert/strict';
import { inspect } from 'node:util';
import { provisioner } from '../../landscape/provisioner/testing.ts';
import { startLandscape, type Landscape } from '../../landscape/testing.ts';
import type { GraphqlError } from '../graphql-client.ts';
import type { SystemSettings } from '../http-client.ts';
import { SystemError } from '../system-error.ts';
import { provisionerClient, type ProvisionerClient } from './provisioner-client.ts';
import type {
  GardenerConfigInput,
  KymaConfigInput,
  ProviderInput,
  ProvisionRuntimeInput,
} from './runtime-input.ts';

export const { signal } = new AbortController();
export const canary = 'canary-secret';
export const tenant = 'ga-1';
export const as = (operationId: string) => ({ tenant, subaccount: 'sa-1', operationId });
export const unknownId = '00000000-0000-4000-8000-000000000000';

export const startProvisioner = () => startLandscape({ systems: [provisioner] });
export const clientOf = ({ url }: Landscape, more: Partial<SystemSettings> = {}) =>
  provisionerClient({ url: `${url}/provisioner/graphql`, ...more });
export const inventory = (landscape: Landscape) =>
  landscape.inventory()['provisioner'] as {
    runtimes: readonly { readonly id: string }[];
    operations: readonly { readonly id: string; readonly operation: string }[];
  };

export const azure: ProviderInput = {
  provider: 'azure',
  providerSpecificConfig: {
    azureConfig: {
      vnetCidr: '10.250.0.0/16',
      azureZones: [{ name: 1, cidr: '10.250.0.0/19' }],
      enableNatGateway: true,
    },
  },
};
export const oidcConfig = {
  clientID: 'client',
  issuerURL: 'https://idp.example.com',
  groupsClaim: 'groups',
  signingAlgs: ['RS256'],
  usernameClaim: 'sub',
  usernamePrefix: '-',
};
export const demo = {
  runtimeInput: { name: 'demo', labels: { broker_instance_id: '1111' } },
  clusterConfig: {
    gardenerConfig: {
      ...azure,
      name: 'c-1a2b3c4',
      kubernetesVersion: '1.26.5',
      volumeSizeGB: 50,
      machineType: 'Standard_D4_v3',
      region: 'westeurope',
      purpose: 'development',
      diskType: 'Standard_LRS',
      targetSecret: 'az-pool-07',
      workerCidr: '10.250.0.0/16',
      autoScalerMin: 3,
      autoScalerMax: 20,
      maxSurge: 3,
      maxUnavailable: 0,
      oidcConfig,
    },
    administrators: ['admin@example.com'],
  },
} satisfies ProvisionRuntimeInput;

export const withCluster = (changes: Partial<GardenerConfigInput>): ProvisionRuntimeInput => ({
  ...demo,
  clusterConfig: {
    ...demo.clusterConfig,
    // The parts are right, though the compiler cannot see that a provider comes with its own settings.
    gardenerConfig: { ...demo.clusterConfig.gardenerConfig, ...changes } as GardenerConfigInput,
  },
});

export const kymaConfig: KymaConfigInput = {
  version: '1.24.0',
  profile: 'Production',
  conflictStrategy: 'Replace',
  configuration: [{ key: 'global.domainName', value: 'c-1.example.com' }],
  components: [
    { component: 'istio', namespace: 'istio-system', conflictStrategy: 'Merge' },
    {
      component: 'compass-runtime-agent',
      namespace: 'compass-system',
      configuration: [{ key: 'token', value: canary, secret: true }],
    },
  ],
};

/** A runtime whose provisioning has succeeded. */
export async function provisioned(
  landscape: Landscape,
  client: ProvisionerClient,
  input: ProvisionRuntimeInput = demo,
): Promise<string> {
  const { runtimeID } = await client.provisionRuntime(as('provisioning'), input, signal);
  landscape.time.advance(60 * 60_000);
  return runtimeID;
}

/** The next answer, whatever was asked. */
export const next = (
  { faults }: Landscape,
  status: number,
  body: unknown,
  headers: Record<string, string> = {},
) =>
  faults.add({
    system: 'provisioner',
    count: 1,
    action: {
      kind: 'answer',
      status,
      body: typeof body === 'string' ? body : JSON.stringify(body),
      headers,
    },
  });

/** Switches of the simulated provisioner. */
export async function stage({ url }: Landscape, path: string, body: object): Promise<void> {
  const answer = await fetch(`${url}/provisioner/${path}`, {
    method: 'PUT',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  assert.equal(answer.status, 204);
}

export const failsWith =
  (expected: Partial<GraphqlError>, message = /./) =>
  (error: unknown) => {
    assert.ok(error instanceof SystemError);
    assert.match(error.message, message);
    assert.doesNotMatch(inspect(error, { depth: 9, showHidden: true }), new RegExp(canary));
    assert.partialDeepStrictEqual(Object.fromEntries(Object.entries(error)), {
      system: 'provisioner',
      ...expected,
    });
    return true;
  };
