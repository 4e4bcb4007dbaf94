import { z } from 'zod';
import { seconds, type Clock } from '#time';
import { httpClient, type Authentication } from './http-client.ts';
import { keptToken } from './kept-token.ts';
import { SystemError } from './system-error.ts';
import { limitsIn, type SystemLimits } from './system-limits.ts';

const TokenAnswer = z.object({
  access_token: z.string().min(1),
  token_type: z.string().default('Bearer'),
  expires_in: z.coerce.number().default(3600),
});

/** Asked for within the same limits, and under the same name, as everything else of the system. */
export type ClientCredentials = SystemLimits & {
  readonly tokenUrl: string;
  readonly clientId: string;
  readonly clientSecret: string;
  readonly scopes?: readonly string[];
};

/** OAuth2 client credentials. Servers that do not take HTTP Basic get the credentials in the body. */
export function clientCredentials(
  system: string,
  credentials: ClientCredentials,
  clock?: Clock,
): Authentication {
  const { tokenUrl, clientId, clientSecret, scopes = [] } = credentials;
  const http = httpClient(system, { ...limitsIn(credentials), url: tokenUrl });
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

  return keptToken(async (signal) => {
    const { body } = await ask(signal).catch((error: unknown) => {
      const refused = error instanceof SystemError && [400, 401].includes(error.status ?? 0);
      if (inBody || !refused) throw error;
      inBody = true;
      return ask(signal);
    });
    const type = body.token_type.toLowerCase() === 'bearer' ? 'Bearer' : body.token_type;
    return { header: `${type} ${body.access_token}`, lifetime: seconds(body.expires_in) };
  }, clock);
}

/** RFC 6749: both parts are form-encoded before they are joined. */
const basic = (id: string, secret: string) =>
  Buffer.from(`${encodeURIComponent(id)}:${encodeURIComponent(secret)}`).toString('base64');
