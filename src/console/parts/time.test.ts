import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fromNow, inWords, tickDistance } from './time.ts';

for (const [ms, words] of [
  [0, '0 ms'],
  [-5, '0 ms'],
  [999, '999 ms'],
  [1_234, '1.2 s'],
  [59_400, '59 s'],
  [250_000, '4 min 10 s'],
  [3_599_900, '60 min'],
  [3 * 3_600_000, '3 h'],
  [52 * 3_600_000, '2 d 4 h'],
] as const)
  test(`${ms} milliseconds are ${words}`, () => assert.equal(inWords(ms), words));

for (const [at, words] of [
  [1_000, 'just now'],
  [-12_000, '12 s ago'],
  [12_000, 'in 12 s'],
  [-180_000, '3 min ago'],
  [-47 * 3_600_000, '47 h ago'],
  [-72 * 3_600_000, '3 d ago'],
] as const)
  test(`${at} milliseconds from now is ${words}`, () => assert.equal(fromNow(at, 0), words));

test('marks of an axis stand at round times, and never too close', () => {
  for (const span of [1, 17, 900, 12_345, 400_000, 86_400_000, 1e11]) {
    const distance = tickDistance(span, 8);
    assert.ok(span / distance <= 8, `${span} / ${distance}`);
  }
  assert.equal(tickDistance(60_000, 6), 10_000);
});
