import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eventHubsName, needsEventHubs } from './event-hubs.ts';

for (const [version, expected] of [
  ['1.11.0', true],
  ['1.20.9', true],
  ['1.21.0', false],
  ['1.24.10', false],
  ['2.0.4', false],
  ['main-0a1b2c3d', false],
] as const) {
  test(`Kyma ${version} ${expected ? 'needs' : 'does without'} Event Hubs`, () => {
    assert.equal(needsEventHubs(version), expected);
  });
}

test('group and namespace are named after the instance, beginning with a letter', () => {
  assert.equal(eventHubsName({ id: '3F2A-1' }), 'k3f2a-1');
});
