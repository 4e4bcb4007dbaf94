import type { FastifyInstance } from 'fastify';
import { seconds } from '#time';
import type { SimulatedTime } from '../simulated-time.ts';
import { Tokens } from '../tokens.ts';

const resource = 'https://management.azure.com/';

type Request = { Querystring: Record<string, string | undefined> };

/** Azure AD's token endpoint: credentials in the form alone, for one resource, and numbers as strings. */
export function activeDirectory(time: SimulatedTime) {
  // Whoever brings an ID and any secret: there are no accounts to set up in a simulator.
  const tokens = new Tokens(time, (id, secret) => id !== '' && secret !== '');
  tokens.acceptsBasic = false;
  return {
    check: tokens.check,
    state: tokens.state,
    serve(app: FastifyInstance): void {
      void app.register(async (scope) => {
        scope.addHook<Request>('preHandler', async ({ body, query }, reply) => {
          const form = new URLSearchParams(typeof body === 'string' ? body : '');
          if (query['api-version'] !== '1.0')
            return reply.code(400).send({ error: 'invalid_request' });
          if (form.get('resource') !== resource)
            return reply.code(400).send({ error: 'invalid_resource' });
          return undefined;
        });
        scope.addHook('preSerialization', async (_request, reply, payload) => {
          if (reply.statusCode !== 200) return payload;
          const now = Math.floor(time.date().getTime() / seconds(1));
          const lifetime = tokens.lifetime / seconds(1);
          return {
            ...(payload as { access_token: string }), // from Tokens, which issues nothing without it
            token_type: 'Bearer',
            expires_in: String(lifetime),
            expires_on: String(now + lifetime),
            not_before: String(now),
            resource,
          };
        });
        tokens.serve(scope, '/:tenant/oauth2/token');
      });
    },
  };
}
