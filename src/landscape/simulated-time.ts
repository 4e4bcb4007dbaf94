import { systemClock, type Milliseconds } from '#time';

/** Time as the simulated systems see it: faster than real time by the speed, and moved on by tests. */
export class SimulatedTime {
  #speed: number;
  #since = systemClock.monotonic();
  #base: Milliseconds = 0;
  readonly #waiting = new Set<{
    readonly at: Milliseconds;
    readonly act: () => void;
    callOff: () => void;
  }>();

  constructor(speed: number) {
    this.#speed = speed;
  }

  get speed(): number {
    return this.#speed;
  }

  set speed(speed: number) {
    this.#base = this.now();
    this.#since = systemClock.monotonic();
    this.#speed = speed;
    for (const each of this.#waiting) this.#arm(each);
  }

  /** Simulated milliseconds since the landscape's start. States are best derived from this when they are asked for. */
  now(): Milliseconds {
    return this.#base + (systemClock.monotonic() - this.#since) * this.#speed;
  }

  /** A date as the simulated systems would write it. */
  date(): Date {
    return new Date(Date.now() + this.now() - (systemClock.monotonic() - this.#since));
  }

  /** For what must happen even if nobody asks. */
  after(duration: Milliseconds, act: () => void): void {
    const each = { at: this.now() + duration, act, callOff: () => {} };
    this.#waiting.add(each);
    this.#arm(each);
  }

  advance(by: Milliseconds): void {
    this.#base += by;
    for (const each of [...this.#waiting].toSorted((a, b) => a.at - b.at)) this.#arm(each);
  }

  stop(): void {
    for (const { callOff } of this.#waiting) callOff();
    this.#waiting.clear();
  }

  #arm(each: { readonly at: Milliseconds; readonly act: () => void; callOff: () => void }): void {
    each.callOff();
    const act = () => {
      this.#waiting.delete(each);
      each.act();
    };
    if (each.at <= this.now()) act();
    else each.callOff = systemClock.after((each.at - this.now()) / this.#speed, act);
  }
}
