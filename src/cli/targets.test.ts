import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Runtime } from './service/shapes.ts';
import { isMeant, readTarget, readTargets } from './targets.ts';

for (const [text, target] of [
  ['all', { target: 'all' }],
  ['account=ga-1.*', { globalAccount: 'ga-1.*' }],
  ['plan=azure,region=europe|eu-', { planName: 'azure', region: 'europe|eu-' }],
  ['shoot=c-1,subaccount=sa', { shoot: 'c-1', subAccount: 'sa' }],
  ['runtime-id=r-1', { runtimeID: 'r-1' }],
  ['instance-id=i-1', { instanceID: 'i-1' }],
] as const)
  test(`--target ${text} is understood`, () => {
    assert.deepEqual(readTarget(text, '--target'), target);
  });

for (const [text, flag, message] of [
  ['colour=red', '--target', 'invalid selector: --target colour=red'],
  ['all', '--target-exclude', 'invalid selector: --target-exclude all'],
  ['account', '--target', '--target account is missing required value (account={VALUE})'],
  ['plan=gold', '--target', 'invalid value for selector: --target plan=gold'],
  ['region=(', '--target', 'invalid value for selector: --target region=('],
  ['constructor=x', '--target', 'invalid selector: --target constructor=x'],
] as const)
  test(`${flag} ${text} is refused`, () => {
    assert.throws(() => readTarget(text, flag), { message, ending: 'usage' });
  });

test('without a target nothing is meant', () => {
  assert.throws(() => readTargets([], []), {
    message: 'at least one runtime target must be specified with --target',
  });
});

const runtime: Runtime = {
  instanceID: 'i-1',
  runtimeID: 'r-1',
  globalAccountID: 'ga-17',
  subAccountID: 'sa-1',
  region: 'westeurope',
  shootName: 'c-1',
  servicePlanName: 'azure',
  status: { createdAt: '2026-01-01T00:00:00Z', state: 'succeeded' },
};

for (const [include, exclude, isIt] of [
  ['all', undefined, true],
  ['account=ga-1', undefined, true],
  ['account=ga-1,plan=aws', undefined, false],
  ['plan=azure,region=europe', undefined, true],
  ['runtime-id=r-1,plan=aws', undefined, true],
  ['runtime-id=r-2', undefined, false],
  ['shoot=c', undefined, false],
  ['all', 'shoot=c-1', false],
  ['all', 'subaccount=^sa-2', true],
] as const)
  test(`--target ${include}${exclude ? ` --target-exclude ${exclude}` : ''} means ${isIt ? 'it' : 'another one'}`, () => {
    const targets = readTargets([include], exclude ? [exclude] : []);
    assert.equal(isMeant(runtime, targets.include, targets.exclude), isIt);
  });
