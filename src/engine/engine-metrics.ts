import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import type { Engine } from './engine.ts';

/**
 * Counts what happens in this process, and returns what asks the database for the rest: the same from every replica.
 * `prefix`: of the service, `kcp_broker`.
 */
export function engineMetrics(
  registry: Registry,
  engine: Engine,
  prefix: string,
): () => Promise<void> {
  const registers = [registry];
  const gauge = <const Label extends string>(name: string, help: string, ...labelNames: Label[]) =>
    new Gauge({ name: `${prefix}_${name}`, help, labelNames, registers });
  const seconds = <const Label extends string>(
    name: string,
    help: string,
    buckets: number[],
    ...labelNames: Label[]
  ) => new Histogram({ name: `${prefix}_${name}`, help, labelNames, buckets, registers });
  const runs = new Counter({
    name: `${prefix}_step_runs_total`,
    help: 'Runs of steps in this process, by what came of them',
    labelNames: ['type', 'step', 'outcome'],
    registers,
  });
  const ended = new Counter({
    name: `${prefix}_operations_ended_total`,
    help: 'Operations that have ended in this process',
    labelNames: ['type', 'state'],
    registers,
  });
  const stepSeconds = seconds(
    'step_duration_seconds',
    'How long runs of steps took',
    [0.01, 0.05, 0.1, 0.5, 1, 5, 10, 30, 60, 300],
    'type',
    'step',
  );
  const attempts = seconds(
    'step_attempts',
    'In which attempt steps were done, or given up',
    [1, 2, 3, 5, 10, 20, 50, 100, 500],
    'type',
    'step',
  );
  const operationSeconds = seconds(
    'operation_duration_seconds',
    'How long operations took, waiting included',
    [1, 10, 60, 300, 900, 1_800, 3_600, 7_200, 21_600, 86_400],
    'type',
    'state',
  );
  const lateness = seconds(
    'claim_lateness_seconds',
    'How late what was due was taken up in this process',
    [0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 30, 300],
  );
  const running = gauge('running_operations', 'Operations that this process holds and runs');
  const open = gauge('open_operations', 'Operations that have not ended', 'type', 'state');
  const activity = gauge('operations_now', 'Operations by what they do at this moment', 'activity');
  const oldest = gauge('oldest_due_seconds', 'For how long the oldest has been due');
  const replicas = gauge('replicas', 'Replicas that live');
  const leases = gauge('leases_held', 'Operations that each replica holds', 'replica');

  engine.listen((event) => {
    const { type = '' } = event;
    if (event.kind === 'claimed') lateness.observe(event.late / 1_000);
    if (event.kind === 'step') {
      const { step, outcome, attempt, duration } = event;
      runs.inc({ type, step, outcome });
      stepSeconds.observe({ type, step }, duration / 1_000);
      if (outcome !== 'wait' && outcome !== 'retry') attempts.observe({ type, step }, attempt);
    }
    if (event.kind === 'ended') {
      ended.inc({ type, state: event.state });
      operationSeconds.observe({ type, state: event.state }, event.duration / 1_000);
    }
  });

  return async () => {
    const [counts, { oldestDue, ...now }, living] = await Promise.all([
      engine.openOperations(),
      engine.statistics.now(),
      engine.statistics.replicas(),
    ]);
    running.set(engine.running);
    open.reset();
    for (const { type, state, count } of counts) open.set({ type, state }, count);
    for (const [what, count] of Object.entries(now)) activity.set({ activity: what }, count);
    oldest.set(oldestDue ? Math.max(0, (Date.now() - oldestDue.getTime()) / 1_000) : 0);
    replicas.set(living.length);
    leases.reset();
    for (const { name, running: held } of living) leases.set({ replica: name }, held);
  };
}
