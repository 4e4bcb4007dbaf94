import assert from 'node:assert/strict';
import { test } from 'node:test';
import { z } from 'zod';
import { days, hours } from '#time';
import { checkJobSettings, jobSettings } from './job-settings.ts';
import { BadSettings, readSettings } from './read-settings.ts';

const Jobs = z.object({ ...jobSettings, SHOOT_DOMAIN: z.string() }).superRefine(checkJobSettings);
const read = (environment: Record<string, string>) =>
  readSettings(Jobs, { SHOOT_DOMAIN: 'kyma.dev.example.com', ...environment });

test('each job has a schedule; what touches what customers have is a dry run unless told otherwise', () => {
  const settings = read({});
  const table = Object.keys(settings)
    .filter((name) => name.endsWith('_DRY_RUN'))
    .map((name) => name.replace(/_DRY_RUN$/, ''))
    .map((job) => {
      const of = (part: string) =>
        Object.entries(settings).find(([name]) => name === job + part)?.[1];
      return [job, of('_ENABLED'), of('_SCHEDULE'), of('_DRY_RUN')];
    });
  assert.deepEqual(table, [
    ['DEPROVISION_RETRIGGER', true, '0 2 * * *', true],
    ['TRIAL_EXPIRATION', true, '15 1 * * *', true],
    ['FREE_EXPIRATION', true, '0,15,30,45 * * * *', true],
    ['SUBACCOUNT_CLEANUP', false, '0 1 * * *', false],
    ['SUBSCRIPTION_CLEANUP', true, '0 2,14 * * *', false],
    ['ENVIRONMENTS_CLEANUP', false, '0 0 * * *', true],
    ['RUNTIME_RECONCILER', true, '0 0 * * *', true],
    ['BINDING_CLEANUP', true, '0 2,14 * * *', false],
    ['ARCHIVING', true, '30 3 * * *', false],
    ['EVENT_RETENTION', true, '0 * * * *', false],
  ]);
  assert.equal(settings.TRIAL_EXPIRATION_PERIOD, days(14));
  assert.equal(settings.FREE_EXPIRATION_PERIOD, days(90));
  assert.equal(settings.EVENT_RETENTION_KEEP, hours(336));
});

test('a bad setting is refused by its name', () => {
  const cis = { CIS_AUTH_URL: 'https://a.example.com', CIS_CLIENT_ID: 'a' };
  for (const [environment, complaint] of [
    [
      { ARCHIVING_SCHEDULE: 'every day' },
      /^ARCHIVING_SCHEDULE: is 'every day': expected minute, hour/,
    ],
    [{ ARCHIVING_SCHEDULE: '0 2 * *' }, /^ARCHIVING_SCHEDULE: is '0 2 \* \*': expected/],
    [{ ARCHIVING_SCHEDULE: '61 2 * * *' }, /^ARCHIVING_SCHEDULE: is '61 2 \* \* \*': expected/],
    [{ ARCHIVING_SCHEDULE: '* 0 2 * * *' }, /^ARCHIVING_SCHEDULE: /],
    [{ ARCHIVING_SCHEDULE: '0 0 31 2 *' }, /^ARCHIVING_SCHEDULE: .*never comes/],
    [{ DEPROVISION_RETRIGGER_DRY_RUN: 'no' }, /^DEPROVISION_RETRIGGER_DRY_RUN: /],
    [{ TRIAL_EXPIRATION_PERIOD: '14d' }, /^TRIAL_EXPIRATION_PERIOD: expected a duration/],
    [
      { SUBACCOUNT_CLEANUP_ENABLED: 'true' },
      /^CIS_EVENT_SERVICE_URL: needed with SUBACCOUNT_CLEANUP_ENABLED/,
    ],
    [
      { ...cis, CIS_EVENT_SERVICE_URL: 'https://e.example.com' },
      /^CIS_CLIENT_SECRET: needed with CIS_EVENT_SERVICE_URL/,
    ],
    [{ CIS_VERSION: 'v3' }, /^CIS_VERSION: /],
    ...['https://ec2.amazonaws.com', 'ec2.{region}', 'file:///{region}'].map(
      (url) =>
        [{ AWS_EC2_URL: url }, /^AWS_EC2_URL: is '.+': expected a URL with \{region\}/] as const,
    ),
    [{ AWS_HOME_REGION: 'a.example.com/' }, /^AWS_HOME_REGION: is 'a\.example\.com\/': expected/],
    [
      { ENVIRONMENTS_CLEANUP_ENABLED: 'true' },
      /^ENVIRONMENTS_CLEANUP_DEV_DOMAIN: needed with ENVIRONMENTS_CLEANUP_ENABLED/,
    ],
    [
      { ENVIRONMENTS_CLEANUP_DEV_DOMAIN: 'prod.example.com' },
      /^ENVIRONMENTS_CLEANUP_DEV_DOMAIN: is prod\.example\.com: SHOOT_DOMAIN kyma\.dev\.example\.com is not below it/,
    ],
  ] as const)
    assert.throws(
      () => read(environment),
      (error: unknown) => {
        assert.ok(error instanceof BadSettings);
        assert.match(error.message, complaint);
        return true;
      },
    );
  assert.equal(
    read({
      ENVIRONMENTS_CLEANUP_ENABLED: 'true',
      ENVIRONMENTS_CLEANUP_DEV_DOMAIN: 'dev.example.com',
    }).ENVIRONMENTS_CLEANUP_ENABLED,
    true,
  );
});
