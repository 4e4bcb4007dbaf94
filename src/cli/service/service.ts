import { oneLine } from '../output/table.ts';
import { Problem, type Ending } from '../problem.ts';
import { readEvents, type ServerEvent } from './event-stream.ts';
import { ask, patience } from './http.ts';

export type Query = Readonly<
  Record<string, string | number | boolean | readonly string[] | undefined>
>;

/** One of the services, with whoever is logged in. */
export type Service = {
  readonly url: string;
  readonly get: <Answer>(path: string, query?: Query) => Promise<Answer>;
  readonly send: <Answer>(
    method: 'POST' | 'PUT' | 'PATCH' | 'DELETE',
    path: string,
    body?: object,
    query?: Query,
  ) => Promise<Answer>;
  readonly sendForm: <Answer>(path: string, form: URLSearchParams) => Promise<Answer>;
  readonly text: (path: string) => Promise<string>;
  readonly events: (path: string, query?: Query) => AsyncGenerator<ServerEvent>;
};

export type ServiceOptions = {
  readonly url: string;
  /** What it is, for those who are told that it is something else. */
  readonly name: string;
  /** Fresh: the last one was refused. Without it, nobody's name is told there. */
  readonly token?: (isFresh: boolean) => Promise<string>;
  readonly signal: AbortSignal;
  readonly trace: (line: string) => void;
  readonly headers?: Readonly<Record<string, string>>;
};

type Sent = {
  readonly method: string;
  readonly path: string;
  readonly query?: Query | undefined;
  readonly body?: string | URLSearchParams;
  readonly accept?: string;
};

export function service(options: ServiceOptions): Service {
  const { url, name, token, signal, trace } = options;

  const answered = async ({ method, path, query, body, accept = 'application/json' }: Sent) => {
    const target = url + path + queryText(query);
    const once = async (isFresh: boolean) =>
      ask({
        method,
        url: target,
        headers: {
          accept,
          ...(token && { authorization: `Bearer ${await token(isFresh)}` }),
          ...(typeof body === 'string' && { 'content-type': 'application/json' }),
          ...options.headers,
        },
        ...(body !== undefined && { body }),
        signal,
        within: accept === 'text/event-stream' ? undefined : patience,
        trace,
      });
    let response = await once(false);
    // Keys may have changed since the token was made.
    if (response.status === 401 && token) response = await once(true);
    if (!response.ok) throw await refusalOf(response, `${method} ${target}`, token !== undefined);
    return response;
  };

  const json = async <Answer>(sent: Sent): Promise<Answer> => {
    const text = await (await answered(sent)).text();
    try {
      return JSON.parse(text || '{}') as Answer; // as the API's description says
    } catch (error) {
      throw new Problem(
        'error',
        `${sent.method} ${url}${sent.path} answered something else than JSON: is this ${name} (kcp config view)?`,
        { cause: error },
      );
    }
  };

  return {
    url,
    get: (path, query) => json({ method: 'GET', path, query }),
    send: (method, path, body, query) =>
      json({ method, path, query, ...(body !== undefined && { body: JSON.stringify(body) }) }),
    sendForm: (path, form) => json({ method: 'POST', path, body: form }),
    text: async (path) => (await answered({ method: 'GET', path, accept: '*/*' })).text(),
    async *events(path, query) {
      const response = await answered({ method: 'GET', path, query, accept: 'text/event-stream' });
      if (response.body) yield* readEvents(response.body, signal);
    },
  };
}

const meanings: Readonly<Record<number, { ending?: Ending; advice?: string; isOfLogins?: true }>> =
  {
    401: { ending: 'notAllowed', advice: 'log in again with kcp login', isOfLogins: true },
    403: {
      ending: 'notAllowed',
      advice: 'log in as somebody who may (kcp login)',
      isOfLogins: true,
    },
    404: { ending: 'notFound' },
    410: { ending: 'notFound' },
    429: { advice: 'too many requests: try again in a moment' },
  };

async function refusalOf(response: Response, asked: string, hasLogins: boolean): Promise<Problem> {
  const { status } = response;
  const reason = oneLine(reasonIn(await response.text()));
  // Where nobody logs in, what is refused has nothing to do with who asks.
  const { isOfLogins, ...meaning } = meanings[status] ?? {};
  const { ending = 'error', advice = '' } = isOfLogins && !hasLogins ? {} : meaning;
  return new Problem(ending, [`${asked}: ${status}`, reason, advice].filter(Boolean).join('; '));
}

/** The services say it in `error`, the Open Service Broker API in `description`. */
function reasonIn(text: string): string {
  try {
    const body = JSON.parse(text) as Record<string, unknown>;
    const said = body['description'] ?? body['error'] ?? body['Error'] ?? body['message'];
    return typeof said === 'string' ? said : '';
  } catch {
    return text.length < 200 ? text.trim() : ''; // not one of ours: a proxy on the way
  }
}

export function queryText(query: Query = {}): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query))
    for (const each of [value].flat())
      if (each !== undefined && each !== '') parameters.append(name, String(each));
  return parameters.size === 0 ? '' : `?${parameters.toString()}`;
}
