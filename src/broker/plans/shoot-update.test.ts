import assert from 'node:assert/strict';
import { test } from 'node:test';
import { administratorsOf } from './cluster-access.ts';
import { mergedParameters } from './merged-parameters.ts';
import { shootUpdate } from './shoot-update.ts';
import { clusterSettings } from './testing.ts';

const current = { name: 'a', autoScalerMin: 4, administrators: ['old@example.test'] };
const oidc = { clientID: 'c', issuerURL: 'https://mine.example.test', groupsClaim: '' };
const userId = 'owner@example.test';

test('an update asks for what it names, and no more', () => {
  assert.deepEqual(
    shootUpdate(
      { current, update: { autoScalerMax: 9, machineType: 'm6i.xlarge' }, userId },
      clusterSettings,
    ),
    {
      gardenerConfig: {
        machineType: 'm6i.xlarge',
        autoScalerMax: 9,
        shootNetworkingFilterDisabled: false,
      },
      administrators: ['old@example.test'],
    },
  );
});

test('an update replaces administrators and OIDC, with the landscape’s values for gaps', () => {
  const update = { administrators: ['new@example.test'], oidc, maxSurge: 2, maxUnavailable: 1 };
  assert.deepEqual(
    shootUpdate({ current, update, userId, licenseType: 'TRIAL' }, clusterSettings),
    {
      gardenerConfig: {
        maxSurge: 2,
        maxUnavailable: 1,
        oidcConfig: { ...clusterSettings.oidc, clientID: 'c', issuerURL: oidc.issuerURL },
        shootNetworkingFilterDisabled: true,
      },
      administrators: ['new@example.test'],
    },
  );
});

test('empty lists and empty objects change nothing', () => {
  const nothing = { administrators: [], oidc: { clientID: '' } };
  const before = { ...current, oidc };
  assert.deepEqual(mergedParameters(before, nothing), before);
  assert.deepEqual(shootUpdate({ current: before, update: nothing, userId }, clusterSettings), {
    gardenerConfig: { shootNetworkingFilterDisabled: false },
    administrators: ['old@example.test'],
  });
});

test('an instance keeps what an update leaves out, and not that it was to expire', () => {
  assert.deepEqual(
    mergedParameters({ ...current, oidc }, { oidc: { clientID: 'd' }, expired: true }),
    {
      ...current,
      oidc: { clientID: 'd' },
    },
  );
});

test('whoever ordered a cluster administers it, unless others are named', () => {
  assert.deepEqual(administratorsOf({}, userId), [userId]);
  assert.deepEqual(administratorsOf({ administrators: [] }, userId), [userId]);
  assert.deepEqual(administratorsOf(current, userId), ['old@example.test']);
});
