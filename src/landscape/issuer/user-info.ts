import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { IssuerState } from './issuer-state.ts';
import { OAuthError } from './oauth-error.ts';
import { profileOf } from './token-answer.ts';

/** `/userinfo`: who stands behind an access token, as long as its session lasts. */
export function serveUserInfo(app: FastifyInstance, { accessTokens, sessions }: IssuerState): void {
  const answer = async ({ headers }: FastifyRequest) => {
    const [type, token = ''] = (headers.authorization ?? '').split(' ');
    const session = type?.toLowerCase() === 'bearer' ? accessTokens.get(token) : undefined;
    if (!session || !sessions.isOpen(session))
      throw new OAuthError('invalid_token', 'no token of a user who is logged in');
    if (!session.scopes.includes('openid'))
      throw new OAuthError('insufficient_scope', 'the token lacks the scope openid');
    return profileOf(session.user, session.scopes);
  };
  app.get('/userinfo', answer);
  app.post('/userinfo', answer);
}
