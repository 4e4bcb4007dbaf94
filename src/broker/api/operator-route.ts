import type { Logger } from 'pino';
import type { z } from 'zod';
import type { Identity, Right } from '#access';
import type { Answer } from './api.ts';

/**
 * An endpoint for those who run the landscape. What it says of itself is all there is: rights are checked, requests
 * are read, the API's description and the table of rights are written from it.
 */
export type OperatorRoute = {
  readonly method: 'GET' | 'PUT' | 'POST' | 'DELETE';
  /** `/operations/:operationId` */
  readonly path: string;
  readonly right: Right;
  /** One sentence, for the API's description. */
  readonly about: string;
  readonly query?: z.ZodType;
  /** Of a JSON object; a form's fields are lists of texts. */
  readonly body?: z.ZodType;
  /** Bodies are forms instead of JSON. */
  readonly form?: boolean;
  /** Of the answer when all is well, for the API's description. */
  readonly answers?: z.ZodType;
  /** Whether such a request changes something and is put on record. By default all do but GET. */
  readonly changes?: Changes;
  /** How a failure of ours looks, where it looks different from all others. */
  readonly asFailure?: AsFailure;
  readonly handle: (request: OperatorRequest) => Promise<Answer | EventStream>;
};

export type Changes = (query: Readonly<Record<string, unknown>>) => boolean;
export type AsFailure = (failure: {
  readonly status: number;
  readonly requestId: string;
  readonly message: string;
}) => object;

export type OperatorRequest<Query = unknown, Body = unknown> = {
  readonly params: Readonly<Record<string, string>>;
  readonly query: Query;
  readonly body: Body;
  /** Undefined where authentication is switched off. */
  readonly caller: Identity | undefined;
  readonly log: Logger;
  /** Aborted when the caller has gone, or the process ends. */
  readonly signal: AbortSignal;
};

/** An answer that goes on: `text/event-stream`. */
export type EventStream = { readonly events: AsyncIterable<StreamedEvent> };
export type StreamedEvent = {
  readonly event: string;
  readonly data: object;
  readonly id?: string;
};

type Typed<Query, Body> = Omit<OperatorRoute, 'query' | 'body' | 'handle'> & {
  readonly query?: z.ZodType<Query>;
  readonly body?: z.ZodType<Body>;
  readonly handle: (request: OperatorRequest<Query, Body>) => Promise<Answer | EventStream>;
};

/** Checks at compile time that the endpoint reads what its schemas give. */
export const route = <Query = undefined, Body = undefined>(
  typed: Typed<Query, Body>,
): OperatorRoute => typed as OperatorRoute; // serve-operators.ts hands in what the schemas have read

export const readers: Right = {
  anyGroupOf: ['runtimeAdmin', 'runtimeOperator', 'runtimeViewer'],
};
/** Those who may change single operations and runtimes. */
export const operators: Right = { anyGroupOf: ['runtimeAdmin', 'runtimeOperator'] };
/** Those who may change many runtimes at a time. */
export const orchestrators: Right = { anyGroupOf: ['orchestrationsAdmin'] };
