import { z } from 'zod';
import { inTransaction } from '#database';
import { Refusal } from '../errors.ts';
import type { Instance } from '../instance.ts';
import { parseUpdateParameters } from '../plans/parse-parameters.ts';
import { upgradesOf, type Plan, type Plans } from '../plans/plans.ts';
import { isSame } from '../wanted-changes.ts';
import type { Answer, Api, Handler, OsbRequest } from './api.ts';
import { changeSuspension, hasExpired } from './change-suspension.ts';
import { findInstance, isStillUsable, type Found } from './instance-state.ts';
import { metadataOf } from './labels.ts';
import { checkMaintenance, checkService, offeredPlan } from './offered-plan.ts';
import { contextChange, contextSchema, type ContextChange } from './order-context.ts';
import {
  maintenanceInfo,
  mandatory,
  optionalObject,
  optionalText,
  readBody,
  requireAsync,
} from './read-request.ts';
import type { UpdateRequest } from './settings.ts';

const UpdateBody = z.object({
  service_id: mandatory,
  plan_id: optionalText(),
  context: contextSchema,
  parameters: z.unknown().optional(),
  previous_values: optionalObject({}),
  maintenance_info: maintenanceInfo,
});
type UpdateBody = z.output<typeof UpdateBody>;

/** `PATCH /v2/service_instances/:instance_id`. A new context alone is stored at once; everything else takes an operation. */
export const updateInstance =
  (api: Api): Handler =>
  async ({ instanceId, query, body }) => {
    const asked = readBody(UpdateBody, body);
    const { plans } = api;
    checkService(plans, asked.service_id);
    if (asked.plan_id !== undefined) knownPlan(plans, asked.plan_id);
    const context = contextChange(asked.context);
    if (hasParameters(asked) || asked.maintenance_info) requireAsync(query);

    const found = await findInstance(api, instanceId);
    if (!found || found.state === 'remains')
      throw new Refusal('INSTANCE_UNKNOWN', `there is no instance ${instanceId}`);
    checkCanChange(found);
    checkMaintenance(api.api, asked.maintenance_info);
    const { instance } = found;
    if (instance.expiredAt && !expiresAgain(asked))
      return counted(api, instance, await updateExpired(api, found, asked));
    const current = knownPlan(plans, instance.planId);
    const parameters = parseUpdateParameters(
      current,
      asked.parameters,
      instance.platform,
      instance.parameters,
    );
    const plan = targetPlan(plans, current, asked.plan_id ?? current.id);
    const update: UpdateRequest = {
      plan,
      parameters,
      context,
      maintenanceVersion: asked.maintenance_info?.version,
    };
    const isMore = plan.id !== instance.planId || asked.maintenance_info !== undefined;
    const active = asked.context?.active;
    const wish = { active, context, parameters, isMore, query };
    const suspension = await changeSuspension(api, instanceId, wish);
    const answer = suspension ?? (await change(api, found, update, { asked, query }));
    await moveTo(api, instanceId, asked.context?.globalaccount_id);
    return counted(api, instance, answer);
  };

/** Of a request that was answered at once and has changed nothing, this count is all that is left. */
async function counted(api: Api, before: Instance, answer: Answer): Promise<Answer> {
  if (answer.status !== 200) return answer;
  const { pool } = api.database;
  const after = await api.instances.get(pool, before.id);
  if (after && isSame({ ...after, updatedAt: undefined }, { ...before, updatedAt: undefined }))
    await api.instances.countEmptyUpdate(pool, before.id);
  return answer;
}

async function change(
  api: Api,
  found: Found,
  update: UpdateRequest,
  { asked, query }: { readonly asked: UpdateBody; readonly query: OsbRequest['query'] },
): Promise<Answer> {
  if (!needsOperation(api, found, asked, update)) return storeContext(api, found, update.context);
  requireAsync(query);
  return startUpdate(api, found, update);
}

/** The same request again that has ended its time: whoever lost the answer may ask once more. */
const expiresAgain = ({ parameters, context }: UpdateBody) =>
  context?.active === false &&
  typeof parameters === 'object' &&
  parameters !== null &&
  'expired' in parameters;

