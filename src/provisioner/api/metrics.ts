import type { FastifyInstance } from 'fastify';
import { collectDefaultMetrics, Gauge, Registry } from 'prom-client';
import { engineMetrics } from '#engine';
import type { Api } from './api.ts';

/** Counted when somebody asks. Those with the type in their name are the original's. */
export function serveMetrics(
  app: FastifyInstance,
  { engine }: Pick<Api, 'engine'>,
  registry = new Registry(),
): void {
  collectDefaultMetrics({ register: registry });
  const countOperations = engineMetrics(registry, engine, 'kcp_provisioner');
  const ofTypes = new Map(
    engine.definitions.types.map((type) => [
      type,
      new Gauge({
        name: `kcp_provisioner_in_progress_${type}_operations_total`,
        help: `Operations of type ${type} in progress`,
        registers: [registry],
      }),
    ]),
  );
  app.get('/metrics', async (_request, reply) => {
    const counts = await engine.openOperations();
    for (const gauge of ofTypes.values()) gauge.set(0);
    for (const { type, state, count } of counts)
      if (state === 'in progress') ofTypes.get(type)?.set(count);
    await countOperations();
    return reply.type(registry.contentType).send(await registry.metrics());
  });
}
