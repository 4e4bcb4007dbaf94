import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hours, minutes, seconds } from '#time';
import { BrokerConfig } from './broker-config.ts';
import { BadSettings, readSettings } from './read-settings.ts';

const enough = {
  ENCRYPTION_KEYS: 'k1:key',
  AUTHENTICATION: 'off',
  KYMA_VERSION: '2.18.0',
  KYMA_DASHBOARD_URL: 'https://dashboard.example.com',
  SHOOT_DOMAIN: 'kyma.example.com',
  KUBERNETES_VERSION: '1.26.5',
  DEFAULT_OIDC_CLIENT_ID: 'kyma',
  DEFAULT_OIDC_ISSUER_URL: 'https://issuer.example.com',
  PROVISIONER_URL: 'https://provisioner.example.com/graphql',
  GARDENER_PROJECT: 'kyma',
  GARDENER_KUBECONFIG_PATH: '/etc/garden.yaml',
  CONTROL_PLANE_KUBECONFIG_PATH: '/etc/control-plane.yaml',
};
const read = (changes: Readonly<Record<string, string>> = {}) =>
  readSettings(BrokerConfig, { ...enough, ...changes });

test('what is not set has the default of the founding documents', () => {
  assert.partialDeepStrictEqual(read(), {
    OPERATION_TIMEOUT: hours(24),
    PROVISIONER_UPDATE_TIMEOUT: minutes(40),
    UPGRADE_TIMEOUT: hours(3),
    MAINTENANCE_NOTICE_TIMEOUT: minutes(10),
    BROKER_ENABLE_PLAN_UPGRADES: false,
    AVS_MAINTENANCE_MODE_DURING_UPGRADE_DISABLED: false,
    AVS_MAINTENANCE_MODE_DURING_UPGRADE_ALWAYS_DISABLED_GLOBAL_ACCOUNTS: [],
  });
});

test('what is set is read as what it means', () => {
  assert.partialDeepStrictEqual(
    read({
      UPGRADE_TIMEOUT: '1h30m',
      MAINTENANCE_NOTICE_TIMEOUT: '90s',
      BROKER_ENABLE_PLAN_UPGRADES: 'true',
      AVS_MAINTENANCE_MODE_DURING_UPGRADE_ALWAYS_DISABLED_GLOBAL_ACCOUNTS: 'ga-1, ga-2',
    }),
    {
      UPGRADE_TIMEOUT: minutes(90),
      MAINTENANCE_NOTICE_TIMEOUT: seconds(90),
      BROKER_ENABLE_PLAN_UPGRADES: true,
      AVS_MAINTENANCE_MODE_DURING_UPGRADE_ALWAYS_DISABLED_GLOBAL_ACCOUNTS: ['ga-1', 'ga-2'],
    },
  );
});

for (const [name, value, complaint] of [
  ['UPGRADE_TIMEOUT', '3 hours', /UPGRADE_TIMEOUT: expected a duration such as 90s, 30m or 1h30m/],
  ['BROKER_ENABLE_PLAN_UPGRADES', 'yes', /BROKER_ENABLE_PLAN_UPGRADES: .*"true"\|"false"/],
] as const) {
  test(`${name}=${value} will not do`, () => {
    assert.throws(
      () => read({ [name]: value }),
      (error) => error instanceof BadSettings && complaint.test(error.message),
    );
  });
}
