import type { PoolClient } from 'pg';
import { z } from 'zod';
import { inTransaction } from '#database';
import type { StoredOperation } from '#engine';
import type { Binding } from '../binding.ts';
import { Refusal } from '../errors.ts';
import type { Instance } from '../instance.ts';
import { parseBindingParameters } from '../plans/binding-parameters.ts';
import { startBinding } from '../start-binding.ts';
import { undoBinding } from '../start-unbinding.ts';
import type { Api, Handler } from './api.ts';
import { bindingBody } from './binding-body.ts';
import { lockBinding } from './binding-state.ts';
import { checkBindable } from './bindable.ts';
import { endedSoon } from './ended-soon.ts';
import { lockInstance } from './instance-state.ts';
import { checkService, offeredPlan } from './offered-plan.ts';
import { predecessorOf } from './predecessor.ts';
import {
  acceptsIncomplete,
  mandatory,
  optionalObject,
  readBody,
  asyncRequired,
} from './read-request.ts';
import { isSameBinding, type AskedBinding } from './same-binding.ts';

const givenText = z
  .string('must be a text')
  .min(1, 'is empty')
  .max(255, 'is longer than 255')
  .nullish()
  .transform((value) => value ?? undefined);
const everyRequest = {
  parameters: z.unknown().optional(),
  app_guid: givenText,
  bind_resource: optionalObject({ app_guid: givenText, route: givenText }),
};
const BindRequest = z.object({ service_id: mandatory, plan_id: mandatory, ...everyRequest });
/** All that a successor needs to know stands in its predecessor. */
const RotateRequest = z.object({
  predecessor_binding_id: mandatory,
  service_id: givenText,
  plan_id: givenText,
  ...everyRequest,
});

/**
 * `PUT /v2/service_instances/:instance_id/service_bindings/:binding_id`. Whoever accepts it gets an operation to follow;
 * the others wait, as long as it goes on at once.
 */
export const createBinding =
  (api: Api): Handler =>
  async ({ instanceId, bindingId, query, body }) => {
    const asked = readWish(api, body);
    const isPatient = acceptsIncomplete(query);
    const begun = await inTransaction(api.database, (db) =>
      begin(api, { bindingId, instanceId, asked }, db),
    );
    if (begun.kind === 'there') return { status: 200, body: bindingBody(begun.binding) };
    const { operation } = begun;
    if (isPatient) return { status: 202, body: { operation: operation.id } };

    const ended = await endedSoon(api.engine, operation.id, api.api.bindings.waitAtMost);
    const binding = await api.bindings.get(api.database.pool, bindingId);
    const status = begun.kind === 'new' ? 201 : 200;
    if (ended?.state === 'succeeded' && binding?.credentials)
      return { status, body: bindingBody(binding) };
    if (begun.kind === 'new') await undoBinding(api, { bindingId, instanceId }, operation);
    if (!ended) throw asyncRequired('the runtime cannot be entered at once');
    throw new Refusal('RUNTIME_FAILED', `the binding ${bindingId} failed: ${ended.description}`);
  };

function readWish({ plans }: Api, body: unknown): AskedBinding {
  const isRotation =
    typeof body === 'object' &&
    body !== null &&
    'predecessor_binding_id' in body &&
    body.predecessor_binding_id !== null;
  const asked = readBody(isRotation ? RotateRequest : BindRequest, body);
  const { service_id: serviceId, plan_id: planId, bind_resource: resource } = asked;
  if (serviceId !== undefined) checkService(plans, serviceId);
  if (planId !== undefined && !plans.find(planId)) offeredPlan(plans, planId);
  const app_guid = resource?.app_guid ?? asked.app_guid;
  const isSaid = asked.parameters !== undefined && asked.parameters !== null;
  return {
    serviceId,
    planId,
    parameters: isRotation && !isSaid ? undefined : parseBindingParameters(asked.parameters),
    bindResource:
      resource || app_guid
        ? { ...(app_guid && { app_guid }), ...(resource?.route && { route: resource.route }) }
        : undefined,
    predecessorId: 'predecessor_binding_id' in asked ? asked.predecessor_binding_id : undefined,
  };
}

type Wish = {
  readonly bindingId: string;
  readonly instanceId: string;
  readonly asked: AskedBinding;
};
type Begun =
  | { readonly kind: 'there'; readonly binding: Binding }
  | { readonly kind: 'new' | 'under way'; readonly operation: StoredOperation };

/** The instance is locked: of two requests at a time, the second sees what the first has stored. */
async function begin(
  api: Api,
  { bindingId, instanceId, asked }: Wish,
  db: PoolClient,
): Promise<Begun> {
  const found = await lockInstance(api, instanceId, db);
  if (!found || found.state === 'remains')
    throw new Refusal('INSTANCE_UNKNOWN', `there is no instance ${instanceId}`);
  const existing = await lockBinding(api, { bindingId, instanceId }, db);
  if (existing) return repeated(existing, asked);
  checkIds(found.instance, asked);
  checkBindable(api, found);
  const predecessor = await predecessorOf(api, { bindingId, instanceId, asked }, db);
  await checkNumber(api, instanceId, db);
  const { serviceId, planId, globalAccount } = found.instance;
  const binding = {
    id: bindingId,
    instanceId,
    serviceId,
    planId,
    parameters: asked.parameters ?? predecessor?.parameters ?? parseBindingParameters({}),
    bindResource: asked.bindResource ?? predecessor?.bindResource ?? {},
    predecessorId: asked.predecessorId,
  };
  const operation = await startBinding(api, binding, globalAccount, db);
  if (operation) return { kind: 'new', operation };
  throw conflict(`another instance has a binding ${bindingId}`);
}

function repeated(
  { binding, state, last }: NonNullable<Awaited<ReturnType<typeof lockBinding>>>,
  asked: AskedBinding,
): Begun {
  const { id } = binding;
  if (!isSameBinding(binding, asked))
    throw conflict(`there is a binding ${id} already, with other attributes`);
  switch (state) {
    case 'creating':
      return { kind: 'under way', operation: last };
    case 'ready':
      return { kind: 'there', binding };
    case 'removing':
      throw new Refusal('OPERATION_IN_PROGRESS', `the binding ${id} is being removed`);
    case 'expired':
      throw conflict(`the binding ${id} has expired: take another id`);
    case 'broken':
      throw conflict(`the binding ${id} has failed: delete it first`);
  }
}

const conflict = (message: string) => new Refusal('BINDING_CONFLICT', message);

function checkIds({ id, serviceId, planId }: Instance, asked: AskedBinding): void {
  for (const [name, wanted, has] of [
    ['service_id', asked.serviceId, serviceId],
    ['plan_id', asked.planId, planId],
  ] as const)
    if (wanted !== undefined && wanted !== has)
      throw new Refusal('MALFORMED_REQUEST', `${name} is ${wanted}: the instance ${id} has ${has}`);
}

async function checkNumber({ api, bindings }: Api, id: string, db: PoolClient): Promise<void> {
  const { mostPerInstance: most } = api.bindings;
  const all = await bindings.ofInstance(db, id);
  if (all.filter(({ isExpired }) => !isExpired).length < most) return;
  throw new Refusal(
    'BINDING_LIMIT_REACHED',
    `the instance ${id} has ${most} bindings that have not expired, and no more are allowed: delete one`,
  );
}
