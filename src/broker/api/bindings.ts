import { z } from 'zod';
import { Refusal } from '../errors.ts';
import type { Api, Handler } from './api.ts';
import { checkService, offeredPlan } from './offered-plan.ts';
import {
  acceptsIncomplete,
  mandatory,
  mandatoryQueryValue,
  queryValue,
  readBody,
} from './read-request.ts';

// The catalog says that nothing can be bound. So there are no bindings, and the four endpoints say just that.

const BindRequest = z.object({ service_id: mandatory, plan_id: mandatory });

/** `PUT /v2/service_instances/:instance_id/service_bindings/:binding_id`. */
export const createBinding =
  ({ plans, instances, database }: Api): Handler =>
  async ({ instanceId, query, body }) => {
    const asked = readBody(BindRequest, body);
    acceptsIncomplete(query);
    checkService(plans, asked.service_id);
    const plan = offeredPlan(plans, asked.plan_id);
    if (!(await instances.get(database.pool, instanceId)))
      throw new Refusal('INSTANCE_UNKNOWN', `there is no instance ${instanceId}`);
    throw new Refusal('NOT_BINDABLE', `instances of plan ${plan.name} cannot be bound`);
  };

/** `GET` of the same, and of its `last_operation`. */
export const fetchBinding =
  (): Handler =>
  async ({ instanceId, bindingId, query }) => {
    for (const hint of ['service_id', 'plan_id', 'operation']) queryValue(query, hint);
    throw new Refusal('BINDING_UNKNOWN', `instance ${instanceId} has no binding ${bindingId}`);
  };

/** `DELETE` of the same. */
export const deleteBinding =
  (): Handler =>
  async ({ instanceId, bindingId, query }) => {
    for (const name of ['service_id', 'plan_id']) mandatoryQueryValue(query, name);
    acceptsIncomplete(query);
    throw new Refusal('BINDING_GONE', `instance ${instanceId} has no binding ${bindingId}`);
  };
