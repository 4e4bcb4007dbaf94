import { inspect } from 'node:util';

/** Opens a cluster to whoever has it. Shows itself only when asked: logs, JSON and messages read `[kubeconfig]`. */
export class Kubeconfig {
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
  }

  reveal(): string {
    return this.#text;
  }

  toString(): string {
    return '[kubeconfig]';
  }

  toJSON(): string {
    return '[kubeconfig]';
  }

  [inspect.custom](): string {
    return '[kubeconfig]';
  }
}
