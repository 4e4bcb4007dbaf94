import assert from 'node:assert/strict';
import { test } from 'node:test';
import { InvalidParameters } from './invalid-parameters.ts';
import { checkPlanUpdate, createPlans } from './plans.ts';
import { platformOf } from './platform.ts';
import { catalog, everythingOn, planNamed, plans } from './testing.ts';

test('only enabled plans can be ordered, and instances of the others are still known', () => {
  const few = createPlans(catalog, { ...everythingOn, enabledPlans: ['gcp', 'aws'] });
  assert.deepEqual(
    few.enabled.map(({ name }) => name),
    ['aws', 'gcp'],
  );
  const { id } = planNamed('azure');
  assert.equal(few.get(id), undefined);
  assert.equal(few.find(id)?.name, 'azure');
  assert.equal(few.find('no such id'), undefined);
});

test('an unknown plan among the enabled ones stops the start', () => {
  assert.throws(() => createPlans(catalog, { ...everythingOn, enabledPlans: ['azur'] }), {
    message: /^unrecognized azur plan name: the catalog has azure, /,
  });
});

test('a provider for trials that has none stops the start', () => {
  assert.throws(() => createPlans(catalog, { ...everythingOn, trialProvider: 'openstack' }), {
    message: 'plan trial is not offered on openstack',
  });
});

test('an instance may change to the plans that its plan names, and stay what it is', () => {
  checkPlanUpdate(planNamed('aws'), planNamed('build-runtime-aws'));
  checkPlanUpdate(planNamed('trial'), planNamed('trial'));
});

test('no other change of plan is allowed, and none at all unless it is switched on', () => {
  const refused = (from: string, to: string, message: string, planUpdates = true) =>
    assert.throws(
      () => checkPlanUpdate(planNamed(from, { planUpdates }), planNamed(to)),
      (error) => error instanceof InvalidParameters && error.message === message,
    );
  refused('aws', 'gcp', 'plan upgrade from aws to gcp is not allowed (allowed: build-runtime-aws)');
  refused('trial', 'aws', 'plan upgrade from trial to aws is not allowed (allowed: none)');
  refused(
    'gcp',
    'build-runtime-gcp',
    'plan upgrade from gcp to build-runtime-gcp is not allowed (allowed: none)',
    false,
  );
});

test('the first digit of the path region tells where the platform runs', () => {
  const table = [
    ['cf-eu01', 'SapConvergedCloud'],
    ['cf-eu10', 'AWS'],
    ['cf-us20', 'Azure'],
    ['cf-eu30', 'GCP'],
    ['cf-cn40', 'Alicloud'],
    ['cf-eu90', 'unknown'],
    ['somewhere', 'unknown'],
  ] as const;
  for (const [region, provider] of table) {
    assert.deepEqual(platformOf(region, 'cf-eu10'), { region, provider });
  }
  assert.deepEqual(platformOf(undefined, 'cf-eu10'), { region: 'cf-eu10', provider: 'unknown' });
});

test('all plans of the catalog can be on offer at once', () => {
  assert.equal(plans.enabled.length, Object.keys(catalog.plans).length);
});
