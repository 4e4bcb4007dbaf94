import assert from 'node:assert/strict';
import { test } from 'node:test';
import { days, hours, inWords, milliseconds, minutes, seconds } from './duration.ts';

test('durations are numbers of milliseconds', () => {
  assert.deepEqual(
    [milliseconds(3), seconds(3), minutes(3), hours(3), days(3)],
    [3, 3_000, 180_000, 10_800_000, 259_200_000],
  );
});

test('each unit is made of the next smaller one, and may be divided', () => {
  assert.equal(days(1), hours(24));
  assert.equal(hours(1), minutes(60));
  assert.equal(minutes(1), seconds(60));
  assert.equal(seconds(1), milliseconds(1_000));
  assert.equal(hours(0.5), minutes(30));
});

for (const [duration, words] of [
  [0, '0 ms'],
  [1, '1 ms'],
  [999, '999 ms'],
  [seconds(1), '1 s'],
  [seconds(1) + 5, '1 s 5 ms'],
  [seconds(45), '45 s'],
  [minutes(1), '1 min'],
  [minutes(1) - 1, '59 s 999 ms'],
  [minutes(90), '1 h 30 min'],
  [hours(6), '6 h'],
  [hours(24), '1 d'],
  [hours(25), '1 d 1 h'],
  [days(400), '400 d'],
  [days(1) + hours(2) + minutes(3) + seconds(4) + 5, '1 d 2 h'],
  [hours(2) + minutes(3) + seconds(4), '2 h 3 min'],
  [minutes(3) + seconds(4) + 5, '3 min 4 s'],
  [days(1) + minutes(3), '1 d'],
  [hours(1) + seconds(59), '1 h'],
  [minutes(1) + 999, '1 min'],
  [0.4, '0 ms'],
  [0.5, '1 ms'],
  [59_999.6, '1 min'],
  [-seconds(5), '0 ms'],
] as const) {
  test(`${duration} ms in words, its two largest units, is ${words}`, () => {
    assert.equal(inWords(duration), words);
  });
}
