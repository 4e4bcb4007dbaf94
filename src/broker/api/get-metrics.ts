import { collectDefaultMetrics, Registry } from 'prom-client';
import { engineMetrics } from '#engine';
import { jobMetrics } from '../jobs/job-metrics.ts';
import { brokerMetrics } from '../operators/metrics/broker-metrics.ts';
import type { Api, OpenHandler } from './api.ts';

/** Counted when somebody asks. */
export function getMetrics(
  api: Pick<Api, 'engine' | 'jobs' | 'database' | 'plans' | 'clients' | 'api'>,
  closing: AbortSignal,
): OpenHandler {
  const registry = api.api.metrics ?? new Registry();
  collectDefaultMetrics({ register: registry });
  const countOperations = engineMetrics(registry, api.engine, 'kcp_broker');
  const countInstances = brokerMetrics(registry, api, closing);
  const countJobs = jobMetrics(registry, api);
  return async ({ log }, reply) => {
    await Promise.all([countOperations(), countInstances(log), countJobs()]);
    return reply.type(registry.contentType).send(await registry.metrics());
  };
}
