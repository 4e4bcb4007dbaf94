import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { minutes } from '#time';
import { PendingSteps } from './pending-steps.ts';
import { SimulatedTime } from './simulated-time.ts';

function setUp(t: TestContext) {
  const time = new SimulatedTime(1);
  t.after(() => time.stop());
  const taken: string[] = [];
  const steps = new PendingSteps<string>(time, (step, key) => taken.push(`${key} ${step}`));
  return { time, steps, taken };
}

test('each key has one step to come: the last one that was named', (t) => {
  const { time, steps, taken } = setUp(t);
  steps.next('lamp', minutes(1), 'glows');
  steps.next('oven', minutes(1), 'warms');
  steps.next('lamp', minutes(2), 'breaks');
  steps.next('door', minutes(1), 'opens');
  steps.cancel('door');
  time.advance(minutes(1.5));
  assert.deepEqual(taken, ['oven warms']);
  time.advance(minutes(1));
  assert.deepEqual(taken, ['oven warms', 'lamp breaks']);
});

test('what was to come when it was saved comes when it is restored, at its own time', (t) => {
  const before = setUp(t);
  before.steps.next('lamp', minutes(10), 'glows');
  before.time.advance(minutes(6));
  const { time, steps, taken } = setUp(t);
  time.state.restore(before.time.state.save());
  steps.state.restore(before.steps.state.save());
  time.advance(minutes(3));
  assert.deepEqual(taken, []);
  time.advance(minutes(1));
  assert.deepEqual(taken, ['lamp glows']);
});
