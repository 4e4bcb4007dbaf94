import assert from 'node:assert/strict';
import { afterEach, test } from 'node:test';
import { MovableClock, systemClock, type Clock } from './clock.ts';
import { days, hours, minutes, seconds, type Milliseconds } from './duration.ts';

const longestTimer = 2 ** 31 - 1;

// A test that fails leaves no timer behind that would keep the process.
const callOffs: (() => void)[] = [];
afterEach(() => {
  for (const callOff of callOffs.splice(0)) callOff();
});
function putOff(clock: Clock, delay: Milliseconds, act: () => void): () => void {
  const callOff = clock.after(delay, act);
  callOffs.push(callOff);
  return callOff;
}

/** Everything that had fallen due on this clock has happened. */
const allTimers = (clock: Clock) => new Promise<void>((resolve) => void clock.after(0, resolve));

for (const [name, clock] of [
  ['the system clock', systemClock],
  ['a movable clock', new MovableClock()],
] as const) {
  test(`${name} is not ahead of the real one by itself, and never goes back`, () => {
    assert.equal(clock.offset, 0);
    const times = Array.from({ length: 1_000 }, () => clock.monotonic());
    assert.deepEqual(
      times,
      times.toSorted((a, b) => a - b),
    );
    assert.ok(Math.abs(clock.monotonic() - performance.now()) < seconds(1));
  });

  test(`${name} acts once after the delay, and not before`, (t) => {
    t.mock.timers.enable({ apis: ['setTimeout'] });
    const acted: string[] = [];
    putOff(clock, minutes(1), () => acted.push('later'));
    t.mock.timers.tick(minutes(1) - 1);
    assert.deepEqual(acted, []);
    t.mock.timers.tick(1);
    assert.deepEqual(acted, ['later']);
    t.mock.timers.tick(hours(1));
    assert.deepEqual(acted, ['later']);
  });

  test(`${name} acts as soon as it can when the delay is over already`, async () => {
    const acted: string[] = [];
    putOff(clock, -minutes(1), () => acted.push('overdue'));
    putOff(clock, 0, () => acted.push('due'));
    assert.deepEqual(acted, []); // never in the midst of the caller
    await allTimers(clock);
    assert.deepEqual(acted, ['overdue', 'due']);
  });

  test(`${name} does not act when it was called off, and may be called off too late`, async () => {
    const acted: string[] = [];
    const callOff = putOff(clock, 0, () => acted.push('called off'));
    const tooLate = putOff(clock, 0, () => acted.push('acted'));
    callOff();
    await allTimers(clock);
    tooLate();
    await allTimers(clock);
    assert.deepEqual(acted, ['acted']);
  });

  test(`${name} waits longer than a timer of Node can`, (t) => {
    t.mock.timers.enable({ apis: ['setTimeout'] });
    let acted = 0;
    putOff(clock, 2 * longestTimer + 10, () => (acted += 1));
    t.mock.timers.tick(1); // Node turns a delay that is too long into 1 ms.
    assert.equal(acted, 0);
    t.mock.timers.tick(longestTimer - 1);
    t.mock.timers.tick(longestTimer);
    t.mock.timers.tick(9);
    assert.equal(acted, 0);
    t.mock.timers.tick(1);
    assert.equal(acted, 1);
  });

  test(`${name} can be called off in a late part of a long delay`, (t) => {
    t.mock.timers.enable({ apis: ['setTimeout'] });
    const callOff = putOff(clock, days(30), () => assert.fail('was called off'));
    t.mock.timers.tick(longestTimer);
    callOff();
    t.mock.timers.tick(days(30));
  });
}

test('a movable clock that was advanced is ahead by so much', () => {
  const clock = new MovableClock();
  const before = clock.monotonic();
  clock.advance(hours(1));
  clock.advance(minutes(30));
  assert.equal(clock.offset, minutes(90));
  const ahead = clock.monotonic() - before;
  assert.ok(ahead >= minutes(90) && ahead < minutes(90) + seconds(5));
});

test('what falls due in a jump happens at once, and the rest stays', async () => {
  const clock = new MovableClock();
  const acted: string[] = [];
  putOff(clock, hours(1), () => acted.push('after an hour'));
  putOff(clock, hours(2), () => acted.push('after two hours'));
  clock.advance(minutes(59));
  await allTimers(clock);
  assert.deepEqual(acted, []);
  clock.advance(minutes(1));
  assert.deepEqual(acted, []); // never in the midst of the caller
  await allTimers(clock);
  assert.deepEqual(acted, ['after an hour']);
  clock.advance(hours(1));
  await allTimers(clock);
  assert.deepEqual(acted, ['after an hour', 'after two hours']);
});

test('a jump makes nothing happen twice', async () => {
  const clock = new MovableClock();
  let acted = 0;
  putOff(clock, hours(1), () => (acted += 1));
  clock.advance(hours(1));
  clock.advance(hours(1));
  await allTimers(clock);
  clock.advance(hours(1));
  await allTimers(clock);
  assert.equal(acted, 1);
});

test('what was called off before a jump does not happen in it', async () => {
  const clock = new MovableClock();
  const callOff = putOff(clock, hours(1), () => assert.fail('was called off'));
  clock.advance(minutes(30));
  callOff();
  clock.advance(hours(1));
  await allTimers(clock);
});

test('what is put off after a jump counts from the time that the clock shows then', async () => {
  const clock = new MovableClock();
  clock.advance(hours(5));
  const acted: string[] = [];
  putOff(clock, hours(1), () => acted.push('an hour later'));
  clock.advance(minutes(59));
  await allTimers(clock);
  assert.deepEqual(acted, []);
  clock.advance(minutes(1));
  await allTimers(clock);
  assert.deepEqual(acted, ['an hour later']);
});

test('what acts in a jump may put off more, which waits for its own time', async () => {
  const clock = new MovableClock();
  const acted: string[] = [];
  const again = () => {
    acted.push(`round ${acted.length + 1}`);
    putOff(clock, hours(1), again);
  };
  putOff(clock, hours(1), again);
  for (let round = 1; round <= 3; round += 1) {
    clock.advance(hours(1));
    await allTimers(clock);
    assert.equal(acted.length, round);
  }
  clock.advance(minutes(59));
  await allTimers(clock);
  assert.deepEqual(acted, ['round 1', 'round 2', 'round 3']);
});

test('what falls due in one jump happens in the order in which it fell due', async () => {
  const clock = new MovableClock();
  const acted: string[] = [];
  putOff(clock, hours(2), () => acted.push('after two hours'));
  putOff(clock, hours(1), () => acted.push('after an hour'));
  clock.advance(hours(3));
  await allTimers(clock);
  assert.deepEqual(acted, ['after an hour', 'after two hours']);
});
