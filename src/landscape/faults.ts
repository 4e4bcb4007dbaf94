import { z } from 'zod';
import type { KeptState } from './kept-state.ts';

/** What goes wrong, where, and how often. Matched against each request before it reaches its system. */
export const Fault = z.strictObject({
  system: z.string(),
  method: z.string().toUpperCase().optional(),
  /** A regular expression on the path below the system's prefix, the query included. */
  path: z.string().refine(isPattern, 'Invalid regular expression').optional(),
  /** The root field of a GraphQL request: `provisionRuntime`. */
  field: z.string().optional(),
  /** Begins with the n-th matching request, and is over after it unless a count says otherwise. */
  nth: z.int().positive().optional(),
  /** So many requests; without it, all of them until the fault is removed. */
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
    /** Whoever reads gets what the same question got when the fault began: nothing seems to move any more. */
    z.strictObject({ kind: z.literal('stuck') }),
    /** The answer tells another state than the true one, maybe one that nobody has heard of. */
    z.strictObject({
      kind: z.literal('state'),
      state: z.string(),
      /** Fields of this name, wherever they stand in the answer. */
      field: z.string().default('state'),
    }),
  ]),
});
export type Fault = z.infer<typeof Fault>;
export type FaultAction = Fault['action'];

/** What a fault is matched against. */
export type DisturbedRequest = {
  readonly system: string;
  readonly method: string;
  readonly path: string;
  readonly fields?: readonly string[];
};

/** An active fault, at the request that it was found for. */
export type Disturbance = {
  readonly action: FaultAction;
  /** What was answered while the fault is active, by question: for what is stuck. */
  readonly answers: Map<string, KeptAnswer>;
};
export type KeptAnswer = { readonly status: number; readonly type: string; readonly body: string };

type ActiveFault = {
  readonly id: number;
  readonly fault: Fault;
  readonly path: RegExp;
  readonly answers: Map<string, KeptAnswer>;
  before: number;
  left: number;
};

export class Faults {
  #active: ActiveFault[] = [];
  #lastId = 0;

  readonly state: KeptState = {
    save: () => ({ active: this.#active, lastId: this.#lastId }),
    restore: (saved) => {
      const { active, lastId } = saved as { active: ActiveFault[]; lastId: number }; // as save has made it
      this.#active = active;
      this.#lastId = lastId;
    },
  };

  /** What has a default may be left out. */
  add(wanted: z.input<typeof Fault>): number {
    const fault = Fault.parse(wanted);
    this.#lastId += 1;
    this.#active.push({
      id: this.#lastId,
      fault,
      path: new RegExp(fault.path ?? ''),
      answers: new Map(),
      before: (fault.nth ?? 1) - 1,
      left: fault.count ?? (fault.nth === undefined ? Infinity : 1),
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

  /** The first that fits, counted as used. Before the body is there, those on GraphQL fields fit nothing, afterwards they alone do. */
  match({ system, method, path, fields }: DisturbedRequest): Disturbance | undefined {
    const found = this.#active.find((each) => {
      const { fault } = each;
      const fits =
        each.left > 0 &&
        fault.system === system &&
        (fault.method ?? method) === method &&
        (fault.field === undefined) === (fields === undefined) &&
        (fault.field === undefined || fields?.includes(fault.field) === true) &&
        each.path.test(path);
      if (!fits) return false;
      if (each.before > 0) {
        each.before -= 1;
        return false;
      }
      return Math.random() < fault.probability;
    });
    if (!found) return undefined;
    found.left -= 1;
    return { action: found.fault.action, answers: found.answers };
  }
}

function isPattern(text: string): boolean {
  try {
    return Boolean(new RegExp(text));
  } catch {
    return false;
  }
}
