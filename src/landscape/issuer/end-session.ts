import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { isRedirectUriOf, parametersOf } from './clients.ts';
import { clients } from './demo-accounts.ts';
import type { IssuerState } from './issuer-state.ts';
import { sendMessage } from './pages.ts';

/** `/end_session`: ends the session that an id token belongs to, and sends the browser where its client wants it. */
export function serveEndOfSession(app: FastifyInstance, { keys, sessions }: IssuerState): void {
  const answer = async (request: FastifyRequest, reply: FastifyReply) => {
    const asked = parametersOf(request);
    const hint = await keys.claimsOf(asked.get('id_token_hint') ?? '');
    if (typeof hint?.['sid'] === 'string') sessions.end(hint['sid']);

    const client = clients.find(({ id }) => id === (hint?.aud ?? asked.get('client_id')));
    const target = asked.get('post_logout_redirect_uri');
    if (!client || target === null || !isRedirectUriOf(client, target))
      return sendMessage(reply, 'Logged out', 'You may close this window.');
    const url = new URL(target);
    const state = asked.get('state');
    if (state !== null) url.searchParams.set('state', state);
    return reply.redirect(url.href, 303);
  };
  app.get('/end_session', answer);
  app.post('/end_session', answer);
}
