import type { Pool } from 'pg';
import { Counter, Gauge, type Registry } from 'prom-client';
import { newer, older } from './both-names.ts';
import type { Happened } from './happened.ts';
import type { PlanIds } from './plan-ids.ts';

const kinds = {
  provision: 'provisioning',
  deprovision: 'deprovisioning',
  update: 'updating',
} as const;
const states = { failed: 'failed', 'in progress': 'in_progress', succeeded: 'succeeded' } as const;
type Type = keyof typeof kinds;
type State = keyof typeof states;

/**
 * Operations by plan. The older names are gauges for all that is on record; of the newer ones those for what has ended are
 * counters, and so count what has ended in this process.
 */
export function operationMetrics(registry: Registry, pool: Pool, planIds: PlanIds) {
  const options = (prefix: string, type: Type, state: State, where: string) => ({
    name: `${prefix}operations_${kinds[type]}_${states[state]}_total`,
    help: `Operations${where}: ${kinds[type]}, ${states[state]}`,
    labelNames: ['plan_id'] as const,
    registers: [registry],
  });
  const gauges = new Map<string, Gauge<'plan_id'>[]>();
  const counters = new Map<string, Counter<'plan_id'>>();
  for (const type of Object.keys(kinds) as Type[])
    for (const state of Object.keys(states) as State[]) {
      const onRecord = new Gauge(options(older, type, state, ''));
      if (state === 'in progress') {
        const now = new Gauge(options(newer, type, state, ''));
        gauges.set(keyOf(type, state), [onRecord, now]);
      } else {
        gauges.set(keyOf(type, state), [onRecord]);
        const counter = new Counter(options(newer, type, state, ' that ended in this process'));
        // From the beginning: whoever looks for what is added misses the first one otherwise.
        for (const plan_id of planIds.all) counter.inc({ plan_id }, 0);
        counters.set(keyOf(type, state), counter);
      }
    }

  return {
    look: async (): Promise<void> => {
      const found = await counted(pool);
      for (const gauge of [...gauges.values()].flat()) {
        gauge.reset();
        for (const plan_id of planIds.all) gauge.set({ plan_id }, 0);
      }
      for (const { type, state, plan, count } of found)
        for (const gauge of gauges.get(keyOf(type, state)) ?? [])
          gauge.inc({ plan_id: planIds.of(plan) }, count);
    },
    count: ({ event, plan_id }: Happened): void => {
      if (event.kind === 'ended') counters.get(keyOf(event.type, event.state))?.inc({ plan_id });
    },
  };
}

const keyOf = (type: string | undefined, state: string) => `${type} ${state}`;

type Counted = {
  readonly type: Type;
  readonly state: State;
  readonly plan: string;
  readonly count: number;
};

/** Those that do not know their plan (yet) have that of their instance: there may be two counts for a plan. */
async function counted(pool: Pool): Promise<Counted[]> {
  const { rows } = await pool.query<Counted>(
    `with counted as materialized (
       select type, state, facts ->> 'plan' as plan, count(*)::int as count,
              array_agg(subject) filter (where not facts ? 'plan') as subjects
         from operations where type = any($1) and state = any($2) group by 1, 2, 3)
     select type, state, plan, count from counted where plan is not null
     union all
     select type, state, coalesce(plan_name, ''), count(*)::int
       from counted cross join unnest(subjects) subject left join instances on id = subject group by 1, 2, 3`,
    [Object.keys(kinds), Object.keys(states)],
  );
  return rows;
}
