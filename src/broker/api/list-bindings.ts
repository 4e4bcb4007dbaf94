import { z } from 'zod';
import { Refusal } from '../errors.ts';
import { listOf, time } from './answer-parts.ts';
import type { Api } from './api.ts';
import { inTenths } from './binding-body.ts';
import { findBinding } from './binding-state.ts';
import { operators, route } from './operator-route.ts';

const ShownBinding = z.strictObject({
  id: z.string(),
  state: z.string(),
  createdAt: time,
  expiresAt: time.optional(),
  predecessorId: z.string().optional(),
  parameters: z.looseObject({}),
  operation: z.string().optional(),
});

/** Nobody gets a way into the runtime here. */
export const listBindings = (api: Api) =>
  route({
    method: 'GET',
    path: '/runtimes/:instanceId/bindings',
    right: operators,
    about: 'Who has a way into the runtime, and until when',
    answers: listOf(ShownBinding),
    async handle({ params: { instanceId = '' } }) {
      const { instances, bindings, database } = api;
      if (!(await instances.get(database.pool, instanceId)))
        throw new Refusal('INSTANCE_UNKNOWN', `there is no instance ${instanceId}`);
      const all = await bindings.ofInstance(database.pool, instanceId);
      const found = await Promise.all(
        all.map(({ id }) => findBinding(api, { bindingId: id, instanceId })),
      );
      const data = found.flatMap((each) => {
        if (!each) return []; // removed in between
        const { binding, state, last } = each;
        return [
          {
            id: binding.id,
            state,
            createdAt: binding.createdAt.toISOString(),
            ...(binding.expiresAt && { expiresAt: inTenths(binding.expiresAt) }),
            ...(binding.predecessorId !== undefined && { predecessorId: binding.predecessorId }),
            parameters: binding.parameters,
            ...(last && { operation: last.id }),
          },
        ];
      });
      return { status: 200, body: { data, count: data.length, totalCount: data.length } };
    },
  });
