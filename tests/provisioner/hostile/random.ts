/** Chance that can be repeated: the same seed gives the same numbers. */
export class Random {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  /** From 0 up to, but not including, 1 (mulberry32). */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let bits = this.#state;
    bits = Math.imul(bits ^ (bits >>> 15), bits | 1);
    bits ^= bits + Math.imul(bits ^ (bits >>> 7), bits | 61);
    return ((bits ^ (bits >>> 14)) >>> 0) / 2 ** 32;
  }

  /** A whole number of these, the last one included. */
  between(first: number, last: number): number {
    return first + Math.floor(this.next() * (last - first + 1));
  }

  chance(share: number): boolean {
    return this.next() < share;
  }

  pick<Item>(items: readonly Item[]): Item {
    return items[this.between(0, items.length - 1)] as Item; // the lists of the generator are not empty
  }

  bytes(length: number): Buffer {
    return Buffer.from(Array.from({ length }, () => this.between(0, 255)));
  }
}
