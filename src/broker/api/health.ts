import type { Api, OpenHandler } from './api.ts';

/** The process answers. */
export const isAlive: OpenHandler = async (_request, reply) => reply.type('text/plain').send('ok');

/** It can store what it accepts. */
export const isReady =
  ({ database }: Pick<Api, 'database'>): OpenHandler =>
  async (request, reply) => {
    try {
      await database.pool.query('select 1');
      return await reply.type('text/plain').send('ok');
    } catch (error) {
      request.log.warn({ err: error }, 'the database cannot be reached');
      return reply.code(503).type('text/plain').send('the database cannot be reached');
    }
  };
