import { z } from 'zod';
import type { Api } from '../../api/api.ts';
import { orchestrators, route, type OperatorRequest } from '../../api/operator-route.ts';
import {
  cancelOrchestration,
  pauseOrchestration,
  resumeOrchestration,
} from '../change-orchestration.ts';
import { retryOrchestration } from '../retry-orchestration.ts';

/** A form: every field is a list. */
const Retry = z.looseObject({
  'operation-id': z.array(z.string()).max(10_000, 'has more than 10000 values').default([]),
  immediate: z
    .array(z.enum(['true', 'false'], { error: 'must be true or false' }))
    .default([])
    .transform((all) => all.includes('true')),
});

export const changeRoutes = (api: Api) => [
  changing('cancel', 'Begins nothing more; what has begun may end', ({ id }) =>
    cancelOrchestration(api, id),
  ),
  changing('pause', 'Begins nothing more until it is resumed', ({ id, caller }) =>
    pauseOrchestration(api, id, `by ${caller?.subject ?? 'an operator'}`),
  ),
  changing('resume', 'Goes on, with the failures so far forgiven', ({ id }) =>
    resumeOrchestration(api, id),
  ),
  route({
    method: 'POST',
    path: '/orchestrations/:orchestrationId/retry',
    right: orchestrators,
    about: 'Tries failed upgrades again, all or some: now, or in their next windows',
    form: true,
    body: Retry,
    async handle({ params: { orchestrationId = '' }, body }) {
      const wanted = { operationIds: body['operation-id'], immediate: body.immediate };
      return { status: 202, body: await retryOrchestration(api, orchestrationId, wanted) };
    },
  }),
];

const changing = (
  what: 'cancel' | 'pause' | 'resume',
  about: string,
  change: (asked: Pick<OperatorRequest, 'caller'> & { readonly id: string }) => Promise<void>,
) =>
  route({
    method: 'PUT',
    path: `/orchestrations/:orchestrationId/${what}`,
    right: orchestrators,
    about,
    async handle({ params: { orchestrationId: id = '' }, caller }) {
      await change({ id, caller });
      return { status: 200, body: { orchestrationID: id } };
    },
  });
