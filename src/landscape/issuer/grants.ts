import { createHash } from 'node:crypto';
import type { FastifyInstance } from 'fastify';
import { allowedBy, authenticatedClient, formOf, scopesOf } from './clients.ts';
import { deviceGrant, grants, users, type Client, type Grant } from './demo-accounts.ts';
import { collectDevice } from './device.ts';
import type { IssuerState } from './issuer-state.ts';
import { OAuthError } from './oauth-error.ts';
import type { Session } from './sessions.ts';
import { answerForClient, answerForUser, type TokenAnswer } from './token-answer.ts';

type Claim = (state: IssuerState, client: Client, form: URLSearchParams) => Promise<TokenAnswer>;

const claims: Record<Grant, Claim> = {
  client_credentials: (state, client, form) =>
    answerForClient(state, client, scopesOf(client.scopes, form.get('scope'))),

  password(state, client, form) {
    const user = users.find(({ name }) => name === form.get('username'));
    if (!user || user.password !== form.get('password'))
      throw new OAuthError('invalid_grant', 'unknown user or wrong password');
    const scopes = allowedBy(user, scopesOf(client.scopes, form.get('scope')));
    return answerForUser(state, state.sessions.begin(user, client, scopes));
  },

  authorization_code(state, client, form) {
    const { session, nonce } = redeem(state, client, form);
    return answerForUser(state, session, { nonce });
  },

  refresh_token(state, client, form) {
    const session = state.sessions.useRefreshToken(form.get('refresh_token') ?? '', client);
    if (!session) throw new OAuthError('invalid_grant', 'no such refresh token, or no longer');
    return answerForUser(state, session, { scopes: scopesOf(session.scopes, form.get('scope')) });
  },

  [deviceGrant]: (state, client, form) =>
    answerForUser(state, collectDevice(state, client, form.get('device_code') ?? '')),
};

export function serveTokens(app: FastifyInstance, state: IssuerState): void {
  app.post('/token', async (request, reply) => {
    const form = formOf(request);
    const client = authenticatedClient(request, form);
    const wanted = form.get('grant_type');
    if (wanted === null) throw new OAuthError('invalid_request', 'grant_type is missing');
    const grant = grants.find((each) => each === wanted);
    if (!grant) throw new OAuthError('unsupported_grant_type', 'no such grant type');
    if (!client.grants.includes(grant))
      throw new OAuthError('unauthorized_client', 'this client may not use this grant type');
    void reply.header('cache-control', 'no-store').header('pragma', 'no-cache');
    return claims[grant](state, client, form);
  });
}

/** A code is good for one try by its client. Another one means that it was stolen, so what came of it ends too. */
function redeem(
  { codes, sessions }: IssuerState,
  client: Client,
  form: URLSearchParams,
): { session: Session; nonce: string | undefined } {
  const code = codes.get(form.get('code') ?? '');
  if (!code || code.client.id !== client.id)
    throw new OAuthError('invalid_grant', 'no such code, or no longer');
  if (code.used) {
    if (code.session) sessions.end(code.session.id);
    throw new OAuthError('invalid_grant', 'the code was used before');
  }
  code.used = true;
  if (code.redirectUri !== form.get('redirect_uri'))
    throw new OAuthError('invalid_grant', 'not the redirect_uri that the code was sent to');
  const verifier = form.get('code_verifier') ?? '';
  if (!/^[\w.~-]{43,128}$/.test(verifier) || challengeOf(verifier) !== code.challenge)
    throw new OAuthError('invalid_grant', 'the code_verifier does not fit the code_challenge');
  code.session = sessions.begin(code.user, client, code.scopes);
  return { session: code.session, nonce: code.nonce };
}

const challengeOf = (verifier: string) => createHash('sha256').update(verifier).digest('base64url');
