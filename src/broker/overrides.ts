import { memoryOf } from '#engine';

export type OverrideEntry = {
  readonly key: string;
  readonly value: string;
  readonly secret?: boolean;
};

/**
 * What the steps of a stage want to have set in Kyma, for all components or for one. Never stored: it holds credentials.
 * What was secret once stays so, whoever sets it again.
 */
export class Overrides {
  readonly #global = new Map<string, OverrideEntry>();
  readonly #components = new Map<string, Map<string, OverrideEntry>>();
  readonly #optional = new Map<string, boolean>();

  /** These, and no others from before. */
  setOverrides(component: string, entries: readonly OverrideEntry[]): void {
    this.#components.set(component, new Map(entries.map((entry) => [entry.key, entry])));
  }

  appendOverrides(component: string, entries: readonly OverrideEntry[]): void {
    const known = this.#components.getOrInsertComputed(component, () => new Map());
    for (const entry of entries) append(known, entry);
  }

  appendGlobalOverrides(entries: readonly OverrideEntry[]): void {
    for (const entry of entries) append(this.#global, entry);
  }

  /** Components that are installed only if somebody wants them. */
  enable(component: string): void {
    this.#optional.set(component, true);
  }

  disable(component: string): void {
    this.#optional.set(component, false);
  }

  isLeftOut(component: string): boolean {
    return this.#optional.get(component) === false;
  }

  get global(): OverrideEntry[] {
    return [...this.#global.values()];
  }

  of(component: string): OverrideEntry[] {
    return [...(this.#components.get(component)?.values() ?? [])];
  }
}

function append(known: Map<string, OverrideEntry>, entry: OverrideEntry): void {
  const isSecret = entry.secret === true || known.get(entry.key)?.secret === true;
  known.set(entry.key, { ...entry, secret: isSecret });
}

/** Left by the first step of a stage that collects them. */
export const overridesKey = memoryOf<Overrides>('overrides');
