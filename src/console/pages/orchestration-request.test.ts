import assert from 'node:assert/strict';
import { test } from 'node:test';
import { emptyDraft, problemsOf, requestOf } from './orchestration-request.ts';

test('an empty form asks for all runtimes, now', () => {
  assert.deepEqual(problemsOf(emptyDraft), {});
  assert.deepEqual(requestOf(emptyDraft), {
    targets: { include: [{ target: 'all' }] },
    strategy: {
      type: 'parallel',
      schedule: 'now',
      maintenanceWindow: false,
      parallel: { workers: 5 },
    },
    dryRun: false,
  });
});

test('what is typed becomes targets, waves and a budget', () => {
  const draft = {
    ...emptyDraft,
    kind: 'cluster' as const,
    version: '1.27.1',
    plan: 'azure',
    region: 'europe',
    exclude: 'ga-9',
    waves: '1, 25%',
    soak: '10m',
    budget: '10%',
  };
  const { targets, strategy, kubernetes } = requestOf(draft);
  assert.deepEqual(targets, {
    include: [{ planName: 'azure', region: 'europe' }],
    exclude: [{ globalAccount: 'ga-9' }],
  });
  assert.deepEqual(strategy.waves, [{ size: 1 }, { percent: 25 }]);
  assert.equal(strategy.waveSoak, '10m');
  assert.deepEqual(strategy.errorBudget, { percent: 10 });
  assert.deepEqual(kubernetes, { kubernetesVersion: '1.27.1' });
  assert.deepEqual(requestOf({ ...emptyDraft, budget: '0' }).strategy.errorBudget, { failures: 0 });
});

for (const [field, value] of [
  ['workers', '0'],
  ['workers', 'many'],
  ['waves', '1, all'],
  ['budget', 'some'],
  ['soak', 'a while'],
] as const)
  test(`${value} as ${field} is refused beside the field`, () => {
    assert.deepEqual(Object.keys(problemsOf({ ...emptyDraft, [field]: value })), [field]);
  });
