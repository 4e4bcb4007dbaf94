import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { SystemError } from '#clients';
import type { Answer, Api } from '../../api/api.ts';
import { orchestrators, route, type OperatorRequest } from '../../api/operator-route.ts';
import { paging } from '../../api/read-query.ts';
import { Refusal } from '../../errors.ts';
import { startOrchestration } from '../change-orchestration.ts';
import { chooseRuntimes } from '../choose-runtimes.ts';
import type { OrchestrationType } from '../orchestration.ts';
import { planUpgrades } from '../plan-upgrades.ts';
import { OrchestrationBody } from './orchestration-body.ts';
import { readParameters } from './read-parameters.ts';
import { targetBody, windowBody } from './upgrade-body.ts';

const Query = z.strictObject({
  preview: z
    .enum(['true', 'false'], { error: 'allowed are true and false' })
    .default('false')
    .transform((text) => text === 'true'),
  ...paging,
});
type Asked = OperatorRequest<z.output<typeof Query>, OrchestrationBody>;

export const createRoutes = (api: Api) => [
  route({
    method: 'POST',
    path: '/upgrade/kyma',
    right: orchestrators,
    about:
      'Another version of Kyma for many runtimes, in waves and windows if wanted. With waves, a single failure pauses it unless an error budget says otherwise',
    query: Query,
    body: OrchestrationBody,
    changes: ({ preview: asked }) => asked !== 'true',
    handle: (asked) => create(api, 'upgradeKyma', asked),
  }),
  route({
    method: 'POST',
    path: '/upgrade/cluster',
    right: orchestrators,
    about: 'Other versions of Kubernetes and the machine image for many runtimes',
    query: Query,
    body: OrchestrationBody,
    changes: ({ preview: asked }) => asked !== 'true',
    handle: (asked) => create(api, 'upgradeCluster', asked),
  }),
  route({
    method: 'POST',
    path: '/orchestrations/preview',
    right: orchestrators,
    about: 'Which runtimes an orchestration would be about, and when. Nothing is stored',
    query: Query.omit({ preview: true }),
    body: OrchestrationBody,
    changes: () => false,
    handle: (asked) =>
      create(api, 'upgradeKyma', { ...asked, query: { ...asked.query, preview: true } }),
  }),
];

async function create(api: Api, type: OrchestrationType, asked: Asked): Promise<Answer> {
  const { body, query, signal } = asked;
  const { parameters, scheduleTime } = await readParameters(api, type, body, signal);
  if (query.preview) return preview(api, parameters, scheduleTime, asked);
  // Who is meant is found out later, and again; that this is too much to ask is told at once.
  await chooseRuntimes(api.database, parameters.targets);
  const id = randomUUID();
  await startOrchestration(api, { id, type, parameters, scheduleTime });
  return { status: 202, body: { orchestrationID: id } };
}

async function preview(
  api: Api,
  parameters: Parameters<typeof planUpgrades>[1],
  scheduleTime: Date | undefined,
  { query: { page, page_size: size }, signal, log }: Asked,
): Promise<Answer> {
  const now = await api.fleet.orchestrations.now(api.database.pool);
  const at = scheduleTime && scheduleTime > now ? scheduleTime : now;
  const plan = planUpgrades(api, parameters, { at, signal, log });
  const { planned, skipped } = await plan.catch(notToBePlanned);
  const data = planned
    .slice((page - 1) * size, page * size)
    .map((each) => ({ ...targetBody(each), ...windowBody(each.window), wave: each.wave }));
  const body = {
    data,
    count: data.length,
    totalCount: planned.length,
    skipped: skipped.slice(0, size).map((each) => ({ ...targetBody(each), because: each.because })),
  };
  return { status: 200, body };
}

/** Whoever looks can look again; an orchestration would wait. */
function notToBePlanned(error: unknown): never {
  if (!(error instanceof SystemError)) throw error;
  throw new Refusal('SYSTEM_FAILED', error.message, { cause: error });
}
