import assert from 'node:assert/strict';
import { test } from 'node:test';
import { lmsTenantOf, sendsLogsToLms } from './lms-tenant.ts';

for (const [region, expected] of [
  ['westeurope', 'eu'],
  ['westus2', 'eu'],
  ['FranceCentral', 'eu'],
  ['eastus', 'us'],
  ['EastUS2EUAP', 'us'],
  ['japaneast', 'aus'],
  ['europe-west3', 'eu'],
] as const) {
  test(`the logging tenant of a runtime in ${region} is in ${expected}`, () => {
    assert.equal(lmsTenantOf({ globalAccount: 'ga', region }, {}).region, expected);
    assert.equal(lmsTenantOf({ globalAccount: 'ga', region }, { region: 'us' }).region, 'us');
  });
}

test('a tenant is named by the letters and digits of its account, fifty at most', () => {
  const name = (globalAccount: string) => lmsTenantOf({ globalAccount, region: '' }, {}).name;
  assert.equal(name('GA-0000.a_1'), 'GA0000a1');
  assert.equal(name('x'.repeat(60)).length, 50);
});

test('logs are sent by all accounts, or by those that are named, however they are written', () => {
  const account = { globalAccount: 'GA-1' };
  assert.ok(sendsLogsToLms(account, { accounts: 'all' }));
  assert.ok(sendsLogsToLms(account, { accounts: ['ga-1'] }));
  assert.ok(!sendsLogsToLms(account, { accounts: ['ga-2'] }));
  assert.ok(!sendsLogsToLms(account, { accounts: [] }));
});
