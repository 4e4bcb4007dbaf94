import type { FastifyInstance } from 'fastify';
import type { Api } from './api.ts';
import { checkContentType, checkId, parseBody } from './read-request.ts';
import { operatorRoutes } from './routes.ts';
import type { Authorize } from './serve.ts';

/** The routes of those who run the landscape. Whether they may is checked before anything is read. */
export function serveOperators(app: FastifyInstance, api: Api, authorize: Authorize): void {
  for (const [method, url, right, handle] of operatorRoutes(api)) {
    app.route<{ Params: { readonly instanceId: string } }>({
      method,
      url,
      onRequest: (request) => authorize(request, right),
      handler: async ({ params: { instanceId }, headers, body: text }, reply) => {
        checkId('instance_id', instanceId);
        checkContentType(headers['content-type']);
        const given = parseBody(typeof text === 'string' ? text : '');
        const { status, body, headers: more = {} } = await handle({ instanceId, body: given });
        return reply.code(status).headers(more).send(body);
      },
    });
  }
}
