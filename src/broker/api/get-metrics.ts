import { collectDefaultMetrics, Registry } from 'prom-client';
import { engineMetrics } from '#engine';
import { jobMetrics } from '../jobs/job-metrics.ts';
import { brokerMetrics } from '../operators/broker-metrics.ts';
import type { Api, OpenHandler } from './api.ts';

/** Counted when somebody asks. */
export function getMetrics(
  api: Pick<Api, 'engine' | 'jobs' | 'database' | 'plans' | 'api'>,
): OpenHandler {
  const registry = api.api.metrics ?? new Registry();
  collectDefaultMetrics({ register: registry });
  const countOperations = engineMetrics(registry, api.engine, 'kcp_broker');
  const countInstances = brokerMetrics(registry, api);
  const countJobs = jobMetrics(registry, api);
  return async (_request, reply) => {
    await Promise.all([countOperations(), countInstances(), countJobs()]);
    return reply.type(registry.contentType).send(await registry.metrics());
  };
}
