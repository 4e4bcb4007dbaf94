import { dirname, join } from 'node:path';
import { seconds } from '#time';
import { textOf, writeForOwner } from '../settings/config-file.ts';
import type { Tokens } from './issuer.ts';

/** A login, as it is kept between two commands. */
export type CachedLogin = {
  readonly accessToken: string;
  readonly refreshToken?: string;
  /** In milliseconds since 1970. */
  readonly expiresAt: number;
};

/** Beside the config file, for its owner alone: who is logged in where. */
export type TokenCache = {
  readonly read: (key: string) => Promise<CachedLogin | undefined>;
  readonly write: (key: string, login: CachedLogin | undefined) => Promise<void>;
};

export function tokenCache(configPath: string): TokenCache {
  const path = join(dirname(configPath), 'tokens.json');
  const all = async (): Promise<Record<string, CachedLogin>> => {
    try {
      const content: unknown = JSON.parse((await textOf(path)) ?? '{}');
      return typeof content === 'object' && content !== null
        ? (content as Record<string, CachedLogin>)
        : {};
    } catch (error) {
      if (error instanceof SyntaxError) return {}; // broken: everybody logs in again
      throw error;
    }
  };
  return {
    async read(key) {
      const found = (await all())[key];
      return typeof found?.accessToken === 'string' ? found : undefined;
    },
    async write(key, login) {
      const { [key]: _, ...others } = await all();
      await writeForOwner(
        path,
        JSON.stringify(login ? { ...others, [key]: login } : others, null, 2),
      );
    },
  };
}

export const loginOf = (tokens: Tokens, now: number): CachedLogin => ({
  accessToken: tokens.access_token,
  ...(tokens.refresh_token !== undefined && { refreshToken: tokens.refresh_token }),
  expiresAt: now + seconds(tokens.expires_in ?? 300),
});

/** A token that ends while it is on its way is of no use. */
export const isUsable = ({ expiresAt }: CachedLogin, now: number): boolean =>
  now < expiresAt - seconds(10);
