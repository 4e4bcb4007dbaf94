import type { Readable, Writable } from 'node:stream';
import type { Clock } from '#time';

/** All that kcp sees of the machine on which it runs. */
export type Surroundings = {
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** The user's own directory. */
  readonly home: string;
  readonly input: Readable & { readonly isTTY?: boolean };
  readonly output: Terminal;
  /** Errors, questions and progress: what must not end up in a pipe. */
  readonly notes: Terminal;
  /** Aborted by Ctrl-C. */
  readonly signal: AbortSignal;
  readonly clock: Clock;
  readonly version: string;
  /** Shows the page to the user; may do nothing. */
  readonly openPage: (url: string) => void;
  /** Where the browser's answer is waited for: the first one that is free. */
  readonly loginPorts: readonly number[];
};

export type Terminal = Writable & {
  readonly isTTY?: boolean;
  readonly columns?: number;
  readonly rows?: number;
};
