import { z } from 'zod';
import { httpClient, type Authentication } from '../http-client.ts';
import { limitsIn, type SystemLimits } from '../system-limits.ts';

/** Asked for within the same limits, and under the same name, as everything else of the system. */
export type PasswordGrant = SystemLimits & {
  readonly tokenUrl: string;
  readonly clientId: string;
  readonly username: string;
  readonly password: string;
};

const TokenAnswer = z.object({
  access_token: z.string().min(1),
  token_type: z.string().default('Bearer'),
});

/**
 * OAuth2 password grant, for a client without a secret. No token is kept: each call fetches its own, and after a refusal
 * once more. Without a token nothing was asked of the system yet, so that failure is always worth another try.
 */
export function passwordGrant(system: string, grant: PasswordGrant): Authentication {
  const { tokenUrl, clientId, username, password } = grant;
  const http = httpClient(system, { ...limitsIn(grant), url: tokenUrl });
  const basic = Buffer.from(`${encodeURIComponent(clientId)}:`).toString('base64');
  return {
    async header(signal) {
      const { body } = await http.request({
        method: 'POST',
        path: '',
        what: 'get a token',
        headers: { authorization: `Basic ${basic}` },
        body: new URLSearchParams({ grant_type: 'password', username, password }),
        expect: [200, 201],
        answer: TokenAnswer,
        classify: () => ({ temporary: true }),
        signal,
      });
      const type = body.token_type.toLowerCase() === 'bearer' ? 'Bearer' : body.token_type;
      return { authorization: `${type} ${body.access_token}` };
    },
    refused: () => true,
  };
}
