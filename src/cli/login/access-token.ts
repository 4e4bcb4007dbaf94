import { Problem } from '../problem.ts';
import { askForTokens, discover, TokenRefused, type IssuerClient } from './issuer.ts';
import { isUsable, loginOf, type TokenCache } from './token-cache.ts';

/** Of one client at one issuer. What tokens for orders may do is theirs alone. */
export const cacheKey = ({ url, clientId }: IssuerClient, scope = '') =>
  [url, clientId, scope].filter(Boolean).join(' ');

/** The token of whoever is logged in: from the cache, refreshed, or asked for by a client that has a secret. */
export function accessToken(
  client: IssuerClient,
  cache: TokenCache,
  now: () => number,
  scope?: string,
): (isFresh: boolean) => Promise<string> {
  const key = cacheKey(client, scope);
  return async (isFresh) => {
    const cached = await cache.read(key);
    if (cached && !isFresh && isUsable(cached, now())) return cached.accessToken;
    const form = formFor(cached?.refreshToken, client, scope);
    if (!form) {
      throw new Problem(
        'notAllowed',
        cached
          ? `the login at ${client.url} has ended: log in again with kcp login`
          : `not logged in at ${client.url}: log in with kcp login`,
      );
    }
    try {
      const tokens = await askForTokens(client, await discover(client), form);
      const login = loginOf(tokens, now());
      const kept = { ...(cached?.refreshToken && { refreshToken: cached.refreshToken }), ...login };
      await cache.write(key, kept);
      return login.accessToken;
    } catch (error) {
      if (!(error instanceof TokenRefused) || !cached) throw error;
      await cache.write(key, undefined);
      throw new Problem(
        'notAllowed',
        `the login at ${client.url} has ended (${error.code}): log in again with kcp login`,
        { cause: error },
      );
    }
  };
}

function formFor(
  refreshToken: string | undefined,
  { clientSecret }: IssuerClient,
  scope: string | undefined,
): Record<string, string> | undefined {
  if (refreshToken !== undefined)
    return { grant_type: 'refresh_token', refresh_token: refreshToken };
  if (clientSecret === undefined) return undefined;
  return { grant_type: 'client_credentials', ...(scope !== undefined && { scope }) };
}
