import assert from 'node:assert/strict';
import { test } from 'node:test';
import { days, hours } from '#time';
import type { Instance } from '../instance.ts';
import { detailedMetadataOf, metadataOf } from './labels.ts';
import { defaultApiSettings, type ApiSettings } from './settings.ts';

const settings: ApiSettings = {
  ...defaultApiSettings,
  publicUrl: 'https://broker.example.com/',
  kubeconfigUrlLabel: true,
  trialExpiration: {
    subaccounts: ['sa-1'],
    docsUrl: 'https://docs.example.com',
    period: days(14),
  },
  freeExpiration: { subaccounts: 'all', docsUrl: 'https://plans.example.com', period: days(30) },
};
const createdAt = new Date('2026-01-01T00:00:00Z');
const trial = {
  id: 'a/b',
  planName: 'trial',
  subaccount: 'sa-1',
  parameters: { name: 'demo' },
  createdAt,
  expiredAt: undefined,
} as Instance; // labels look at no more
const expires = (after: number, instance = trial) =>
  detailedMetadataOf(settings, instance, new Date(createdAt.getTime() + after)).labels;

test('an instance has its name as a label, and where its kubeconfig is if that is wanted', () => {
  const KubeconfigURL = 'https://broker.example.com/kubeconfig/a%2Fb';
  assert.deepEqual(metadataOf(settings, trial).labels, { Name: 'demo', KubeconfigURL });
  assert.deepEqual(metadataOf(defaultApiSettings, trial).labels, { Name: 'demo' });
  const own = { ...trial, planName: 'own_cluster' };
  assert.deepEqual(metadataOf(settings, own).labels, { Name: 'demo' });
});

test('a suspended instance says so, and leads to no kubeconfig', () => {
  const { labels } = metadataOf(settings, trial, { isSuspended: true });
  assert.deepEqual(labels, { Name: 'demo', Status: 'suspended' });
});

test('a trial says when it expires', () => {
  for (const [after, text] of [
    [0, 'in 14 days'],
    [days(2), 'in 12 days'],
    [days(13), 'tomorrow'],
    [days(13) + hours(20), 'today'],
    [days(20), 'today'],
  ] as const)
    assert.deepEqual(
      [expires(after)].map((labels) => Object.values(labels).at(-1)),
      [`Your cluster expires ${text}.`],
    );
});

test('a free instance says so, too, in words of its own', () => {
  const free = { ...trial, planName: 'free', subaccount: 'sa-2' };
  assert.equal(
    expires(0, free)['Free plan expiration details'],
    'Your cluster expires in 30 days.',
  );
  const { KubeconfigURL, ...expired } = expires(0, { ...free, expiredAt: createdAt });
  assert.equal(KubeconfigURL, undefined);
  assert.equal(expired['Available plans documentation'], 'https://plans.example.com');
});

test('only trials of subaccounts that are meant to say it do', () => {
  for (const other of [
    { ...trial, planName: 'azure' },
    { ...trial, subaccount: 'sa-2' },
  ])
    assert.deepEqual(Object.keys(expires(0, other)), ['Name', 'KubeconfigURL']);
});

test('an expired trial leads to the documentation, not to its cluster', () => {
  assert.deepEqual(Object.keys(expires(0, { ...trial, expiredAt: createdAt })), [
    'Name',
    'Trial expiration details',
    'Trial documentation',
  ]);
});
