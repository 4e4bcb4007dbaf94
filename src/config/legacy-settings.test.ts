import assert from 'node:assert/strict';
import { test } from 'node:test';
import { z } from 'zod';
import { checkLegacySettings, legacySettings } from './legacy-settings.ts';
import { readSettings } from './read-settings.ts';

const Config = z
  .object({ ...legacySettings, KYMA_VERSION: z.string().default('2.18.0') })
  .superRefine(checkLegacySettings);

test('nothing of the older operations is on by itself', () => {
  const config = readSettings(Config, {});
  assert.equal(config.BROKER_OPERATIONS, 'current');
  assert.equal(config.AZURE_EVENT_HUBS, false);
  assert.equal(config.LMS_MANDATORY, false);
  for (const name of ['IAS_REGISTRATION', 'LMS_URL', 'SERVICE_MANAGER_OVERRIDE_MODE'] as const)
    assert.equal(config[name], undefined);
});

for (const [environment, complaint] of [
  [{ BROKER_OPERATIONS: 'old' }, /BROKER_OPERATIONS: .*"current"\|"legacy"/],
  [{ BROKER_OPERATIONS: 'legacy' }, /KYMA_VERSION: .*must be a version 1\.x/],
  [
    { LMS_URL: 'https://lms.example.com' },
    /LMS_TOKEN: needed with LMS_URL\nLMS_SAML_TENANT: needed with LMS_URL/,
  ],
  [
    { SERVICE_MANAGER_OVERRIDE_MODE: 'Always' },
    /SERVICE_MANAGER_URL: needed with SERVICE_MANAGER_OVERRIDE_MODE Always$/,
  ],
  [{ SERVICE_MANAGER_OVERRIDE_MODE: 'always' }, /SERVICE_MANAGER_OVERRIDE_MODE: /],
] as const) {
  test(`${JSON.stringify(environment)} will not do`, () => {
    assert.throws(() => readSettings(Config, environment), complaint);
  });
}
