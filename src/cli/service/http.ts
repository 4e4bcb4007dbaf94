import { seconds, type Milliseconds } from '#time';
import { Problem } from '../problem.ts';

export type HttpRequest = {
  readonly method: string;
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | URLSearchParams;
  readonly signal: AbortSignal;
  /** Without it, as long as it takes. */
  readonly within?: Milliseconds | undefined;
  /** Told what was asked and answered, for -v. */
  readonly trace: (line: string) => void;
};

export const patience = seconds(60);

/** An answer, whatever it says. That there is none is a problem in words. */
export async function ask(request: HttpRequest): Promise<Response> {
  const { method, url, headers = {}, body, signal, within, trace } = request;
  const started = performance.now();
  const late = within === undefined ? [] : [AbortSignal.timeout(within)];
  try {
    const response = await fetch(url, {
      method,
      headers,
      ...(body !== undefined && { body }),
      signal: AbortSignal.any([signal, ...late]),
      // A redirect would take the token to somebody else.
      redirect: 'error',
    });
    trace(`${method} ${url} ${response.status} in ${(performance.now() - started).toFixed(0)} ms`);
    return response;
  } catch (error) {
    if (signal.aborted) throw new Problem('interrupted', 'interrupted', { cause: error });
    const place = URL.parse(url)?.origin ?? url;
    const message = `${place} does not answer (${whyOf(error)}): is it running there, and is the address right (kcp config view)?`;
    throw new Problem('error', message, { cause: error });
  }
}

function whyOf(error: unknown): string {
  if (error instanceof Error && error.name === 'TimeoutError') return 'too late';
  const { cause } = error as { cause?: unknown };
  for (const each of [cause, ...(cause instanceof AggregateError ? cause.errors : [])]) {
    const { code } = (each ?? {}) as { code?: unknown };
    if (typeof code === 'string') return code;
  }
  return cause instanceof Error ? cause.message : String(error);
}
