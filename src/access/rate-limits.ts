import rateLimit from '@fastify/rate-limit';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { seconds } from '#time';

/** Requests per second that one process takes, over ten seconds. Zero is no limit. */
export type RateLimits = { readonly perAddress: number; readonly perCaller: number };

/** Whoever asks too often is told when to come back. */
class TooManyRequests extends Error {
  override readonly name = 'TooManyRequests';
  readonly statusCode = 429;
}

const span = seconds(10);

/** Load balancers have to hear that we are well, whatever others do. */
const unlimited = new Set(['/healthz', '/readyz']);

/**
 * `byAddress` comes before anybody is asked who they are: that costs something. `byCaller` comes after, so that those who
 * share an address do not share a limit.
 */
export async function rateLimits(app: FastifyInstance, { perAddress, perCaller }: RateLimits) {
  await app.register(rateLimit, { global: false });
  const byAddress = counted(app, perAddress, ({ ip }) => ip);
  const byCaller = counted(app, perCaller, ({ caller }) => JSON.stringify(caller?.client));
  return {
    byAddress: () => app.addHook('onRequest', byAddress),
    byCaller: () =>
      app.addHook('onRequest', async (request, reply) => {
        if (request.caller) await byCaller(request, reply);
      }),
  };
}

function counted(
  app: FastifyInstance,
  perSecond: number,
  keyGenerator: (request: FastifyRequest) => string,
) {
  if (perSecond === 0) return async () => {};
  const count = app.createRateLimit({
    max: Math.ceil((perSecond * span) / seconds(1)),
    timeWindow: span,
    keyGenerator,
  });
  return async (request: FastifyRequest, reply: FastifyReply) => {
    if (unlimited.has(request.routeOptions.url ?? '')) return;
    const limit = await count(request);
    if (limit.isAllowed || !limit.isExceeded) return;
    reply.header('retry-after', String(Math.max(1, limit.ttlInSeconds)));
    throw new TooManyRequests(
      `too many requests: ${perSecond} per second are allowed, over ${span / seconds(1)} seconds`,
    );
  };
}
