import type { z } from 'zod';
import { seconds } from '#time';
import { isTemporaryStatus, SystemError } from './system-error.ts';
import { anonymous, withinLimits, type SystemLimits } from './system-limits.ts';

/** Where a system is and how to behave towards it. */
export type SystemSettings = SystemLimits & { readonly url: string };

/** Adds what proves who we are. `refused` is called once after a 401: true means that it is worth another try. */
export type Authentication = {
  readonly header: (signal: AbortSignal) => Promise<Record<string, string>>;
  readonly refused?: () => boolean;
};

export type HttpRequest<Answer> = {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Below the system's URL; parts that come from outside go through encodeURIComponent. A whole URL is taken as it is. */
  readonly path: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as JSON; a URLSearchParams as a form, a string as it is. */
  readonly body?: unknown;
  /** Statuses that mean success. */
  readonly expect: readonly number[];
  /** The shape of a successful answer; without it the body is not looked at. */
  readonly answer?: z.ZodType<Answer>;
  /** How it is written, if not in JSON. */
  readonly format?: AnswerFormat;
  readonly signal: AbortSignal;
  /** What a failed status means for this system, where it differs from the rule. */
  readonly classify?: (
    status: number,
    body: string,
  ) => { temporary?: boolean; reason?: string } | undefined;
  /** For messages: 'create data tenant'. */
  readonly what: string;
};

/** `read` throws at what is not written so. */
export type AnswerFormat = { readonly name: string; readonly read: (text: string) => unknown };

export type HttpAnswer<Answer> = {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Answer;
};

export type HttpClient = {
  readonly request: <Answer = undefined>(
    request: HttpRequest<Answer>,
  ) => Promise<HttpAnswer<Answer>>;
};

/** Talks to one system: bounded in time and in number, and not at all for a while when it keeps failing. */
export function httpClient(
  system: string,
  settings: SystemSettings,
  authentication: Authentication = { header: async () => ({}) },
): HttpClient {
  const base = settings.url.replace(/\/+$/, '');
  const isOutage = (error: unknown) => error instanceof SystemError && error.temporary;
  const limits = withinLimits(system, settings, isOutage);

  async function once<Answer>(request: HttpRequest<Answer>): Promise<Response> {
    const signal = limits.signalFor(request.signal);
    const url = /^https?:/.test(request.path) ? request.path : base + request.path;
    const query = request.query ? `?${new URLSearchParams(request.query).toString()}` : '';
    const { body, type } = encoded(request.body);
    try {
      return await fetch(url + query, {
        method: request.method,
        headers: {
          accept: 'application/json',
          'user-agent': settings.caller ?? anonymous,
          ...type,
          ...(await authentication.header(signal)),
          ...request.headers,
        },
        ...(body !== undefined && { body }),
        signal,
        redirect: 'manual',
      });
    } catch (cause) {
      request.signal.throwIfAborted();
      if (cause instanceof SystemError) throw cause;
      throw new SystemError(system, `${system}: cannot ${request.what}: no answer`, {
        temporary: true,
        reason: 'unreachable',
        cause,
      });
    }
  }

  async function request<Answer>(request: HttpRequest<Answer>): Promise<HttpAnswer<Answer>> {
    let response = await once(request);
    if (response.status === 401 && authentication.refused?.()) {
      await response.body?.cancel();
      response = await once(request);
    }
    const text = await textOf(system, request.what, response);
    if (!request.expect.includes(response.status))
      throw unexpected(system, request, response, text);
    return {
      status: response.status,
      headers: response.headers,
      body: parsed(system, request, text),
    };
  }

  return { request: (each) => limits.run(each.signal, () => request(each)) };
}

function encoded(body: unknown): { body?: string; type: Record<string, string> } {
  if (body === undefined) return { type: {} };
  if (body instanceof URLSearchParams) {
    return { body: body.toString(), type: { 'content-type': 'application/x-www-form-urlencoded' } };
  }
  if (typeof body === 'string') return { body, type: {} };
  return { body: JSON.stringify(body), type: { 'content-type': 'application/json' } };
}

async function textOf(system: string, what: string, response: Response): Promise<string> {
  try {
    return await response.text();
  } catch (cause) {
    throw new SystemError(system, `${system}: cannot ${what}: the answer broke off`, {
      temporary: true,
      reason: 'unreachable',
      cause,
    });
  }
}

/** The body of a failed answer is for `classify` alone: it may repeat what we sent, secrets included. */
function unexpected(
  system: string,
  { what, classify }: HttpRequest<unknown>,
  { status, headers }: Response,
  text: string,
): SystemError {
  const known = classify?.(status, text);
  const after = Number(headers.get('retry-after'));
  return new SystemError(system, `${system}: cannot ${what}: status ${status}`, {
    temporary: known?.temporary ?? isTemporaryStatus(status),
    reason: known?.reason ?? 'err_http_status_code',
    status,
    ...(after > 0 && { retryAfter: seconds(after) }),
  });
}

function parsed<Answer>(
  system: string,
  { what, answer, format = json }: HttpRequest<Answer>,
  text: string,
): Answer {
  if (!answer) return undefined as Answer; // nobody asked for a shape, so nobody looks at it
  let content: unknown;
  try {
    content = format.read(text);
  } catch {
    // The parser's own error quotes the text, and that may be a credential.
    // oxlint-disable-next-line preserve-caught-error
    throw wrongAnswer(system, what, `it is no ${format.name}`);
  }
  const result = answer.safeParse(content);
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  const field = issue?.path.map(String).join('.') ?? '';
  throw wrongAnswer(system, what, `${field || 'the whole'}: ${issue?.message ?? 'wrong shape'}`);
}

/** An integer that a number cannot hold (a 64-bit id) stays as it was written. */
const asWritten = (_key: string, value: unknown, context?: { source?: string }): unknown =>
  Number.isInteger(value) && !Number.isSafeInteger(value) && /^-?\d+$/.test(context?.source ?? '')
    ? context?.source
    : value;

const json: AnswerFormat = { name: 'JSON', read: (text) => JSON.parse(text, asWritten) as unknown };

/** A wrong answer may be a proxy's error page: it is waited out like any other trouble. */
const wrongAnswer = (system: string, what: string, why: string) =>
  new SystemError(system, `${system}: cannot ${what}: the answer is not as expected: ${why}`, {
    temporary: true,
    reason: 'wrong_answer',
  });
