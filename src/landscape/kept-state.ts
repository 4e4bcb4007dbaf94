/** What a system knows, as plain data (maps, sets and dates included), and that it knows it again. */
export type KeptState = {
  readonly save: () => unknown;
  readonly restore: (saved: unknown) => void;
};

type Part =
  | Map<unknown, unknown>
  | Set<unknown>
  | unknown[]
  | { readonly state: KeptState }
  | Readonly<Record<string, unknown>>;

/** The state of whoever keeps all it knows in these. They stay the same ones: only what is in them is replaced. */
export const keeping = (parts: Readonly<Record<string, Part>>): KeptState => ({
  save: () =>
    Object.fromEntries(
      Object.entries(parts).map(([name, part]) => [
        name,
        hasState(part) ? part.state.save() : part,
      ]),
    ),
  restore(saved) {
    for (const [name, part] of Object.entries(parts)) {
      const content = (saved as Readonly<Record<string, unknown>>)[name]; // as save has made it
      // What was not known when it was saved is as at the start.
      if (content !== undefined) refill(name, part, content);
    }
  },
});

const hasState = (part: Part): part is { readonly state: KeptState } =>
  'state' in part && typeof part.state === 'object';

function refill(name: string, part: Part, content: unknown): void {
  if (hasState(part)) return part.state.restore(content);
  if (part instanceof Map && content instanceof Map) {
    part.clear();
    for (const [key, value] of content) part.set(key, value);
  } else if (part instanceof Set && content instanceof Set) {
    part.clear();
    for (const value of content) part.add(value);
  } else if (Array.isArray(part) && Array.isArray(content)) {
    part.length = 0;
    for (const value of content) part.push(value);
  } else if (isPlain(part) && isPlain(content)) {
    Object.assign(part, content);
  } else {
    throw new Error(`${name} is of another kind than what was saved`);
  }
  return undefined;
}

const isPlain = (value: unknown): value is object =>
  Object.prototype.toString.call(value) === '[object Object]';
