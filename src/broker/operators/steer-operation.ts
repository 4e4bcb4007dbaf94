import { z } from 'zod';
import { NotPossible } from '#engine';
import type { Api } from '../api/api.ts';
import { operators, route, type OperatorRoute } from '../api/operator-route.ts';
import { mandatory, mandatoryText, optionalBoolean, optionalText } from '../api/read-request.ts';
import { Refusal } from '../errors.ts';
import { subjectOf } from '../fleet/orchestration.ts';
import { findOperation } from './get-operation.ts';
import { SteeringAnswer } from './operation-answer.ts';

const longestReason = 1_000;

/** What people do to single operations. With `dryRun` they learn what would happen, and nothing does. */
export const steeringRoutes = (api: Api): readonly OperatorRoute[] => [
  route({
    method: 'POST',
    path: '/operations/:operationId/retry',
    right: operators,
    about:
      'A waiting operation tries now; a failed or canceled one goes on from the stage where it stopped',
    body: z.object({ because: optionalText(longestReason), dryRun: optionalBoolean }),
    answers: SteeringAnswer,
    async handle({ params: { operationId = '' }, body: { because, dryRun = false } }) {
      const { id } = await findOperation(api, operationId);
      const options = { dryRun, ...(because !== undefined && { because }) };
      const { effect } = await possible(api.engine.retry(id, options));
      return accepted({ operationID: id, action: 'retry', dryRun, effect });
    },
  }),
  route({
    method: 'POST',
    path: '/operations/:operationId/skip',
    right: operators,
    about: 'A step is left out, on record',
    body: z.object({
      step: mandatory,
      because: mandatoryText(longestReason),
      dryRun: optionalBoolean,
    }),
    answers: SteeringAnswer,
    async handle({ params: { operationId = '' }, body: { step, because, dryRun = false } }) {
      const { id } = await ofOneRuntime(api, operationId);
      const { effect } = await possible(api.engine.skip(id, { step, because, dryRun }));
      return accepted({ operationID: id, action: 'skip', step, dryRun, effect });
    },
  }),
  route({
    method: 'POST',
    path: '/operations/:operationId/unskip',
    right: operators,
    about: 'A step that was to be left out is done after all, if its turn has not come',
    body: z.object({
      step: mandatory,
      because: optionalText(longestReason),
      dryRun: optionalBoolean,
    }),
    answers: SteeringAnswer,
    async handle({ params: { operationId = '' }, body: { step, dryRun = false } }) {
      const { id } = await ofOneRuntime(api, operationId);
      const { effect } = await possible(api.engine.unskip(id, { step, dryRun }));
      return accepted({ operationID: id, action: 'unskip', step, dryRun, effect });
    },
  }),
  route({
    method: 'POST',
    path: '/operations/:operationId/cancel',
    right: operators,
    about: 'An operation ends: at once if it waits, else at its next step',
    body: z.object({ because: mandatoryText(longestReason), dryRun: optionalBoolean }),
    answers: SteeringAnswer,
    async handle({ params: { operationId = '' }, body: { because, dryRun = false } }) {
      const found = await ofOneRuntime(api, operationId);
      const { id } = found;
      const canceled = found.ended_at
        ? undefined
        : dryRun
          ? found
          : await api.engine.cancel(id, because);
      if (!canceled) throw new Refusal('NOT_POSSIBLE_NOW', `operation ${id} has ended`);
      const isRunning = canceled.claimed_by !== null;
      const effect = isRunning ? 'it ends at its next step' : 'it ends at once';
      return accepted({ operationID: id, action: 'cancel', dryRun, effect });
    },
  }),
];

/** Orchestrations have ways of their own, and others may go them. */
async function ofOneRuntime(api: Api, operationId: string) {
  const found = await findOperation(api, operationId);
  if (!found.subject.startsWith(subjectOf(''))) return found;
  const orchestration = `/orchestrations/${found.subject.slice(subjectOf('').length)}`;
  throw new Refusal(
    'NOT_POSSIBLE_NOW',
    `operation ${found.id} carries an orchestration: pause or cancel that (PUT ${orchestration}/pause or /cancel)`,
  );
}

const accepted = (body: object) => ({ status: 202, body });

async function possible<Result>(act: Promise<Result>): Promise<Result> {
  try {
    return await act;
  } catch (cause) {
    if (!(cause instanceof NotPossible)) throw cause;
    const code = cause.reason === 'operation_unknown' ? 'NOT_FOUND' : 'NOT_POSSIBLE_NOW';
    throw new Refusal(code, cause.message, { cause });
  }
}
