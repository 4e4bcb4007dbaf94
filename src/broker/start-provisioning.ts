import { randomBytes } from 'node:crypto';
import type { PoolClient } from 'pg';
import type { Engine, StoredOperation } from '#engine';
import type { OrderContext } from './instance.ts';
import { clusterLocation } from './plans/cluster-location.ts';
import type { ProvisioningParameters } from './plans/parse-parameters.ts';
import type { Platform } from './plans/platform.ts';
import type { Plan } from './plans/plans.ts';
import type { Services } from './services.ts';
import type { Order } from './steps/conditions.ts';

/** A checked request for a new instance. */
export type NewOrder = {
  readonly instanceId: string;
  readonly serviceId: string;
  readonly plan: Plan;
  readonly platform: Platform;
  readonly context: OrderContext;
  readonly parameters: ProvisioningParameters;
  /** The catalog's: what is made today has had all maintenance. */
  readonly maintenanceVersion?: string | undefined;
};

/**
 * The instance and its operation: both, or none. Undefined if there is an instance of this id, or of the Shoot's name,
 * already. Throws SubjectBusy while an earlier instance of this id is being removed.
 */
export async function startProvisioning(
  { instances, settings, engine }: Services & { readonly engine: Engine },
  order: NewOrder,
  db: PoolClient,
): Promise<StoredOperation | undefined> {
  const { instanceId: id, serviceId, plan, platform, context, parameters } = order;
  const location = clusterLocation(plan, parameters, platform);
  const shootName = location ? newShootName() : (parameters.shootName ?? '');
  const isStored = await instances.insert(db, {
    id,
    serviceId,
    planId: plan.id,
    planName: plan.name,
    globalAccount: context.globalaccount_id,
    subaccount: context.subaccount_id,
    platform,
    provider: location?.provider ?? 'custom',
    region: location?.region ?? 'custom',
    context,
    parameters,
    maintenanceVersion: order.maintenanceVersion,
    shootName,
    shootDomain: location ? `${shootName}.${settings.shootDomain}` : (parameters.shootDomain ?? ''),
    dashboardUrl: location
      ? `${settings.dashboardUrl}/?kubeconfigID=${encodeURIComponent(id)}`
      : settings.dashboardUrl,
  });
  if (!isStored) return undefined;
  return engine.start('provision', id, orderFacts(plan.name, context), {
    account: context.globalaccount_id,
    // The removal of an earlier instance of this id may not be over, and it goes by the id.
    onlyIfFree: true,
    db,
  });
}

export const orderFacts = (plan: string, context: OrderContext): Order => ({
  plan,
  hasBtpCredentials: context.sm_operator_credentials !== undefined,
});

/** Seven hexadecimal digits; it must begin with a letter. */
function newShootName(): string {
  const name = randomBytes(4).toString('hex').slice(0, 7);
  return /^\d/.test(name) ? `c-${name}` : name;
}
