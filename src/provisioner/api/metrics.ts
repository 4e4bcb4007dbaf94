import type { FastifyInstance } from 'fastify';
import { collectDefaultMetrics, Gauge, Registry } from 'prom-client';
import type { Api } from './api.ts';

/** Counted when somebody asks. Those with the type in their name are the original's. */
export function serveMetrics(app: FastifyInstance, { engine }: Pick<Api, 'engine'>): void {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const open = new Gauge({
    name: 'kcp_provisioner_open_operations',
    help: 'Operations that have not ended, by type and state',
    labelNames: ['type', 'state'],
    registers: [registry],
  });
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
    open.reset();
    for (const gauge of ofTypes.values()) gauge.set(0);
    for (const { type, state, count } of counts) {
      open.set({ type, state }, count);
      if (state === 'in progress') ofTypes.get(type)?.set(count);
    }
    return reply.type(registry.contentType).send(await registry.metrics());
  });
}
