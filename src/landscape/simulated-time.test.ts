import assert from 'node:assert/strict';
import { test } from 'node:test';
import { days, hours, minutes, seconds } from '#time';
import { SimulatedTime } from './simulated-time.ts';

const isNear = (actual: number, expected: number) =>
  assert.ok(Math.abs(actual - expected) < seconds(10), `${actual} is not near ${expected}`);

/** A timer of Node that was set later than all others for this time. */
const later = (delay: number) =>
  new Promise<void>((resolve) => void setTimeout(() => setTimeout(resolve), delay));

test('what falls due in an advance happens in its order, each at its own time', (t) => {
  const time = new SimulatedTime(1);
  t.after(() => time.stop());
  const acted: string[] = [];
  const times: number[] = [];
  for (const after of [hours(2), hours(1), hours(3), hours(1)]) {
    time.after(after, () => {
      acted.push(`${after / hours(1)} h, ${acted.length}`);
      times.push(time.now());
    });
  }
  time.advance(hours(2) + seconds(1));
  assert.deepEqual(acted, ['1 h, 0', '1 h, 1', '2 h, 2']);
  for (const [i, expected] of [hours(1), hours(1), hours(2)].entries()) {
    isNear(times[i] ?? 0, expected);
  }
  time.advance(hours(1));
  assert.equal(acted.length, 4);
});

test('what happens in an advance may put off more, which may fall due in the same one', (t) => {
  const time = new SimulatedTime(1);
  t.after(() => time.stop());
  const acted: number[] = [];
  const again = () => {
    acted.push(time.now());
    time.after(hours(1), again);
  };
  time.after(hours(1), again);
  time.advance(hours(3) + minutes(1));
  assert.equal(acted.length, 3);
  isNear(time.now(), hours(3) + minutes(1));
  assert.equal(time.advanced, hours(3) + minutes(1));
});

test('nothing happens in the midst of the caller, not even what is due at once', async (t) => {
  const time = new SimulatedTime(1);
  t.after(() => time.stop());
  let acted = 0;
  time.after(0, () => (acted += 1));
  assert.equal(acted, 0);
  await later(5);
  assert.equal(acted, 1);
});

test('a change of speed holds from now on, also for what waits', async (t) => {
  const time = new SimulatedTime(1);
  t.after(() => time.stop());
  const { promise, resolve } = Promise.withResolvers<void>();
  time.after(hours(1), resolve);
  const before = time.now();
  time.speed = 1e6; // an hour in 3.6 ms
  isNear(before, 0);
  await promise;
  assert.ok(time.now() >= hours(1));
  time.speed = 1;
  const slow = time.now();
  await later(5);
  assert.ok(time.now() - slow < seconds(10));
});

test('at a high speed things happen in their order too, and not before their time', async (t) => {
  const time = new SimulatedTime(1e6);
  t.after(() => time.stop());
  const acted: [number, boolean][] = [];
  const { promise, resolve } = Promise.withResolvers<void>();
  const start = time.now();
  for (const after of [hours(30), hours(20), hours(10)]) {
    time.after(after, () => {
      acted.push([after, time.now() >= start + after]);
      if (acted.length === 3) resolve();
    });
  }
  await promise;
  assert.deepEqual(acted, [
    [hours(10), true],
    [hours(20), true],
    [hours(30), true],
  ]);
});

test('the date moves with the time, and does not jump when the speed changes', async (t) => {
  const time = new SimulatedTime(1_000);
  t.after(() => time.stop());
  isNear(time.date().getTime() - time.now(), Date.now());
  await later(30); // more than what counts as near
  time.speed = 1;
  isNear(time.date().getTime() - time.now(), Date.now());
  const before = time.date().getTime();
  time.advance(days(1));
  isNear(time.date().getTime() - before, days(1));
});

test('once stopped, nothing happens any more', async () => {
  const time = new SimulatedTime(1);
  time.after(seconds(1), () => assert.fail('was stopped'));
  time.stop();
  time.after(0, () => assert.fail('was stopped'));
  time.advance(hours(1));
  await later(5);
});

test('time that is restored goes on where it was, whatever was put off meanwhile', (t) => {
  const before = new SimulatedTime(1);
  before.advance(hours(2));
  const saved = before.state.save();
  const time = new SimulatedTime(1);
  t.after(() => time.stop());
  time.after(hours(1), () => assert.fail('was put off by what is replaced'));
  time.state.restore(saved);
  isNear(time.now(), hours(2));
  assert.equal(time.advanced, hours(2));
  time.advance(hours(1));
  isNear(time.now(), hours(3));
});

test('a date that is restored goes on, and is not behind the real one', (t) => {
  const restored = (startedAt: number, now: number) => {
    const time = new SimulatedTime(1);
    t.after(() => time.stop());
    time.state.restore({ startedAt, now, advanced: 0 });
    return time.date().getTime() - Date.now();
  };
  isNear(restored(Date.now() - hours(1), hours(3)), hours(2));
  isNear(restored(Date.now() - days(9), hours(3)), 0);
});
