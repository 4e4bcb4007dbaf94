import assert from 'node:assert/strict';
import { test } from 'node:test';
import { shootUpgrade } from './shoot-upgrade.ts';
import { clusterSettings } from './testing.ts';

const owner = { parameters: { name: 'demo' }, userId: 'me@example.com' };

test('an upgrade that names no versions brings those of the landscape', () => {
  const settings = { ...clusterSettings, machineImage: 'linux', machineImageVersion: '1' };
  assert.deepEqual(shootUpgrade({}, owner, settings), {
    gardenerConfig: {
      kubernetesVersion: '1.26.5',
      machineImage: 'linux',
      machineImageVersion: '1',
      enableKubernetesVersionAutoUpdate: true,
      enableMachineImageVersionAutoUpdate: false,
      oidcConfig: clusterSettings.oidc,
      shootNetworkingFilterDisabled: false,
    },
    administrators: ['me@example.com'],
  });
});

test('versions that are named count, and no version goes with an image that it is not of', () => {
  const settings = { ...clusterSettings, machineImage: 'linux', machineImageVersion: '1' };
  const wanted = { kubernetesVersion: '1.27.4', machineImage: 'other' };
  const { gardenerConfig } = shootUpgrade(wanted, { ...owner, licenseType: 'TRIAL' }, settings);
  assert.equal(gardenerConfig.kubernetesVersion, '1.27.4');
  assert.equal(gardenerConfig.machineImage, 'other');
  assert.equal(gardenerConfig.machineImageVersion, undefined);
  assert.equal(gardenerConfig.shootNetworkingFilterDisabled, true);
});

test('who may enter, and how, stays as it was ordered', () => {
  const parameters = {
    administrators: ['a@b.c'],
    oidc: { clientID: 'mine', issuerURL: 'https://i' },
  };
  const { gardenerConfig, administrators } = shootUpgrade(
    {},
    { ...owner, parameters },
    clusterSettings,
  );
  assert.deepEqual(administrators, ['a@b.c']);
  assert.equal(gardenerConfig.oidcConfig?.clientID, 'mine');
});
