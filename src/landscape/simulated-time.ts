import { systemClock, type Milliseconds } from '#time';
import type { KeptState } from './kept-state.ts';

type SavedTime = Readonly<Record<'startedAt' | 'now' | 'advanced', Milliseconds>>;

/** Time as the simulated systems see it: faster than real time by the speed, and moved on by tests. */
export class SimulatedTime {
  #startedAt = Date.now();
  #speed: number;
  #since = systemClock.monotonic();
  #base: Milliseconds = 0;
  #advanced: Milliseconds = 0;
  #stopped = false;
  /** By the time at which they are due. */
  readonly #waiting: { readonly at: Milliseconds; readonly act: () => void }[] = [];
  #callOff = () => {};
  readonly #onAct: () => void;

  /** `onAct` is told whenever something has happened by itself. */
  constructor(speed: number, onAct = () => {}) {
    this.#speed = speed;
    this.#onAct = onAct;
  }

  /** Without what was put off, and without the speed: that is chosen at each start. */
  readonly state: KeptState = {
    save: () => ({ startedAt: this.#startedAt, now: this.now(), advanced: this.#advanced }),
    restore: (saved) => {
      const { startedAt, now, advanced } = saved as SavedTime; // as save has made it
      this.forget();
      this.#base = now;
      this.#since = systemClock.monotonic();
      this.#advanced = advanced;
      // No date comes twice, and none lags behind the real one because the landscape was stopped.
      this.#startedAt = Math.max(startedAt, Date.now() - now);
    },
  };

  get speed(): number {
    return this.#speed;
  }

  set speed(speed: number) {
    this.#base = this.now();
    this.#since = systemClock.monotonic();
    this.#speed = speed;
    this.#arm();
  }

  /** Simulated milliseconds since the landscape's start. States are best derived from this when they are asked for. */
  now(): Milliseconds {
    return this.#base + (systemClock.monotonic() - this.#since) * this.#speed;
  }

  /** A date as the simulated systems would write it. */
  date(): Date {
    return new Date(this.#startedAt + this.now());
  }

  /** By how much it was moved on so far: for what lasts as long as people need, at any speed. */
  get advanced(): Milliseconds {
    return this.#advanced;
  }

  /** For what must happen even if nobody asks. Never in the midst of the caller. */
  after(duration: Milliseconds, act: () => void): void {
    if (this.#stopped) return;
    const at = this.now() + duration;
    this.#waiting.splice(this.#waiting.findLastIndex((each) => each.at <= at) + 1, 0, { at, act });
    if (this.#waiting[0]?.at === at) this.#arm();
  }

  /** As if so much time had passed: what falls due on the way happens in its order, each at its own time. */
  advance(by: Milliseconds): void {
    this.#advanced += by;
    const target = this.now() + by;
    this.#actUntil(target);
    this.#moveTo(target);
    this.#arm();
  }

  /** Calls off all that was put off. */
  forget(): void {
    this.#waiting.length = 0;
    this.#callOff();
  }

  stop(): void {
    this.#stopped = true;
    this.forget();
  }

  #actUntil(target: Milliseconds): void {
    while (this.#waiting[0] && this.#waiting[0].at <= target) {
      const { at, act } = this.#waiting.shift()!;
      this.#moveTo(at);
      act();
      this.#onAct();
    }
  }

  #moveTo(at: Milliseconds): void {
    this.#base += Math.max(0, at - this.now());
  }

  /** One timer, for what is due first. Timers may fire too early: then it is set once more. */
  #arm(): void {
    this.#callOff();
    const [first] = this.#waiting;
    if (!first) return;
    const realTime = Math.ceil((first.at - this.now()) / this.#speed);
    this.#callOff = systemClock.after(realTime, () => {
      this.#actUntil(this.now());
      this.#arm();
    });
  }
}
