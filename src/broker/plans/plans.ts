import type { Catalog, PlanDefinition } from './catalog-schema.ts';
import { InvalidParameters } from './invalid-parameters.ts';
import type { PlanSettings } from './plan-settings.ts';

/** A plan with all that is needed to check an order of it. */
export type Plan = PlanDefinition & {
  readonly name: string;
  readonly catalog: Catalog;
  readonly settings: PlanSettings;
};

export type Plans = {
  readonly service: Catalog['service'];
  /** Those that can be ordered, by name. */
  readonly enabled: readonly Plan[];
  /** By id, and only if it can be ordered. */
  readonly get: (id: string) => Plan | undefined;
  /** By id, whether it can still be ordered or not: instances outlive what the catalog offers. */
  readonly find: (id: string) => Plan | undefined;
};

export function createPlans(catalog: Catalog, settings: PlanSettings): Plans {
  const all = Object.entries(catalog.plans).map(([name, definition]): Plan => ({
    ...definition,
    name,
    catalog,
    settings,
  }));
  const unknown = settings.enabledPlans.find((name) => !Object.hasOwn(catalog.plans, name));
  if (unknown !== undefined) {
    const known = all.map(({ name }) => name).join(', ');
    throw new Error(`unrecognized ${unknown} plan name: the catalog has ${known}`);
  }
  const { trialProvider } = settings;
  const unfit = all.find(
    (plan) => plan.providerFrom === 'parameter' && !plan.providers[trialProvider],
  );
  if (unfit) throw new Error(`plan ${unfit.name} is not offered on ${trialProvider}`);
  const enabled = all
    .filter(({ name }) => settings.enabledPlans.includes(name))
    .toSorted((one, other) => (one.name < other.name ? -1 : 1));
  return {
    service: catalog.service,
    enabled,
    get: (id) => enabled.find((plan) => plan.id === id),
    find: (id) => all.find((plan) => plan.id === id),
  };
}

/** The plans that an instance of this one may change to. */
export function upgradesOf(plan: Plan): readonly string[] {
  if (!plan.settings.planUpdates) return [];
  return plan.upgradableTo.filter((name) => plan.settings.enabledPlans.includes(name));
}

export function checkPlanUpdate(from: Plan, to: Plan): void {
  if (from.id === to.id || upgradesOf(from).includes(to.name)) return;
  const allowed = upgradesOf(from).join(', ') || 'none';
  throw new InvalidParameters(
    `plan upgrade from ${from.name} to ${to.name} is not allowed (allowed: ${allowed})`,
  );
}
