import { z } from 'zod';
import { seconds, systemClock, type Clock, type Milliseconds } from '#time';
import { httpClient, type Authentication } from './http-client.ts';
import { SystemError } from './system-error.ts';

const TokenAnswer = z.object({
  access_token: z.string().min(1),
  token_type: z.string().default('Bearer'),
  expires_in: z.coerce.number().default(3600),
});

export type ClientCredentials = {
  readonly tokenUrl: string;
  readonly clientId: string;
  readonly clientSecret: string;
  readonly scopes?: readonly string[];
};

type Token = { readonly header: string; readonly renewAt: Milliseconds };

/** A token is renewed so long before it expires. */
const margin = seconds(30);

/**
 * OAuth2 client credentials: the token is fetched once for all calls, kept until shortly before it expires, and fetched
 * anew once when the system refuses it. Servers that do not take HTTP Basic get the credentials in the body.
 */
export function clientCredentials(
  system: string,
  { tokenUrl, clientId, clientSecret, scopes = [] }: ClientCredentials,
  clock: Clock = systemClock,
): Authentication {
  const http = httpClient(system, { url: tokenUrl });
  let token: Promise<Token> | undefined;
  let inBody = false;

  const ask = (signal: AbortSignal) =>
    http.request({
      method: 'POST',
      path: '',
      what: 'get a token',
      headers: inBody ? {} : { authorization: `Basic ${basic(clientId, clientSecret)}` },
      body: new URLSearchParams({
        grant_type: 'client_credentials',
        ...(scopes.length > 0 && { scope: scopes.join(' ') }),
        ...(inBody && { client_id: clientId, client_secret: clientSecret }),
      }),
      expect: [200, 201],
      answer: TokenAnswer,
      signal,
    });

  async function fetchToken(signal: AbortSignal): Promise<Token> {
    const { body } = await ask(signal).catch((error: unknown) => {
      if (inBody || !(error instanceof SystemError) || ![400, 401].includes(error.status ?? 0))
        throw error;
      inBody = true;
      return ask(signal);
    });
    const type = body.token_type.toLowerCase() === 'bearer' ? 'Bearer' : body.token_type;
    return {
      header: `${type} ${body.access_token}`,
      renewAt: clock.monotonic() + seconds(body.expires_in) - margin,
    };
  }

  return {
    async header(signal) {
      const current = token;
      const kept = current && (await orAborted(current, signal).catch(() => undefined));
      if (kept && kept.renewAt > clock.monotonic()) return { authorization: kept.header };
      // Whoever comes first fetches it for all who wait: so it has a time limit of its own, and nobody's signal ends it.
      if (token === current || !token) token = fetchToken(new AbortController().signal);
      return { authorization: (await orAborted(token, signal)).header };
    },
    refused() {
      const hadOne = token !== undefined;
      token = undefined;
      return hadOne;
    },
  };
}

/** Waits for the promise, but not longer than the signal allows. */
async function orAborted<Result>(promise: Promise<Result>, signal: AbortSignal): Promise<Result> {
  signal.throwIfAborted();
  const aborted = Promise.withResolvers<never>();
  const onAbort = () => aborted.reject(signal.reason);
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    return await Promise.race([promise, aborted.promise]);
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}

/** RFC 6749: both parts are form-encoded before they are joined. */
const basic = (id: string, secret: string) =>
  Buffer.from(`${encodeURIComponent(id)}:${encodeURIComponent(secret)}`).toString('base64');
