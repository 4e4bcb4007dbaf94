import type { Milliseconds } from './duration.ts';

export type Clock = {
  /** How far this clock is ahead of the real one, and so of the database's now(): 0 outside tests. */
  readonly offset: Milliseconds;
  /** Never goes back; only differences mean something. */
  readonly monotonic: () => Milliseconds;
  /** Acts once, after the delay. Returns what calls it off. */
  readonly after: (delay: Milliseconds, act: () => void) => () => void;
};

// setTimeout takes no more than this; a longer delay is waited for in pieces.
const longestTimer = 2 ** 31 - 1;

export const systemClock: Clock = {
  offset: 0,
  monotonic: () => performance.now(),
  after(delay, act) {
    let timer: NodeJS.Timeout;
    const arm = (left: Milliseconds) => {
      timer =
        left > longestTimer
          ? setTimeout(() => arm(left - longestTimer), longestTimer)
          : setTimeout(act, Math.max(0, left));
    };
    arm(delay);
    return () => clearTimeout(timer);
  },
};

/** A clock for tests: runs like the real one, and jumps when told to. What falls due in the jump happens at once. */
export class MovableClock implements Clock {
  offset: Milliseconds = 0;
  readonly #timers = new Set<{ dueAt: Milliseconds; arm: () => void }>();

  monotonic = (): Milliseconds => performance.now() + this.offset;

  after = (delay: Milliseconds, act: () => void): (() => void) => {
    let callOff = () => {};
    const timer = {
      dueAt: this.monotonic() + delay,
      arm: () => {
        callOff();
        callOff = systemClock.after(timer.dueAt - this.monotonic(), () => {
          this.#timers.delete(timer);
          act();
        });
      },
    };
    this.#timers.add(timer);
    timer.arm();
    return () => {
      this.#timers.delete(timer);
      callOff();
    };
  };

  advance(by: Milliseconds): void {
    this.offset += by;
    const inOrder = [...this.#timers].toSorted((a, b) => a.dueAt - b.dueAt);
    for (const timer of inOrder) timer.arm();
  }
}
