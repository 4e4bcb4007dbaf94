import { Kind, OperationTypeNode, parse } from 'graphql';
import type { HostileRequest } from './hostile-request.ts';
import type { Answer } from './send.ts';

export type Verdict = {
  /** Undefined if the answer is as it has to be. */
  readonly complaint: string | undefined;
  readonly isRefused: boolean;
  /** Mutations that were accepted: each has stored an operation. */
  readonly stored: number;
};

type Body = {
  readonly data?: Readonly<Record<string, unknown>> | null;
  readonly errors?: readonly {
    readonly message?: unknown;
    readonly extensions?: { readonly error_code?: unknown };
  }[];
};

/** The codes that say that the caller is wrong: those of HTTP, and the two of the original's database. */
const isOfCaller = (code: unknown) =>
  typeof code === 'number' && ((code >= 400 && code < 500) || code === 2 || code === 3);
const longestAnswer = 2 ** 20;

export function verdictOf(request: HostileRequest, { status, body: text }: Answer): Verdict {
  const wrong = (complaint: string) => ({
    complaint: `${complaint}: ${status} ${text.slice(0, 300)}`,
    isRefused: true,
    stored: 0,
  });
  if (text.length > longestAnswer) return wrong(`an answer of ${text.length} characters`);
  let body: Body;
  try {
    body = JSON.parse(text) as Body; // looked at below
  } catch {
    return wrong('no JSON');
  }
  const { data, errors = [] } = body;
  for (const { message, extensions } of errors) {
    if (typeof message !== 'string' || message === '') return wrong('no message');
    if (!isOfCaller(extensions?.error_code)) return wrong('not the fault of the caller');
  }
  if (status >= 400 && status < 500) {
    if (errors.length === 0) return wrong('no reason');
    return { complaint: undefined, isRefused: true, stored: 0 };
  }
  if (status !== 200) return wrong('no clear answer');
  const isRefused = errors.length > 0;
  if (!isRefused && !data) return wrong('neither data nor errors');
  const given = Object.values(data ?? {}).filter((value) => value !== null);
  return {
    complaint: undefined,
    isRefused,
    stored: given.length > 0 && isMutation(request) ? given.length : 0,
  };
}

function isMutation({ body }: HostileRequest): boolean {
  const { query } = JSON.parse(body?.toString() ?? '') as { query: string }; // it was accepted
  return parse(query).definitions.some(
    (each) =>
      each.kind === Kind.OPERATION_DEFINITION && each.operation === OperationTypeNode.MUTATION,
  );
}
