import type { Plans } from '../../plans/plans.ts';

/** Operations know their plans by name, dashboards by id. */
export type PlanIds = {
  /** Of the plans that can be ordered. */
  readonly all: readonly string[];
  /** The name itself if there is no such plan any more. */
  readonly of: (plan: string) => string;
};

export function planIdsOf({ enabled }: Plans): PlanIds {
  const ids = new Map(enabled.map(({ name, id }) => [name, id]));
  return { all: [...ids.values()], of: (plan) => ids.get(plan) ?? plan };
}
