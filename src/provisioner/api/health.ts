import type { FastifyInstance } from 'fastify';
import type { Api } from './api.ts';

/** Alive: the process answers. Ready: it can store what it accepts. */
export function serveHealth(app: FastifyInstance, { database }: Pick<Api, 'database'>): void {
  app.get('/healthz', async (_request, reply) => reply.type('text/plain').send('ok'));
  app.get('/readyz', async (request, reply) => {
    try {
      await database.pool.query('select 1');
      return await reply.type('text/plain').send('ok');
    } catch (error) {
      request.log.warn({ err: error }, 'the database cannot be reached');
      return reply.code(503).type('text/plain').send('the database cannot be reached');
    }
  });
}
