import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Secret } from '#database';
import type { Instance } from './instance.ts';
import {
  changesNothing,
  concernsKyma,
  concernsShoot,
  isSame,
  withChanges,
  type WantedChanges,
} from './wanted-changes.ts';

const instance = {
  id: 'i-1',
  planId: 'p-1',
  planName: 'azure',
  maintenanceVersion: '1',
  context: {
    globalaccount_id: 'ga',
    subaccount_id: 'sa',
    user_id: 'me@example.com',
    license_type: 'CUSTOMER',
    sm_operator_credentials: new Secret('old'),
  },
  parameters: { name: 'demo', autoScalerMax: 10, kubeconfig: new Secret('old') },
  details: {},
} as unknown as Instance; // the rest concerns nobody here

type Wanted = Partial<WantedChanges>;
const oidc = { clientID: 'a', issuerURL: 'https://idp.example.com' };

for (const [what, wanted, expected] of [
  ['nothing', {}, 'nothing'],
  ['the same number', { parameters: { autoScalerMax: 10 } }, 'nothing, shoot'],
  ['another number', { parameters: { autoScalerMax: 11 } }, 'shoot'],
  ['an OIDC with nothing in it', { parameters: { oidc: {} } }, 'nothing'],
  ['an OIDC', { parameters: { oidc } }, 'shoot'],
  ['no administrators', { parameters: { administrators: [] } }, 'nothing'],
  ['administrators', { parameters: { administrators: ['a@b.c'] } }, 'shoot, kyma'],
  ['a license of the same kind', { context: { license_type: 'PARTNER' } }, ''],
  ['a license of another kind', { context: { license_type: 'SAP' } }, 'shoot'],
  ['the same license', { context: { license_type: 'CUSTOMER' } }, 'nothing'],
  ['the same kubeconfig', { parameters: { kubeconfig: new Secret('old') } }, 'nothing, kyma'],
  ['another kubeconfig', { parameters: { kubeconfig: new Secret('new') } }, 'kyma'],
  ['credentials', { context: { sm_operator_credentials: new Secret('old') } }, 'kyma'],
  ['an origin', { context: { origin: 'x' } }, ''],
  ['another plan', { plan: { id: 'p-2', name: 'other' } }, 'kyma'],
  ['the maintenance that it has had', { maintenanceVersion: '1' }, 'nothing, shoot, kyma'],
  ['maintenance', { maintenanceVersion: '2' }, 'shoot, kyma'],
] as const satisfies readonly (readonly [string, Wanted, string])[]) {
  test(`who has something to do when an update brings ${what}`, () => {
    const whole: WantedChanges = { parameters: {}, context: {}, ...wanted };
    const concerned = [
      changesNothing(instance, whole) && 'nothing',
      concernsShoot(instance, whole) && 'shoot',
      concernsKyma(whole) && 'kyma',
    ];
    assert.equal(concerned.filter(Boolean).join(', '), expected);
  });
}

test('what an update before has left unsettled is something to do', () => {
  const unsettled: Instance = { ...instance, details: { unsettled: ['machineType'] } };
  const nothing = { parameters: {}, context: {} };
  assert.ok(!changesNothing(unsettled, nothing));
  assert.ok(concernsShoot(unsettled, nothing));
});

test('the instance as it shall be has the changes, and everything else as before', () => {
  const changed = withChanges(instance, {
    plan: { id: 'p-2', name: 'other' },
    parameters: { autoScalerMax: 12 },
    context: { origin: 'x' },
    maintenanceVersion: '2',
  });
  assert.partialDeepStrictEqual(changed, {
    id: 'i-1',
    planId: 'p-2',
    planName: 'other',
    maintenanceVersion: '2',
    parameters: { name: 'demo', autoScalerMax: 12 },
    context: { user_id: 'me@example.com', origin: 'x' },
  });
  assert.equal(withChanges(instance, undefined), instance);
});

test('secrets are the same if what they hide is, and left out is left out', () => {
  assert.ok(isSame({ a: [new Secret('x')], b: undefined }, { a: [new Secret('x')] }));
  assert.ok(!isSame({ a: new Secret('x') }, { a: new Secret('y') }));
  assert.ok(!isSame({ a: new Secret('x') }, { a: '[secret]' }));
});
