import { Gauge, type Registry } from 'prom-client';
import type { Api } from '../api/api.ts';

/** What the history says when somebody asks: the same from every replica. */
export function jobMetrics(
  registry: Registry,
  { jobs, database: { pool } }: Pick<Api, 'jobs' | 'database'>,
): () => Promise<void> {
  const gauge = <const Label extends string>(name: string, help: string, ...labels: Label[]) =>
    new Gauge({
      name: `kcp_broker_job_${name}`,
      help,
      labelNames: ['job', ...labels],
      registers: [registry],
    });
  const runs = gauge('runs', 'Runs of jobs on record, by job and state', 'state');
  const seconds = gauge('last_run_seconds', 'How long the last run took that ended so', 'state');
  const success = gauge('last_success_timestamp_seconds', 'When a run has last succeeded');
  const subjects = gauge('last_run_subjects', 'Of the last run, by what came of them', 'outcome');

  return async () => {
    await jobs.runs.settle(pool);
    for (const each of [runs, seconds, success, subjects]) each.reset();
    for (const { job, state, runs: count, last_ended, last_seconds } of await jobs.runs.statistics(
      pool,
    )) {
      runs.set({ job, state }, count);
      if (last_seconds !== null) seconds.set({ job, state }, last_seconds);
      if (state === 'succeeded' && last_ended !== null) success.set({ job }, last_ended);
    }
    for (const { job, counts } of await jobs.runs.newest(pool))
      for (const [outcome, count] of Object.entries(counts)) subjects.set({ job, outcome }, count);
  };
}
