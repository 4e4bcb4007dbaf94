import type { ServerOptions } from 'node:http';
import type { FastifyInstance } from 'fastify';
import { seconds, type Milliseconds } from '#time';
import { drain } from './drain.ts';
import { rateLimits, type RateLimits } from './rate-limits.ts';
import { securityHeaders } from './security-headers.ts';

/** How a service meets the network. */
export type FrontDoor = {
  /** Without it, HTTP. */
  readonly tls?: { readonly certificate: string; readonly key: string };
  readonly rates?: RateLimits;
  /** Whose word counts on where a request comes from: addresses and networks. */
  readonly trustedProxies?: readonly string[];
  readonly slowClients?: SlowClients;
  /** From its abort on nobody is invited any more. */
  readonly shutdown?: AbortSignal;
};

/** Within which time requests have to arrive. */
export type SlowClients = {
  readonly headers: Milliseconds;
  readonly request: Milliseconds;
  /** How often it is looked who is too slow. */
  readonly lookEvery: Milliseconds;
};

const patience: SlowClients = {
  headers: seconds(10),
  request: seconds(30),
  lookEvery: seconds(5),
};

/** For fastify(). Connections end when they are idle, so that nobody loses the answer to a request at a shutdown. */
export function serverOptions({ tls, trustedProxies = [], slowClients = patience }: FrontDoor) {
  const server: ServerOptions = {
    headersTimeout: slowClients.headers,
    connectionsCheckingInterval: slowClients.lookEvery,
  };
  const secured = tls && { ...server, cert: tls.certificate, key: tls.key };
  return {
    // Fastify's types have one app per kind of server; nothing here is different between them.
    ...((secured ? { https: secured } : { http: server }) as { http: ServerOptions }),
    requestTimeout: slowClients.request,
    ...(trustedProxies.length > 0 && { trustProxy: [...trustedProxies] }),
    forceCloseConnections: 'idle',
    return503OnClosing: false,
  } as const;
}

/** What every request meets: before `askWho` the limits of addresses, after it those of callers. */
export async function openFrontDoor(
  app: FastifyInstance,
  { tls, rates = { perAddress: 0, perCaller: 0 }, shutdown }: FrontDoor,
  askWho: () => void,
): Promise<void> {
  securityHeaders(app, { isTls: tls !== undefined });
  drain(app, shutdown);
  const limits = await rateLimits(app, rates);
  limits.byAddress();
  askWho();
  limits.byCaller();
}
