import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyInstance } from 'fastify';
import type { Engine } from '#engine';
import type { Milliseconds } from '#time';

type Service = {
  readonly app: FastifyInstance;
  readonly engine: Engine;
  readonly place: { readonly host: string; readonly port: number };
  /** So long requests are served after the shutdown has begun: until nobody sends any here. */
  readonly drain: Milliseconds;
};

/** Serves requests and runs operations until the signal is aborted. Operations go to other replicas at once. */
export async function serveUntil(
  shutdown: AbortSignal,
  { app, engine, place, drain }: Service,
  onReady: (address: string) => void,
): Promise<void> {
  const drained = async () => {
    if (!shutdown.aborted) await once(shutdown, 'abort');
    await sleep(drain);
  };
  try {
    onReady(await app.listen(place));
    await Promise.all([engine.run(shutdown), drained()]);
  } finally {
    await app.close();
  }
}
