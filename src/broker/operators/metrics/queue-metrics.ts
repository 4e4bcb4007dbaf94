import { Gauge, type Registry } from 'prom-client';
import type { Engine } from '#engine';
import { newer } from './both-names.ts';

/** What dashboards call the queues. We have one for everything: of other types, the name is the type. */
const names: Readonly<Record<string, string>> = {
  provision: 'provisioning',
  deprovision: 'deprovisioning',
  update: 'update-processing',
};

/** What waits for a worker, and what has one, in all replicas. Returns what counts it. */
export function queueMetrics(registry: Registry, engine: Engine): () => Promise<void> {
  const gauge = (name: string, help: string) =>
    new Gauge({ name: newer + name, help, labelNames: ['queue_name'], registers: [registry] });
  const depth = gauge('queue_depth', 'Operations that are due, and that no worker has taken yet');
  const inUse = gauge('queue_workers_in_use', 'Operations that workers run now, in all replicas');

  return async () => {
    const queues = new Map((await engine.statistics.queues()).map((each) => [each.type, each]));
    for (const type of engine.definitions.types) {
      const { due = 0, running = 0 } = queues.get(type) ?? {};
      const labels = { queue_name: names[type] ?? type };
      depth.set(labels, due);
      inUse.set(labels, running);
    }
  };
}
