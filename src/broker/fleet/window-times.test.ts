import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { MaintenancePolicy, Shoot } from '#clients';
import { weekdays } from './maintenance-window.ts';
import { windowTimesOf } from './window-times.ts';

const policy: MaintenancePolicy = {
  rules: [
    {
      match: { plan: 'trial|free' },
      days: ['Mon', 'Tue'],
      timeBegin: '010000+0000',
      timeEnd: '010000+0000',
    },
    {
      match: { globalAccountID: 'ga-1.*', region: 'europe|eu-' },
      days: ['Sat'],
      timeBegin: '200000+0000',
      timeEnd: '000000+0000',
    },
    { match: { plan: '^gcp$' }, days: ['Wed'], timeBegin: '', timeEnd: '' },
  ],
  default: { days: ['Sat', 'Sun'], timeBegin: '210000+0000', timeEnd: '230000+0000' },
};
const nothing: MaintenancePolicy = { rules: [], default: { days: [], timeBegin: '', timeEnd: '' } };
const shoot = (begin: string, end: string): Shoot => ({
  metadata: { name: 'c-1' },
  spec: { maintenance: { timeWindow: { begin, end } } },
});
const own = shoot('030000+0100', '040000+0100');
const ownTimes = { days: weekdays, opens: '030000+0100', closes: '040000+0100' };

for (const [what, [planName, globalAccount, region], ofShoot, ofPolicy, expected] of [
  ['the Shoot’s, without a policy', ['azure', 'ga-1', 'eu-1'], own, undefined, ownTimes],
  ['the Shoot’s, where the policy says nothing', ['azure', 'ga-1', 'eu-1'], own, nothing, ownTimes],
  [
    'that of the first rule that fits',
    ['trial', 'ga-1', 'eu-1'],
    own,
    policy,
    { days: ['Mon', 'Tue'], opens: '010000+0000', closes: '010000+0000' },
  ],
  [
    'that of a rule all of whose parts fit',
    ['azure', 'ga-17', 'westeurope'],
    own,
    policy,
    { days: ['Sat'], opens: '200000+0000', closes: '000000+0000' },
  ],
  [
    'the default, if a part does not fit',
    ['azure', 'ga-17', 'us-1'],
    own,
    policy,
    { days: ['Sat', 'Sun'], opens: '210000+0000', closes: '230000+0000' },
  ],
  [
    'the Shoot’s hours on the rule’s days',
    ['gcp', 'ga-2', 'us-1'],
    own,
    policy,
    { days: ['Wed'], opens: '030000+0100', closes: '040000+0100' },
  ],
  ['none, if the Shoot has none', ['gcp', 'ga-2', 'us-1'], undefined, policy, undefined],
  ['none, if nobody can read it', ['azure', 'ga-1', 'eu-1'], shoot('3', '4'), nothing, undefined],
] as const) {
  test(`the maintenance window of a runtime is ${what}`, () => {
    assert.deepEqual(
      windowTimesOf({ planName, globalAccount, region }, ofShoot, ofPolicy),
      expected,
    );
  });
}
