import type { FastifyInstance } from 'fastify';
import { milliseconds, seconds } from '#time';

/** Requests that are under way when the app closes may take so long. */
const lastAnswers = seconds(10);
/** A connection that has had its last answer is of no use to anybody. */
const lookForIdle = milliseconds(20);

/**
 * From the shutdown on the app tells load balancers to send requests elsewhere, and callers to come over another
 * connection; it still answers whoever comes, until it is closed.
 */
export function drain(app: FastifyInstance, shutdown: AbortSignal | undefined): void {
  app.addHook('onRequest', async ({ routeOptions: { url } }, reply) => {
    if (!shutdown?.aborted) return undefined;
    reply.header('connection', 'close');
    if (url !== '/readyz') return undefined;
    return reply.code(503).type('text/plain').send('shutting down');
  });
  app.addHook('preClose', async () => {
    if (!app.server.listening) return;
    const idle = setInterval(() => app.server.closeIdleConnections(), lookForIdle);
    const end = setTimeout(() => app.server.closeAllConnections(), lastAnswers);
    app.server.once('close', () => {
      clearInterval(idle);
      clearTimeout(end);
    });
  });
}
