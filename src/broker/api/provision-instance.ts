import type { PoolClient } from 'pg';
import { z } from 'zod';
import { inTransaction } from '#database';
import { Refusal } from '../errors.ts';
import type { Instance } from '../instance.ts';
import { hasEuAccess } from '../plans/cluster-location.ts';
import { parseProvisioningParameters } from '../plans/parse-parameters.ts';
import type { Plan } from '../plans/plans.ts';
import { startProvisioning, type NewOrder } from '../start-provisioning.ts';
import type { Answer, Api, Handler } from './api.ts';
import { findInstance, isStillUsable, type Found } from './instance-state.ts';
import { metadataOf } from './labels.ts';
import { checkMaintenance, checkService, offeredPlan } from './offered-plan.ts';
import { contextSchema, orderContext } from './order-context.ts';
import {
  maintenanceInfo,
  mandatory,
  optionalText,
  readBody,
  requireAsync,
} from './read-request.ts';
import { isSameOrder, type AskedOrder } from './same-order.ts';

const ProvisionRequest = z.object({
  service_id: mandatory,
  plan_id: mandatory,
  organization_guid: optionalText(),
  space_guid: optionalText(),
  context: contextSchema,
  parameters: z.unknown().optional(),
  maintenance_info: maintenanceInfo,
});

/** `PUT /v2/service_instances/:instance_id`. A 202 means that instance and operation are stored, and will not get lost. */
export const provisionInstance =
  (api: Api): Handler =>
  async ({ instanceId, query, body, platform, originator }) => {
    const asked = readBody(ProvisionRequest, body);
    const context = orderContext(asked.context, asked, originator);
    checkService(api.plans, asked.service_id);
    const plan = offeredPlan(api.plans, asked.plan_id);
    requireAsync(query);
    const { service_id: serviceId, parameters } = asked;
    const order = { serviceId, planId: plan.id, region: platform.region, context, parameters };
    for (;;) {
      const found = await findInstance(api, instanceId);
      if (found) return repeated(api, found, order);
      checkMaintenance(api.api, asked.maintenance_info);
      const checked: NewOrder = {
        instanceId,
        serviceId,
        plan,
        platform,
        context,
        parameters: parseProvisioningParameters(plan, parameters ?? {}, platform),
        maintenanceVersion: api.api.maintenance?.version,
      };
      checkEuAccess(api, checked);
      const operation = await inTransaction(api.database, async (db) => {
        await checkTrial(api, checked, db);
        return startProvisioning(api, checked, db);
      });
      if (operation) return accepted(api, await stored(api, instanceId, checked), operation.id);
      // The same id came in by another request just now: then this one is its repetition. Or a name was taken by chance.
      await checkShootName(api, checked);
    }
  };

type Shown = Pick<Instance, 'id' | 'planName' | 'parameters' | 'dashboardUrl'>;

/** Already finished and removed, if somebody was very quick: then there is no dashboard to show. */
async function stored({ instances, database }: Api, id: string, order: NewOrder): Promise<Shown> {
  const { plan, parameters } = order;
  const instance = await instances.get(database.pool, id);
  return instance ?? { id, planName: plan.name, parameters, dashboardUrl: '' };
}

const accepted = (api: Api, instance: Shown, operation: string): Answer => ({
  status: 202,
  body: { ...bodyOf(api, instance), operation },
});

const bodyOf = ({ api }: Api, instance: Shown) => ({
  ...(instance.dashboardUrl && { dashboard_url: instance.dashboardUrl }),
  metadata: metadataOf(api, instance),
});

/** What is there counts, not what was asked for first: updates have changed it since. */
function repeated(api: Api, { instance, last, state }: Found, asked: AskedOrder): Answer {
  const { id } = instance;
  if (state === 'remains')
    throw conflict(`an earlier instance ${id} is not completely removed yet: delete it again`);
  if (!isSameOrder(instance, asked))
    throw conflict(`there is an instance ${id} already, with other attributes`);
  switch (state) {
    case 'provisioning':
      return accepted(api, instance, last.id);
    case 'ready':
    case 'updating':
    case 'suspending':
    case 'suspended':
    case 'unsuspending':
      return { status: 200, body: bodyOf(api, instance) };
    case 'provision failed':
      throw conflict(`the provisioning of the instance ${id} has failed: delete it first`);
    case 'deprovisioning':
      throw new Refusal('OPERATION_IN_PROGRESS', `the instance ${id} is being deprovisioned`);
    case 'deprovision failed':
      if (isStillUsable(last)) return { status: 200, body: bodyOf(api, instance) };
      throw conflict(`the deprovisioning of the instance ${id} has failed: delete it again`);
  }
}

const conflict = (message: string) => new Refusal('INSTANCE_CONFLICT', message);

function checkEuAccess({ api }: Api, { plan, platform, context }: NewOrder): void {
  if (!hasEuAccess(plan, platform)) return;
  if (api.euAccess.globalAccounts.has(context.globalaccount_id)) return;
  throw new Refusal('EU_ACCESS_REFUSED', api.euAccess.rejection);
}

async function checkTrial(
  { api, instances }: Api,
  { plan, instanceId, context: { globalaccount_id: account } }: NewOrder,
  db: PoolClient,
): Promise<void> {
  if (!isLimited(plan) || !api.onlyOneTrialPerAccount) return;
  const other = await instances.otherOfPlan(db, { account, plan: plan.name, id: instanceId });
  if (other === undefined) return;
  throw new Refusal(
    'TRIAL_LIMIT_REACHED',
    `trial Kyma was created for the global account, but there is only one allowed (globalaccount_id ${account})`,
  );
}

/** Customers who bring their cluster name it themselves. */
async function checkShootName(
  { instances, database }: Api,
  { instanceId, parameters: { shootName } }: NewOrder,
): Promise<void> {
  if (shootName === undefined || (await instances.get(database.pool, instanceId))) return;
  if (!(await instances.isShootTaken(database.pool, shootName))) return;
  throw new Refusal(
    'SHOOT_NAME_TAKEN',
    `shootName is ${shootName}: another instance has it already, allowed is one that is free`,
  );
}

const isLimited = ({ name }: Plan) => name === 'trial';
