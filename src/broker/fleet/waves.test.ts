import assert from 'node:assert/strict';
import { test } from 'node:test';
import { budgetExceeded } from './error-budget.ts';
import { standingOf } from './progress.ts';
import { waveOfEach, waveSizes } from './waves.ts';

for (const [waves, total, sizes] of [
  [[], 5, [5]],
  [[], 0, []],
  [[{ size: 2 }], 5, [2, 3]],
  [[{ size: 2 }, { percent: 50 }], 10, [2, 5, 3]],
  [[{ percent: 1 }], 10, [1, 9]],
  [[{ percent: 100 }], 10, [10]],
  [[{ size: 10 }, { size: 10 }], 12, [10, 2]],
  [[{ size: 10 }, { size: 10 }], 10, [10]],
  [[{ size: 50 }, { percent: 5 }], 2_000, [50, 100, 1_850]],
] as const) {
  test(`waves of ${JSON.stringify(waves)} among ${total} have ${sizes.join(', ') || 'nobody'}`, () => {
    assert.deepEqual(waveSizes(waves, total), sizes);
    assert.equal(waveOfEach(waves, total).length, total);
  });
}

test('each runtime belongs to one wave, in order', () => {
  assert.deepEqual(waveOfEach([{ size: 1 }, { size: 2 }], 5), [1, 2, 2, 3, 3]);
});

for (const [budget, failed, forgiven, inBegunWaves, isExceeded] of [
  [undefined, 100, 0, 100, false],
  [{ failures: 0 }, 0, 0, 10, false],
  [{ failures: 0 }, 1, 0, 10, true],
  [{ failures: 5 }, 5, 0, 10, false],
  [{ failures: 5 }, 6, 0, 10, true],
  [{ failures: 5 }, 6, 6, 10, false],
  [{ failures: 5 }, 12, 6, 100, true],
  [{ percent: 10 }, 1, 0, 10, false],
  [{ percent: 10 }, 2, 0, 10, true],
  [{ percent: 10 }, 2, 0, 20, false],
  [{ percent: 0 }, 1, 0, 2_000, true],
] as const) {
  const what = `${failed} failures (${forgiven} known) among ${inBegunWaves}`;
  test(`${what} are ${isExceeded ? 'too many' : 'borne'} with the budget ${JSON.stringify(budget ?? 'none')}`, () => {
    const why = budgetExceeded(budget, { failed, forgiven, inBegunWaves });
    assert.equal(why !== undefined, isExceeded, why ?? 'they are borne');
  });
}

test('a wave that has not begun does not add to what is borne', () => {
  const row = { superseded: false, lastEnd: new Date(0) };
  const { inBegunWaves, wave, waveBefore } = standingOf([
    { ...row, wave: 1, state: 'failed', count: 10 },
    { ...row, wave: 2, state: 'pending', count: 200, lastEnd: null },
  ]);
  assert.deepEqual([inBegunWaves, wave, waveBefore], [10, 2, new Date(0)]);
});
