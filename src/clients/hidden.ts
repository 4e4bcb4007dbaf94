import { inspect } from 'node:util';

/** Opens something to whoever has it, so it shows itself only when asked: logs, JSON and messages read what is `shown`. */
export abstract class Hidden<Value> {
  readonly #value: Value;
  abstract readonly shown: string;

  constructor(value: Value) {
    this.#value = value;
  }

  reveal(): Value {
    return this.#value;
  }

  toString(): string {
    return this.shown;
  }

  toJSON(): string {
    return this.shown;
  }

  [inspect.custom](): string {
    return this.shown;
  }
}
