import type { Milliseconds } from '#time';
import { keeping } from '../kept-state.ts';

/** Forgets each entry after its lifetime. */
export class ExpiringMap<Value> {
  readonly #now: () => Milliseconds;
  readonly #entries = new Map<string, { readonly value: Value; readonly until: Milliseconds }>();
  readonly state = keeping({ entries: this.#entries });

  constructor(now: () => Milliseconds) {
    this.#now = now;
  }

  set(key: string, value: Value, lifetime: Milliseconds): void {
    for (const [old, { until }] of this.#entries) {
      if (until > this.#now()) break; // the oldest come first, and those of one map live equally long
      this.#entries.delete(old);
    }
    this.#entries.set(key, { value, until: this.#now() + lifetime });
  }

  get(key: string): Value | undefined {
    const entry = this.#entries.get(key);
    return entry && entry.until > this.#now() ? entry.value : undefined;
  }

  delete(key: string): void {
    this.#entries.delete(key);
  }

  values(): Value[] {
    return [...this.#entries.values()]
      .filter(({ until }) => until > this.#now())
      .map(({ value }) => value);
  }
}
