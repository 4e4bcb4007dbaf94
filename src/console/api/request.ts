import { accessToken, forgetSession } from '../session/tokens.ts';
import { me } from '../session/rights.ts';

/** The broker has refused, or could not be reached. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  /** 0 if there was no answer at all. */
  readonly status: number;
  constructor(status: number, message: string, options?: ErrorOptions) {
    super(message, options);
    this.status = status;
  }
}

export type Query = Readonly<Record<string, string | number | readonly string[] | undefined>>;

export function withQuery(path: string, query: Query = {}): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query))
    for (const each of Array.isArray(value) ? (value as readonly string[]) : [value])
      if (each !== undefined && each !== '') search.append(name, String(each));
  return search.size === 0 ? path : `${path}?${search}`;
}

export const get = async <Answer>(path: string, query?: Query, signal?: AbortSignal) =>
  (await call('GET', withQuery(path, query), signal && { signal })).json() as Promise<Answer>; // see api-types.ts

export const send = async <Answer>(
  method: 'POST' | 'PUT' | 'PATCH' | 'DELETE',
  path: string,
  body?: object,
) => (await call(method, path, { body })).json() as Promise<Answer>; // see api-types.ts

type CallOptions = {
  readonly body?: object | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly accept?: string;
};

/** Any request to the broker, in the name of whoever has signed in. */
export async function call(
  method: string,
  path: string,
  { body, signal, accept = 'application/json' }: CallOptions = {},
): Promise<Response> {
  const token = await accessToken();
  const form = body instanceof URLSearchParams;
  const response = await answerOf(path, {
    method,
    headers: {
      accept,
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
      ...(body !== undefined && !form && { 'content-type': 'application/json' }),
      // Of the Open Service Broker API; the other endpoints do not mind.
      'x-broker-api-version': '2.17',
    },
    ...(body !== undefined && { body: form ? body : JSON.stringify(body) }),
    ...(signal && { signal }),
  });
  if (response.ok) return response;
  if (response.status === 401) {
    forgetSession();
    me.value = undefined;
  }
  throw new ApiError(response.status, await messageIn(response));
}

async function answerOf(path: string, init: RequestInit): Promise<Response> {
  try {
    return await fetch(path, init);
  } catch (error) {
    if (init.signal?.aborted) throw error;
    throw new ApiError(0, 'The broker cannot be reached at the moment.', { cause: error });
  }
}

/** Operator routes say `error`, the Open Service Broker API says `description`, landscapes say `message`. */
async function messageIn(response: Response): Promise<string> {
  const text = await response.text();
  try {
    const told = JSON.parse(text) as Readonly<Record<string, unknown>> | null;
    const message =
      told?.['description'] ?? told?.['message'] ?? told?.['error'] ?? told?.['Error'];
    if (typeof message === 'string' && message !== '') return message;
  } catch {
    // Not JSON: some proxy's page. Its status is all that helps.
  }
  return `The broker answered ${response.status} ${response.statusText}`.trim();
}
