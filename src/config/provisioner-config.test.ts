import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hours, minutes } from '#time';
import { ProvisionerConfig } from './provisioner-config.ts';
import { BadSettings, readSettings } from './read-settings.ts';

const enough = {
  ENCRYPTION_KEYS: 'k1:key',
  GARDENER_PROJECT: 'kyma',
  GARDENER_KUBECONFIG_PATH: '/etc/garden.yaml',
  AUTHENTICATION: 'off',
};
const director = {
  DIRECTOR_URL: 'https://director.example.com/graphql',
  DIRECTOR_TOKEN_URL: 'https://director.example.com/token',
  DIRECTOR_CLIENT_ID: 'id',
  DIRECTOR_CLIENT_SECRET: 'secret',
};
const read = (changes: Readonly<Record<string, string>> = {}) =>
  readSettings(ProvisionerConfig, { ...enough, ...changes });

test('what is not set has the default of the founding documents', () => {
  assert.partialDeepStrictEqual(read(), {
    PROVISIONER_PORT: 3_000,
    PROVISIONER_ENDPOINT: '/graphql',
    OPERATOR_ROLE_BINDING_CREATING_FOR_ADMIN: false,
    PROVISIONING_TIMEOUT_CLUSTER_DOMAINS: minutes(10),
    PROVISIONING_TIMEOUT_CLUSTER_CREATION: hours(2),
    PROVISIONING_TIMEOUT_BINDINGS_CREATION: minutes(5),
    DEPROVISIONING_TIMEOUT_WAITING_FOR_CLUSTER_DELETION: hours(4),
  });
});

test('what is set is read as what it means', () => {
  assert.partialDeepStrictEqual(
    read({
      ...director,
      PROVISIONER_PORT: '0',
      OPERATOR_ROLE_BINDING_CREATING_FOR_ADMIN: 'true',
      PROVISIONING_TIMEOUT_SHOOT_UPGRADE: '1h30m',
      GARDENER_DEFAULT_ENABLE_IMDSV2: '',
    }),
    {
      DIRECTOR_URL: director.DIRECTOR_URL,
      PROVISIONER_PORT: 0,
      OPERATOR_ROLE_BINDING_CREATING_FOR_ADMIN: true,
      PROVISIONING_TIMEOUT_SHOOT_UPGRADE: minutes(90),
      GARDENER_DEFAULT_ENABLE_IMDSV2: false,
    },
  );
});

for (const [name, value, complaint] of [
  ['GARDENER_PROJECT', '', /^GARDENER_PROJECT: /],
  ['GARDENER_KUBECONFIG_PATH', '', /^GARDENER_KUBECONFIG_PATH: /],
  ['ENCRYPTION_KEYS', '', /^ENCRYPTION_KEYS: /],
  ['PROVISIONER_PORT', '65536', /^PROVISIONER_PORT: /],
  ['PROVISIONER_PORT', 'http', /^PROVISIONER_PORT: /],
  ['PROVISIONER_ENDPOINT', 'graphql', /^PROVISIONER_ENDPOINT: /],
  ['PROVISIONER_INTROSPECTION', 'yes', /^PROVISIONER_INTROSPECTION: .*"true"\|"false"/],
  ['LOG_LEVEL', 'loud', /^LOG_LEVEL: .*"warn"/],
  ['DIRECTOR_URL', 'director', /^DIRECTOR_URL: /],
  [
    'PROVISIONING_TIMEOUT_CLUSTER_CREATION',
    '2 hours',
    /^PROVISIONING_TIMEOUT_CLUSTER_CREATION: expected a duration such as 90s, 30m or 1h30m$/,
  ],
] as const) {
  test(`${name}=${value} stops the process, by name`, () => {
    assert.throws(
      () => read({ [name]: value }),
      (error) => error instanceof BadSettings && complaint.test(error.message),
    );
  });
}

test('a Director needs all of its settings, and each that is missing is named', () => {
  assert.throws(
    () => read({ DIRECTOR_URL: director.DIRECTOR_URL }),
    ({ message }: Error) =>
      ['DIRECTOR_TOKEN_URL', 'DIRECTOR_CLIENT_ID', 'DIRECTOR_CLIENT_SECRET'].every((name) =>
        message.includes(`${name}: needed with DIRECTOR_URL`),
      ),
  );
});

test('a complaint repeats no value: it may be a credential', () => {
  assert.throws(
    () => read({ LOG_LEVEL: 'canary-value', PROVISIONER_PORT: 'canary-value' }),
    ({ message }: Error) => !message.includes('canary-value'),
  );
});
