import { z } from 'zod';

/** What goes wrong, where, and how often. Matched against each request before it reaches its system. */
export const Fault = z.strictObject({
  system: z.string(),
  method: z.string().toUpperCase().optional(),
  /** A regular expression on the path below the system's prefix, the query included. */
  path: z.string().refine(isPattern, 'Invalid regular expression').optional(),
  /** The next so many requests; without it, all of them until the fault is removed. */
  count: z.int().positive().optional(),
  /** Share of the matching requests. */
  probability: z.number().min(0).max(1).default(1),
  action: z.discriminatedUnion('kind', [
    z.strictObject({
      kind: z.literal('answer'),
      status: z.int().min(200).max(599),
      body: z.string().default(''),
      headers: z.record(z.string(), z.string()).default({}),
    }),
    /** The connection breaks before the system has seen the request. */
    z.strictObject({ kind: z.literal('reset') }),
    /** The system does its work, and the connection breaks before the answer: what exposes creates that are not safe to repeat. */
    z.strictObject({ kind: z.literal('lost answer') }),
    /** In real milliseconds. */
    z.strictObject({ kind: z.literal('delay'), for: z.number().positive() }),
  ]),
});
export type Fault = z.infer<typeof Fault>;

export class Faults {
  #active: {
    readonly id: number;
    readonly fault: Fault;
    readonly path: RegExp;
    left: number;
  }[] = [];
  #lastId = 0;

  /** What has a default may be left out. */
  add(wanted: z.input<typeof Fault>): number {
    const fault = Fault.parse(wanted);
    this.#lastId += 1;
    this.#active.push({
      id: this.#lastId,
      fault,
      path: new RegExp(fault.path ?? ''),
      left: fault.count ?? Infinity,
    });
    return this.#lastId;
  }

  list(): { id: number; fault: Fault; left: number | null }[] {
    return this.#active.map(({ id, fault, left }) => ({
      id,
      fault,
      left: Number.isFinite(left) ? left : null,
    }));
  }

  remove(id?: number): void {
    this.#active = id === undefined ? [] : this.#active.filter((each) => each.id !== id);
  }

  /** The first that fits, counted as used. */
  match(system: string, method: string, path: string): Fault['action'] | undefined {
    const found = this.#active.find(
      ({ fault, left, path: pattern }) =>
        left > 0 &&
        fault.system === system &&
        (fault.method ?? method) === method &&
        pattern.test(path) &&
        Math.random() < fault.probability,
    );
    if (!found) return undefined;
    found.left -= 1;
    return found.fault.action;
  }
}

function isPattern(text: string): boolean {
  try {
    return Boolean(new RegExp(text));
  } catch {
    return false;
  }
}
