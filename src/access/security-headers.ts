import type { FastifyInstance } from 'fastify';
import { days, seconds } from '#time';

/** What browsers shall make of answers that were not made for them. A route that serves a page says what that may do. */
export function securityHeaders(
  app: FastifyInstance,
  { isTls }: { readonly isTls: boolean },
): void {
  const headers = {
    'x-content-type-options': 'nosniff',
    'x-frame-options': 'DENY',
    'referrer-policy': 'no-referrer',
    'content-security-policy': `default-src 'none'; frame-ancestors 'none'`,
    'cache-control': 'no-store',
    ...(isTls && { 'strict-transport-security': `max-age=${days(365) / seconds(1)}` }),
  };
  app.addHook('onRequest', async (_request, reply) => {
    reply.headers(headers);
  });
}
