import type { Logger } from 'pino';
import { Gauge, type Registry } from 'prom-client';
import { seconds, type Milliseconds } from '#time';
import type { Api } from '../../api/api.ts';
import { accountMetrics } from './account-metrics.ts';
import { bindingMetrics } from './binding-metrics.ts';
import { durationMetrics } from './duration-metrics.ts';
import { gatherHappened } from './happened.ts';
import { instanceMetrics } from './instance-metrics.ts';
import { operationMetrics } from './operation-metrics.ts';
import { planIdsOf } from './plan-ids.ts';
import { queueMetrics } from './queue-metrics.ts';
import { reconcilerMetrics } from './reconciler-metrics.ts';
import { resultMetrics } from './result-metrics.ts';
import { stepResultMetrics } from './step-result-metrics.ts';
import { updateMetrics } from './update-metrics.ts';

/** Counted from the database at most so often: whoever asks in between is told the same. */
const keptFor: Milliseconds = seconds(15);

/** The metrics that the documents name. Returns what counts them. */
export function brokerMetrics(
  registry: Registry,
  api: Pick<Api, 'engine' | 'database' | 'plans' | 'clients'>,
  closing: AbortSignal,
): (log: Pick<Logger, 'warn' | 'info'>) => Promise<void> {
  const { pool } = api.database;
  const planIds = planIdsOf(api.plans);
  const operations = operationMetrics(registry, pool, planIds);
  const countInstances = instanceMetrics(registry, pool);
  const others = [
    operations.look,
    updateMetrics(registry, pool),
    resultMetrics(registry, pool, planIds),
    stepResultMetrics(registry, pool, planIds),
    reconcilerMetrics(registry, pool),
  ];
  const happened = gatherHappened(api, planIds);
  const observeDuration = durationMetrics(registry);
  const countBindings = bindingMetrics(registry, api);
  const countQueues = queueMetrics(registry, api.engine);
  const countAccounts = accountMetrics(registry, api.clients.accounts, closing);
  const connections = new Gauge({
    name: 'kcp_broker_database_connections',
    help: 'Connections of this process to the database',
    labelNames: ['state'],
    registers: [registry],
  });

  const countHappened = async () => {
    for (const each of await happened()) {
      operations.count(each);
      observeDuration(each);
    }
  };
  // Not all at once: operations need their connections more than anybody needs this.
  const countOthers = async () => {
    for (const count of others) await count();
  };
  let last: { readonly at: Milliseconds; readonly done: Promise<unknown> } | undefined;
  return async (log) => {
    connections.set({ state: 'open' }, pool.totalCount);
    connections.set({ state: 'idle' }, pool.idleCount);
    connections.set({ state: 'waited for' }, pool.waitingCount);
    void countAccounts(log); // Gardener may take its time
    if (!last || performance.now() - last.at > keptFor) {
      last = { at: performance.now(), done: Promise.all([countInstances(), countOthers()]) };
      last.done.catch(() => (last = undefined)); // it is told to those who wait for it
    }
    await Promise.all([last.done, countHappened(), countBindings(), countQueues()]);
  };
}
