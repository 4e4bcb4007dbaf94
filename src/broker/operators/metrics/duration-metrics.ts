import { exponentialBuckets, Histogram, linearBuckets, type Registry } from 'prom-client';
import { newer, older } from './both-names.ts';
import type { Happened } from './happened.ts';

const steps = {
  provision: 'provisioning_step_duration_seconds',
  update: 'update_step_duration_seconds',
  deprovision: 'deprovisioning_step_duration_seconds',
} as const;
const ends = {
  provision: { name: 'provisioning', olderBuckets: linearBuckets(20, 2, 40) },
  deprovision: { name: 'deprovisioning', olderBuckets: linearBuckets(1, 1, 30) },
} as const;

/** How long operations and their steps took in this process, by plan. Returns what is told of each event. */
export function durationMetrics(registry: Registry): (happened: Happened) => void {
  const registers = [registry];
  const stepSeconds = new Map(
    Object.entries(steps).map(([type, name]) => [
      type,
      new Histogram({
        name: newer + name,
        help: `How long runs of steps took: ${type}`,
        labelNames: ['plan_id', 'step_name'],
        buckets: exponentialBuckets(0.001, 2, 20),
        registers,
      }),
    ]),
  );
  const minutes = new Map(
    Object.entries(ends).map(([type, { name, olderBuckets }]) => {
      const byPlan = new Histogram({
        name: `${newer}${name}_duration_minutes`,
        help: `How long it took: ${name}`,
        labelNames: ['plan_id'],
        buckets: linearBuckets(6, 2, 58),
        registers,
      });
      const byOperation = operationMinutes(registry, name, olderBuckets);
      return [
        type,
        (happened: Happened, duration: number) => {
          byPlan.observe({ plan_id: happened.plan_id }, duration);
          byOperation(happened, duration);
        },
      ];
    }),
  );

  return (happened) => {
    const { event, plan_id } = happened;
    const { type = '', duration } = event;
    if (event.kind === 'step')
      stepSeconds.get(type)?.observe({ plan_id, step_name: event.step }, duration / 1_000);
    else if (event.state === 'succeeded') minutes.get(type)?.(happened, duration / 60_000);
  };
}

// Each is forty lines for every scrape.
const mostByOperation = 10;

/**
 * The older name has a histogram for each operation. Only the newest have theirs; when one is too old for that, it goes to
 * that of its plan, so that sums over all of them stay what they are.
 */
function operationMinutes(registry: Registry, name: string, buckets: number[]) {
  const histogram = new Histogram({
    name: `${older}${name}_duration_minutes`,
    help: `How long it took: ${name}; of the newest by operation, of the others by plan`,
    labelNames: ['operation_id', 'instance_id', 'global_account_id', 'plan_id'],
    buckets,
    registers: [registry],
  });
  const newest: { readonly labels: Record<string, string>; readonly minutes: number }[] = [];
  return ({ event, instance_id, global_account_id, plan_id }: Happened, minutes: number) => {
    const labels = { operation_id: event.operation, instance_id, global_account_id, plan_id };
    histogram.observe(labels, minutes);
    newest.push({ labels, minutes });
    const old = newest.length > mostByOperation && newest.shift();
    if (!old) return;
    histogram.remove(old.labels);
    histogram.observe({ plan_id: old.labels['plan_id'] ?? '' }, old.minutes);
  };
}
