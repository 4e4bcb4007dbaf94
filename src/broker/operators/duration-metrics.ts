import { exponentialBuckets, Histogram, linearBuckets, type Registry } from 'prom-client';
import type { OperationEvent } from '#engine';
import type { Api } from '../api/api.ts';

const steps = {
  provision: 'provisioning_step_duration_seconds',
  update: 'update_step_duration_seconds',
  deprovision: 'deprovisioning_step_duration_seconds',
} as const;
const ends = { provision: 'provisioning', deprovision: 'deprovisioning' } as const;

// Events do not say which plan: that is looked up when somebody asks, for so many of them.
const mostKept = 20_000;

type Kept = OperationEvent & { readonly kind: 'step' | 'ended' };

/** How long operations and their steps took in this process, by plan, under the names that the documents have. */
export function durationMetrics(
  registry: Registry,
  { engine, plans }: Pick<Api, 'engine' | 'plans'>,
): () => Promise<void> {
  const registers = [registry];
  const stepSeconds = new Map(
    Object.entries(steps).map(([type, name]) => [
      type,
      new Histogram({
        name: `kcp_keb_v2_${name}`,
        help: `How long runs of steps took: ${type}`,
        labelNames: ['plan_id', 'step_name'],
        buckets: exponentialBuckets(0.001, 2, 20),
        registers,
      }),
    ]),
  );
  const minutes = new Map(
    Object.entries(ends).map(([type, name]) => [
      type,
      (
        [
          [
            'compass_keb_',
            type === 'provision' ? linearBuckets(20, 2, 40) : linearBuckets(1, 1, 30),
          ],
          ['kcp_keb_v2_', linearBuckets(6, 2, 58)],
        ] as const
      ).map(
        ([prefix, buckets]) =>
          new Histogram({
            name: `${prefix}${name}_duration_minutes`,
            help: `How long it took: ${name}`,
            labelNames: ['plan_id'],
            buckets,
            registers,
          }),
      ),
    ]),
  );
  const planIds = new Map(plans.enabled.map(({ name, id }) => [name, id]));
  let kept: Kept[] = [];
  engine.listen((event) => {
    const isKept = event.kind === 'step' || (event.kind === 'ended' && event.state === 'succeeded');
    if (isKept && stepSeconds.has(event.type ?? '') && kept.length < mostKept) kept.push(event);
  });

  return async () => {
    const seen = kept;
    kept = [];
    if (seen.length === 0) return;
    const ids = [...new Set(seen.map(({ operation }) => operation))];
    const { operations } = await engine.list({ ids }, { limit: ids.length, offset: 0 });
    const planOf = new Map(
      operations.map(({ id, facts }) => [
        id,
        typeof facts['plan'] === 'string' ? facts['plan'] : '',
      ]),
    );
    for (const event of seen) {
      const plan = planOf.get(event.operation) ?? '';
      const plan_id = planIds.get(plan) ?? plan;
      const { type = '', duration } = event;
      if (event.kind === 'step')
        stepSeconds.get(type)?.observe({ plan_id, step_name: event.step }, duration / 1_000);
      else for (const each of minutes.get(type) ?? []) each.observe({ plan_id }, duration / 60_000);
    }
  };
}
