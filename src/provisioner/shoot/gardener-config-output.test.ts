import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Provider } from '../config/provider-input.ts';
import {
  accepted,
  awsZones,
  azureZones,
  oidcConfig,
  vnetCidr,
  vpcCidr,
} from '../config/testing.ts';
import { gardenerConfigOutput } from './gardener-config-output.ts';
import { seenConfig } from './seen-config.ts';
import { onGardener } from './testing.ts';

const blocks: Record<Provider, object> = {
  aws: { __typename: 'AWSProviderConfig', vpcCidr, awsZones, enableIMDSv2: false },
  azure: { __typename: 'AzureProviderConfig', vnetCidr, azureZones, enableNatGateway: false },
  gcp: { __typename: 'GCPProviderConfig', zones: ['europe-west3-a', 'europe-west3-b'] },
  openstack: {
    __typename: 'OpenStackProviderConfig',
    zones: ['eu-de-1a'],
    floatingPoolName: 'FloatingIP-external-kyma-01',
    cloudProfileName: 'converged-cloud-kyma',
    loadBalancerProvider: 'f5',
  },
};
for (const [provider, block] of Object.entries(blocks) as [Provider, object][]) {
  test(`a status of ${provider} names the provider and the type of its block`, () => {
    const output = gardenerConfigOutput(accepted(provider));
    assert.equal(output.provider, provider);
    assert.deepEqual(output.providerSpecificConfig, block);
  });
}

test('54: without OIDC a status has one of empty texts', () => {
  const empty = {
    clientID: '',
    groupsClaim: '',
    issuerURL: '',
    signingAlgs: [],
    usernameClaim: '',
    usernamePrefix: '',
  };
  assert.deepEqual(gardenerConfigOutput(accepted('azure')).oidcConfig, empty);
  assert.deepEqual(gardenerConfigOutput(accepted('azure', { oidcConfig })).oidcConfig, oidcConfig);
});

test('51: the licence comes back, and so do all other fields as they were ordered', () => {
  const given = {
    licenceType: 'Demo',
    purpose: 'testing',
    podsCidr: '10.96.0.0/13',
    servicesCidr: '10.104.0.0/13',
    controlPlaneFailureTolerance: 'node',
    euAccess: true,
    machineImage: 'gardenlinux',
    machineImageVersion: '934.8.0',
  };
  assert.partialDeepStrictEqual(gardenerConfigOutput(accepted('azure', given)), given);
});

test('a domain comes back with the names that the caller listed', () => {
  const providers = [
    { domainsInclude: ['a.example.com'], primary: true, secretName: 'one', type: 'aws-route53' },
    { domainsInclude: ['b.example.com'], primary: false, secretName: 'two', type: 'azure-dns' },
  ];
  const dnsConfig = { domain: 'example.com', providers };
  assert.deepEqual(gardenerConfigOutput(accepted('azure', { dnsConfig })).dnsConfig, dnsConfig);
  const bare = accepted('azure', { dnsConfig: { domain: 'example.com' } });
  assert.deepEqual(gardenerConfigOutput(bare).dnsConfig, { domain: 'example.com', providers: [] });
});

test('the seed that Gardener chose is the one in the status', () => {
  const config = accepted('azure');
  const seen = seenConfig(config, onGardener(config, { seedName: 'az-eu2' }));
  assert.equal(gardenerConfigOutput(seen).seed, 'az-eu2');
});
