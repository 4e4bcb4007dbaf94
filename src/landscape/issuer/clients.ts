import type { FastifyRequest } from 'fastify';
import { basicOf } from '../tokens.ts';
import { clients, identityScopes, type Client, type User } from './demo-accounts.ts';
import { OAuthError } from './oauth-error.ts';

/** Which client asks, after it has proved that, with HTTP Basic or in the form. */
export function authenticatedClient(request: FastifyRequest, form: URLSearchParams): Client {
  const basic = basicOf(request);
  if (basic && form.has('client_secret'))
    throw new OAuthError('invalid_request', 'the client authenticates in two ways');
  const [id, secret] = basic ?? [form.get('client_id'), form.get('client_secret') ?? ''];
  const client = clients.find((each) => each.id === id);
  if (!client || (client.secret ?? '') !== secret)
    throw new OAuthError('invalid_client', 'unknown client or wrong secret');
  return client;
}

/** Parameters of a request, from its form and its query. No parameter may be given twice (RFC 6749, 3.1). */
export function parametersOf({ body, url }: FastifyRequest): URLSearchParams {
  const query = url.includes('?') ? url.slice(url.indexOf('?') + 1) : '';
  const form = typeof body === 'string' ? body : '';
  return withoutRepetition(new URLSearchParams([query, form].filter(Boolean).join('&')));
}

export function formOf({ body }: FastifyRequest): URLSearchParams {
  return withoutRepetition(new URLSearchParams(typeof body === 'string' ? body : ''));
}

function withoutRepetition(parameters: URLSearchParams): URLSearchParams {
  if (new Set(parameters.keys()).size < parameters.size)
    throw new OAuthError('invalid_request', 'a parameter is given twice');
  return parameters;
}

/** What the client asks for, or all that it may have. */
export function scopesOf(allowed: readonly string[], wanted: string | null): string[] {
  const scopes = (wanted ?? '').split(' ').filter(Boolean);
  if (scopes.length === 0) return [...allowed];
  if (scopes.some((each) => !allowed.includes(each)))
    throw new OAuthError('invalid_scope', 'not a scope that this client may ask for');
  return [...new Set(scopes)];
}

/** No client can do more for a user than the user could. */
export const allowedBy = ({ scopes }: User, wanted: readonly string[]): string[] =>
  wanted.filter((scope) => identityScopes.includes(scope) || scopes.includes(scope));

/** As registered; on a loopback address the port is the client's to choose (RFC 8252, 7.3). */
export function isRedirectUriOf({ redirectUris }: Client, wanted: string): boolean {
  if (redirectUris.includes(wanted)) return true;
  const url = URL.parse(wanted);
  if (!url || !['127.0.0.1', 'localhost', '[::1]'].includes(url.hostname)) return false;
  url.port = '';
  return redirectUris.includes(url.href);
}
