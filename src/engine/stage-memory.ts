/** Names a thing that the steps of one stage share: `const kubeconfig = memoryOf<string>('kubeconfig')`. */
export type MemoryKey<Value> = { readonly name: string; readonly type?: Value };

export const memoryOf = <Value>(name: string): MemoryKey<Value> => ({ name });

/**
 * What the steps of one stage share and nobody may store: kubeconfig, tokens, overrides. A new, empty one is made
 * whenever the stage starts over.
 */
export class StageMemory {
  readonly #values = new Map<string, unknown>();

  set<Value>(key: MemoryKey<Value>, value: Value): void {
    this.#values.set(key.name, value);
  }

  has(key: MemoryKey<unknown>): boolean {
    return this.#values.has(key.name);
  }

  get<Value>(key: MemoryKey<Value>): Value {
    if (!this.#values.has(key.name)) {
      throw new Error(
        `no step of this stage has left '${key.name}' in memory; the step that does must stand earlier in the same stage`,
      );
    }
    return this.#values.get(key.name) as Value; // set() took it under the same key
  }
}