/** Platforms move its subaccount like any other, and must not fail at that. */
async function updateExpired(
  api: Api,
  { instance: { id } }: Found,
  { context }: UpdateBody,
): Promise<Answer> {
  if (context?.globalaccount_id === undefined) throw hasExpired(id);
  await moveTo(api, id, context.globalaccount_id);
  return { status: 200, body: {} };
}

/** A subaccount has gone to another global account, and its instances with it. */
async function moveTo(api: Api, id: string, account: string | undefined): Promise<void> {
  if (!api.api.subaccountMovement || account === undefined) return;
  await inTransaction(api.database, async (db) => {
    const instance = await api.instances.lock(db, id);
    if (instance && instance.globalAccount !== account)
      await api.instances.move(db, instance, account);
  });
}

const hasParameters = ({ parameters }: UpdateBody) =>
  typeof parameters === 'object' && parameters !== null
    ? Object.keys(parameters).length > 0
    : parameters !== undefined && parameters !== null;

/** Instances keep their plan, even if nobody can order it any more. */
const knownPlan = (plans: Plans, id: string): Plan => plans.find(id) ?? offeredPlan(plans, id);

function checkCanChange({ instance: { id }, state, last }: Found): void {
  const busy = (what: string) => new Refusal('OPERATION_IN_PROGRESS', `the instance ${id} ${what}`);
  const hopeless = (message: string) =>
    new Refusal('UPDATE_NOT_POSSIBLE', message, {
      consequences: { update_repeatable: false, instance_usable: false },
    });
  if (state === 'provisioning') throw busy('is being provisioned');
  if (state === 'deprovisioning') throw busy('is being deprovisioned');
  if (state === 'provision failed')
    throw hopeless(`Unable to process an update of a failed instance: ${id} was never provisioned`);
  if (state === 'deprovision failed' && !isStillUsable(last))
    throw hopeless(
      `Unable to process an update of a deprovisioned instance: ${id} is half removed`,
    );
}

function targetPlan(plans: Plans, current: Plan, id: string): Plan {
  if (id === current.id) return current;
  const wanted = offeredPlan(plans, id);
  const allowed = upgradesOf(current);
  if (allowed.includes(wanted.name)) return wanted;
  throw new Refusal(
    'UPDATE_NOT_SUPPORTED',
    `plan_id is ${id}: an instance of plan ${current.name} cannot change to ${wanted.name} (allowed: ${allowed.join(', ') || 'none'})`,
    { consequences: { update_repeatable: false } },
  );
}

function needsOperation(
  { api }: Api,
  { instance }: Found,
  asked: UpdateBody,
  { plan, context }: UpdateRequest,
): boolean {
  return (
    hasParameters(asked) ||
    plan.id !== instance.planId ||
    asked.maintenance_info !== undefined ||
    // The cluster has to learn of it.
    (api.startUpdate !== undefined && Object.keys(context).length > 0)
  );
}

async function storeContext(api: Api, { instance, state }: Found, context: ContextChange) {
  const { instances, database } = api;
  const { id } = instance;
  if (Object.keys(context).length > 0) {
    if (state === 'updating')
      throw new Refusal('OPERATION_IN_PROGRESS', `the instance ${id} is being updated`);
    await inTransaction(database, async (db) => {
      const locked = await instances.lock(db, id);
      if (locked) await instances.setContext(db, id, { ...locked.context, ...context });
    });
  }
  return { status: 200, body: {} };
}

async function startUpdate(api: Api, { instance }: Found, update: UpdateRequest): Promise<Answer> {
  const { startUpdate: start } = api.api;
  if (!start) {
    throw new Refusal(
      'UPDATE_NOT_SUPPORTED',
      `this broker changes nothing of an instance but its context (of instance ${instance.id}, plan ${instance.planName})`,
      { consequences: { update_repeatable: false } },
    );
  }
  const operation = await inTransaction(api.database, (db) => start(api, instance, update, db));
  const changed = (await api.instances.get(api.database.pool, instance.id)) ?? instance;
  return {
    status: 202,
    body: {
      dashboard_url: changed.dashboardUrl,
      operation: operation.id,
      metadata: metadataOf(api.api, changed),
    },
  };
}
