import assert from 'node:assert/strict';
import { test } from 'node:test';
import { shownTime } from './since-time.ts';

const now = new Date('2026-11-15T13:30:00Z');

for (const [flag, text, time] of [
  ['--after', '2026/11/14 08:00:01', '2026-11-14T08:00:01.000Z'],
  ['--after', '08:00:01 2026/11/14', '2026-11-14T08:00:01.000Z'],
  ['--after', '08:00:01', '2026-11-15T08:00:01.000Z'],
  ['--after', '2026/11/14', '2026-11-14T23:59:59.000Z'],
  ['--before', '2026/11/14', '2026-11-14T00:00:00.000Z'],
  ['--before', '2h', '2026-11-15T11:30:00.000Z'],
  ['--before', '2026-11-14T08:00:01+01:00', '2026-11-14T07:00:01.000Z'],
] as const)
  test(`${flag} ${text} is ${time}`, () => {
    assert.equal(shownTime(flag, text, now), time);
  });

for (const text of [
  '',
  'x 08:00:01',
  '2026/11/14 2026/11/14',
  '25:00:00',
  '2026/02/31',
  'undefined',
])
  test(`--before "${text}" is refused`, () => {
    assert.throws(() => shownTime('--before', text, now), /--before is .*: write 2026\/11\/15/);
  });
