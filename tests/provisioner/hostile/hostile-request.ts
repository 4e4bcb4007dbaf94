import type { Random } from './random.ts';

/** One request as it goes over the wire. */
export type HostileRequest = {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  readonly body: Buffer | undefined;
  /** Sent instead of all that, byte by byte: what no HTTP client would write. */
  readonly bytes?: Buffer;
};

/** What a family may name that exists, and what it may not use twice. */
export type Surroundings = {
  readonly random: Random;
  /** For a new Shoot. Free in one of four: else every valid request would make a cluster, and few look for that. */
  readonly shootName: string;
  readonly runtimeId: string;
  readonly operationId: string;
};

export type Family = {
  /** How many there are, beside those of the other families. */
  readonly share: number;
  /** Whether some of them are valid by chance. The others must be refused, all of them. */
  readonly mayBeValid: boolean;
  readonly make: (around: Surroundings) => HostileRequest;
};

const ordinary = { 'content-type': 'application/json', tenant: 'ga-1', 'sub-account': 'sa-1' };

/** A POST like that of any client, but for what it says. */
export const posted = (
  body: string | Buffer,
  headers: HostileRequest['headers'] = {},
): HostileRequest => ({
  method: 'POST',
  path: '/graphql',
  headers: { ...ordinary, ...headers },
  body: Buffer.from(body),
});

/** The same of a document. */
export const asking = (query: string, headers: HostileRequest['headers'] = {}): HostileRequest =>
  posted(JSON.stringify({ query }), headers);

/** The same of a document with variables that are JSON already. */
export const askingWith = (query: string, variables: string): HostileRequest =>
  posted(`{"query":${JSON.stringify(query)},"variables":${variables}}`);

export const gotten = (path: string, headers: HostileRequest['headers'] = {}): HostileRequest => ({
  method: 'GET',
  path,
  headers: { tenant: 'ga-1', ...headers },
  body: undefined,
});

export const sentRaw = (bytes: string | Buffer): HostileRequest => ({
  method: 'POST',
  path: '/graphql',
  headers: {},
  body: undefined,
  bytes: typeof bytes === 'string' ? Buffer.from(bytes, 'latin1') : bytes,
});
