import assert from 'node:assert/strict';
import { test } from 'node:test';
import { clusterLocation, type LocationChoice } from './cluster-location.ts';
import { planNamed, platformIn } from './testing.ts';

const located = (
  plan: string,
  platformRegion: string,
  choice: LocationChoice = {},
  settings: Parameters<typeof planNamed>[1] = {},
) => {
  const location = clusterLocation(planNamed(plan, settings), choice, platformIn(platformRegion));
  return location && `${location.provider} ${location.region}${location.euAccess ? ' EU' : ''}`;
};

test('a trial goes where its customer says, else near the platform, else to the usual place', () => {
  const table: readonly (readonly [LocationChoice, platformRegion: string, expected: string])[] = [
    [{}, 'cf-eu10', 'azure westeurope'],
    [{}, 'cf-us10', 'azure eastus'],
    [{}, 'cf-apj21', 'azure southeastasia'],
    [{}, 'cf-br10', 'azure eastus'],
    [{ region: 'asia' }, 'cf-eu10', 'azure southeastasia'],
    [{ provider: 'AWS' }, 'cf-eu10', 'aws eu-west-1'],
    [{ provider: 'AWS' }, 'cf-us10', 'aws us-east-1'],
    [{ provider: 'AWS', region: 'asia' }, 'cf-us10', 'aws ap-southeast-1'],
    [{ provider: 'GCP', region: 'europe' }, 'cf-us10', 'gcp europe-west3'],
    [{ provider: 'GCP', region: 'us' }, 'cf-eu10', 'gcp us-central1'],
    [{ provider: 'GCP', region: 'asia' }, 'cf-eu10', 'gcp asia-south1'],
  ];
  for (const [choice, region, expected] of table) {
    assert.equal(located('trial', region, choice), expected, JSON.stringify([choice, region]));
  }
});

test('the provider of trials that name none is a setting', () => {
  assert.equal(located('trial', 'cf-eu10', {}, { trialProvider: 'gcp' }), 'gcp europe-west3');
});

test('a free cluster goes to the provider of its platform, and to AWS where that is not on offer', () => {
  assert.equal(located('free', 'cf-eu20'), 'azure eastus');
  assert.equal(located('free', 'cf-eu10'), 'aws eu-central-1');
  assert.equal(located('free', 'cf-eu30'), 'aws eu-central-1');
  assert.equal(located('free', 'somewhere'), 'aws eu-central-1');
});

test('EU access decides on the region, whatever was chosen', () => {
  const table: readonly (readonly [string, platformRegion: string, expected: string, string?])[] = [
    ['azure', 'cf-ch20', 'azure switzerlandnorth EU'],
    ['azure_lite', 'cf-eu11', 'azure switzerlandnorth EU'],
    ['aws', 'cf-eu11', 'aws eu-central-1 EU'],
    ['preview', 'cf-ch20', 'aws eu-central-1 EU', 'us-east-1'],
    ['free', 'cf-ch20', 'azure switzerlandnorth EU'],
    ['trial', 'cf-eu11', 'azure switzerlandnorth EU', 'us'],
    ['gcp', 'cf-eu11', 'gcp us-central1 EU', 'us-central1'],
  ];
  for (const [plan, platformRegion, expected, region] of table) {
    assert.equal(located(plan, platformRegion, region ? { region } : {}), expected, plan);
  }
});

test('a customer’s own cluster is nowhere that we decide on', () => {
  assert.equal(located('own_cluster', 'cf-eu10'), undefined);
});
