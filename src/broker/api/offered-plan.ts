import { Refusal } from '../errors.ts';
import { shortened } from '../plans/invalid-parameters.ts';
import type { Plan, Plans } from '../plans/plans.ts';
import type { ApiSettings } from './settings.ts';

export function checkService({ service }: Plans, id: string): void {
  if (id === service.id) return;
  throw new Refusal(
    'SERVICE_NOT_OFFERED',
    `service-id not in the catalog: service_id is ${shortened(id)}, offered is ${service.id} (${service.name})`,
  );
}

export function offeredPlan(plans: Plans, id: string): Plan {
  const plan = plans.get(id);
  if (plan) return plan;
  const offered = plans.enabled.map((each) => `${each.id} (${each.name})`).join(', ');
  throw new Refusal(
    'PLAN_NOT_OFFERED',
    `plan-id not in the catalog: plan_id is ${shortened(id)}, offered are ${offered}`,
  );
}

/** A platform that knows an old catalog does not get something that it does not know of. */
export function checkMaintenance(
  { maintenance }: Pick<ApiSettings, 'maintenance'>,
  asked: { readonly version: string } | undefined,
): void {
  if (!asked || asked.version === maintenance?.version) return;
  const offered = maintenance ? `is ${maintenance.version}` : 'has none';
  throw new Refusal(
    'MAINTENANCE_CONFLICT',
    `maintenance_info.version is ${shortened(asked.version)}, but the catalog's ${offered}: read the catalog again`,
  );
}
