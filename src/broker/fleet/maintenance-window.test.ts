import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isTimeOfDay, weekdays, windowAt } from './maintenance-window.ts';

// 2026-11-02 is a Monday.
for (const [what, days, opens, closes, at, begin, end] of [
  ['today, later', [], '210000+0000', '230000+0000', '02T10:00', '02T21:00', '02T23:00'],
  ['open now', [], '210000+0000', '230000+0000', '02T22:00', '02T21:00', '02T23:00'],
  ['at the moment it opens', [], '210000+0000', '230000+0000', '02T21:00', '02T21:00', '02T23:00'],
  ['at the moment it closes', [], '210000+0000', '230000+0000', '02T23:00', '03T21:00', '03T23:00'],
  ['across midnight', [], '220000+0000', '020000+0000', '02T10:00', '02T22:00', '03T02:00'],
  ['since yesterday', [], '220000+0000', '020000+0000', '02T01:00', '01T22:00', '02T02:00'],
  ['until midnight', ['Sat'], '200000+0000', '000000+0000', '02T10:00', '07T20:00', '08T00:00'],
  ['a whole day', ['Mon'], '010000+0000', '010000+0000', '02T02:00', '02T01:00', '03T01:00'],
  [
    'since the day before',
    ['Sat'],
    '220000+0000',
    '020000+0000',
    '08T01:00',
    '07T22:00',
    '08T02:00',
  ],
  [
    'not one that opens today',
    ['Sat'],
    '220000+0000',
    '020000+0000',
    '08T03:00',
    '14T22:00',
    '15T02:00',
  ],
  [
    'on the next day that is allowed',
    ['Wed', 'Fri'],
    '010000+0000',
    '020000+0000',
    '02T10:00',
    '04T01:00',
    '04T02:00',
  ],
  [
    'later in the week',
    ['Wed', 'Fri'],
    '010000+0000',
    '020000+0000',
    '04T10:00',
    '06T01:00',
    '06T02:00',
  ],
  ['in the next week', ['Mon'], '010000+0000', '020000+0000', '02T10:00', '09T01:00', '09T02:00'],
  [
    'in the next week, from Sunday',
    ['Mon'],
    '010000+0000',
    '020000+0000',
    '08T10:00',
    '09T01:00',
    '09T02:00',
  ],
  [
    'where the clock is ahead',
    [],
    '010000+0200',
    '030000+0200',
    '02T10:00',
    '02T23:00',
    '03T01:00',
  ],
  [
    'where it is Tuesday already',
    ['Tue'],
    '010000+0200',
    '030000+0200',
    '02T22:30',
    '02T23:00',
    '03T01:00',
  ],
  [
    'where the clock is behind',
    [],
    '220000-0530',
    '230000-0530',
    '02T10:00',
    '03T03:30',
    '03T04:30',
  ],
  [
    'where it is Sunday still',
    ['Sun'],
    '220000-0500',
    '230000-0500',
    '02T02:00',
    '02T03:00',
    '02T04:00',
  ],
  ['with two offsets', [], '200000+0000', '210000+0200', '02T19:30', '02T20:00', '03T19:00'],
] as const) {
  test(`a maintenance window: ${what}`, () => {
    const time = (text: string) => new Date(`2026-11-${text}:00Z`);
    const found = windowAt({ days, opens, closes }, time(at));
    assert.deepEqual(found, { begin: time(begin), end: time(end) });
  });
}

test('there is a window for every set of days and every hour, open or ahead by a week at most', () => {
  const start = Date.UTC(2026, 10, 2);
  for (const day of weekdays)
    for (let hour = 0; hour < 24 * 8; hour += 1) {
      const at = new Date(start + hour * 3_600_000);
      const { begin, end } = windowAt(
        { days: [day], opens: '233000+0100', closes: '003000+0100' },
        at,
      );
      assert.ok(end > at && begin.getTime() - at.getTime() <= 7 * 86_400_000);
      assert.equal(end.getTime() - begin.getTime(), 3_600_000);
    }
});

test('what is no time of a day is known as such', () => {
  for (const text of ['210000+0000', '000000-1130']) assert.ok(isTimeOfDay(text), text);
  for (const text of ['', '21:00', '250000+0000', '210000', '210060+0000'])
    assert.ok(!isTimeOfDay(text), text);
});
