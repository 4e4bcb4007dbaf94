import { z } from 'zod';
import { seconds, type Clock } from '#time';
import { httpClient, type Authentication, type SystemSettings } from '../http-client.ts';
import { keptToken } from '../kept-token.ts';
import { reasonOf } from './azure-error.ts';

/** As in the account pool's Secret. */
export type AzureCredentials = {
  readonly tenantId: string;
  readonly subscriptionId: string;
  readonly clientId: string;
  readonly clientSecret: string;
};

/** Azure AD writes its numbers as strings. */
const TokenAnswer = z.object({
  access_token: z.string().min(1),
  expires_in: z.coerce.number().positive(),
});

/** What the token is for: part of the protocol, and the same whatever the management URL is. */
const resource = 'https://management.azure.com/';

/**
 * Tokens of Azure AD, for one set of credentials. Like OAuth2 client credentials, but Azure AD takes them in the body
 * alone, and wants to know the resource.
 */
export function azureToken(
  login: SystemSettings,
  { tenantId, clientId, clientSecret }: Omit<AzureCredentials, 'subscriptionId'>,
  clock?: Clock,
): Authentication {
  const http = httpClient('azure', login);
  return keptToken(async (signal) => {
    const { body } = await http.request({
      method: 'POST',
      path: `/${encodeURIComponent(tenantId)}/oauth2/token`,
      query: { 'api-version': '1.0' },
      body: new URLSearchParams({
        grant_type: 'client_credentials',
        client_id: clientId,
        client_secret: clientSecret,
        resource,
      }),
      expect: [200],
      answer: TokenAnswer,
      classify: (_status, text) => ({ reason: reasonOf(text) }),
      what: 'get a token',
      signal,
    });
    return { header: `Bearer ${body.access_token}`, lifetime: seconds(body.expires_in) };
  }, clock);
}
