import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { allowedBy, formOf, isRedirectUriOf, parametersOf, scopesOf } from './clients.ts';
import { clients, users, type Client, type User } from './demo-accounts.ts';
import type { IssuerState } from './issuer-state.ts';
import { OAuthError } from './oauth-error.ts';
import { sendMessage, sendUserChoice } from './pages.ts';
import { secretText, type Session } from './sessions.ts';

/** What a code stands for, until its client brings it to the token endpoint. */
export type AuthorizationCode = {
  readonly client: Client;
  readonly user: User;
  readonly redirectUri: string;
  readonly challenge: string;
  readonly scopes: readonly string[];
  readonly nonce: string | undefined;
  used: boolean;
  session?: Session;
};

/** `/authorize`: asks who the user is (GET), and sends the browser back with a code (the page's POST). */
export function serveAuthorization(app: FastifyInstance, state: IssuerState): void {
  const answer = async (request: FastifyRequest, reply: FastifyReply) => {
    const asked = parametersOf(request);
    const chosen = request.method === 'POST' ? formOf(request).get('username') : null;
    asked.delete('username');
    const client = clients.find(({ id }) => id === asked.get('client_id'));
    const redirectUri = asked.get('redirect_uri') ?? '';
    // Until both are known to belong together, the browser goes nowhere.
    if (!client || !isRedirectUriOf(client, redirectUri))
      return sendMessage(reply.code(400), 'Not possible', 'Unknown client or redirect URI.');

    const back = (parameters: Record<string, string>) => {
      const url = new URL(redirectUri);
      const sent = { ...parameters, state: asked.get('state'), iss: state.url() };
      for (const [name, value] of Object.entries(sent))
        if (value !== null) url.searchParams.set(name, value);
      return reply.header('cache-control', 'no-store').redirect(url.href, 303);
    };
    try {
      const scopes = checked(client, asked);
      if (chosen === null) return sendUserChoice(reply, `Who uses ${client.id}?`, asked);
      const user = chosenUser(chosen);
      const code = secretText();
      const details = {
        client,
        user,
        redirectUri,
        challenge: asked.get('code_challenge') ?? '',
        scopes: allowedBy(user, scopes),
        nonce: asked.get('nonce') ?? undefined,
        used: false,
      };
      state.codes.set(code, details, state.lifetime.code);
      return back({ code });
    } catch (error) {
      if (!(error instanceof OAuthError)) throw error;
      return back({ error: error.code, error_description: error.message });
    }
  };
  app.get('/authorize', answer);
  app.post('/authorize', answer);
}

/** The scopes asked for, if everything is as it must be. */
function checked(client: Client, asked: URLSearchParams): string[] {
  if (!client.grants.includes('authorization_code'))
    throw new OAuthError('unauthorized_client', 'this client may not ask for codes');
  if (asked.get('response_type') !== 'code')
    throw new OAuthError('unsupported_response_type', 'the response_type must be code');
  if (asked.get('code_challenge_method') !== 'S256')
    throw new OAuthError('invalid_request', 'the code_challenge_method must be S256');
  if (!/^[\w-]{43}$/.test(asked.get('code_challenge') ?? ''))
    throw new OAuthError('invalid_request', 'the code_challenge is no SHA-256 in base64url');
  if (asked.get('prompt') === 'none')
    throw new OAuthError('login_required', 'nobody is logged in without being asked');
  return scopesOf(client.scopes, asked.get('scope'));
}

/** By name; the page sends an empty one for "cancel". */
export function chosenUser(name: string): User {
  if (name === '') throw new OAuthError('access_denied', 'the user has canceled');
  const user = users.find((each) => each.name === name);
  if (!user) throw new OAuthError('access_denied', 'no such user');
  return user;
}
