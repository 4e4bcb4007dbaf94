import type { FastifyInstance } from 'fastify';
import type { KeptState } from './kept-state.ts';
import type { SimulatedTime } from './simulated-time.ts';

/** What a system gets from the landscape. */
export type Surroundings = {
  readonly time: SimulatedTime;
  /** Of this system, as others reach it: `http://127.0.0.1:4000/edp`. */
  readonly url: () => string;
  /** The same over TLS, for kubeconfigs, with the authority to trust there. */
  readonly secureUrl: () => string;
  readonly certificate: string;
  /** Who sent the request that is being answered, by its User-Agent: for the inventory. */
  readonly caller: () => string;
};

/** One outside system: its routes below its own prefix, and what it holds. */
export type SimulatedSystem = {
  readonly name: string;
  readonly serve: (app: FastifyInstance) => void;
  /** What exists out there, by kind, for tests to compare with the database. No credentials. `askedBy`: the caller. */
  readonly inventory: () => Readonly<Record<string, readonly unknown[]>>;
  /** All that outlives a restart of the landscape, credentials included. Restored before the first request. */
  readonly state?: KeptState;
};

export type MakeSystem = (surroundings: Surroundings) => SimulatedSystem;
