import { collectDefaultMetrics, Gauge, Registry } from 'prom-client';
import type { Api, OpenHandler } from './api.ts';

/** Counted when somebody asks. */
export function getMetrics({ engine }: Pick<Api, 'engine'>): OpenHandler {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const open = new Gauge({
    name: 'kcp_broker_open_operations',
    help: 'Operations that have not ended, by type and state',
    labelNames: ['type', 'state'],
    registers: [registry],
  });
  return async (_request, reply) => {
    const counts = await engine.openOperations();
    open.reset();
    for (const { type, state, count } of counts) open.set({ type, state }, count);
    return reply.type(registry.contentType).send(await registry.metrics());
  };
}
