import { z } from 'zod';
import type { Right } from '#access';
import { inSnapshot } from '#database';
import { listOf } from '../../api/answer-parts.ts';
import type { Api } from '../../api/api.ts';
import { route } from '../../api/operator-route.ts';
import { paging, values } from '../../api/read-query.ts';
import { Refusal } from '../../errors.ts';
import { orchestrationStates } from '../orchestration.ts';
import { findUpgrade, listUpgrades } from '../upgrade-views.ts';
import {
  OrchestrationAnswer,
  UpgradeAnswer,
  UpgradeDetailAnswer,
  WholeOrchestrationAnswer,
} from './orchestration-answer.ts';
import { fullStatus, statusesOf, theOrchestration } from './orchestration-status.ts';
import { streamOrchestration } from './stream-orchestration.ts';
import { operationBody, operationDetail } from './upgrade-body.ts';

/** Everybody who works with the landscape may look. */
export const onlookers: Right = {
  anyGroupOf: ['orchestrationsAdmin', 'runtimeAdmin', 'runtimeOperator', 'runtimeViewer'],
};

/** kcp writes one of them in one word. */
const state = values
  .transform((all) => all.map((each) => (each === 'inprogress' ? 'in progress' : each)))
  .refine((all) => all.every((each) => orchestrationStates.some((known) => known === each)), {
    error: `allowed are ${orchestrationStates.join(', ')}`,
  });
const Query = z.strictObject({ state, ...paging });

export const readRoutes = (api: Api) => [
  route({
    method: 'GET',
    path: '/orchestrations',
    right: onlookers,
    about: 'All orchestrations, the newest first',
    query: Query,
    answers: listOf(OrchestrationAnswer),
    async handle({ query: { state: states, page, page_size: pageSize } }) {
      const wanted = { states, page, pageSize };
      const body = await inSnapshot(api.database, async (db) => {
        const { data, totalCount } = await api.fleet.orchestrations.list(db, wanted);
        return { data: await statusesOf(api, data, db), count: data.length, totalCount };
      });
      return { status: 200, body };
    },
  }),
  route({
    method: 'GET',
    path: '/orchestrations/:orchestrationId',
    right: onlookers,
    about: 'One orchestration: how far it has come, what it waits for, what has failed',
    answers: WholeOrchestrationAnswer,
    handle: async ({ params: { orchestrationId = '' } }) => ({
      status: 200,
      body: await fullStatus(api, orchestrationId),
    }),
  }),
  route({
    method: 'GET',
    path: '/orchestrations/:orchestrationId/operations',
    right: onlookers,
    about: 'The upgrades of an orchestration, in the order in which they are planned',
    query: Query,
    answers: listOf(UpgradeAnswer),
    async handle({ params: { orchestrationId = '' }, query }) {
      const orchestration = await theOrchestration(api, orchestrationId);
      const { data, totalCount } = await listUpgrades(api.database.pool, orchestrationId, {
        states: query.state,
        page: query.page,
        pageSize: query.page_size,
      });
      const shown = data.map((each) => operationBody(orchestration, each));
      return { status: 200, body: { data: shown, count: shown.length, totalCount } };
    },
  }),
  route({
    method: 'GET',
    path: '/orchestrations/:orchestrationId/operations/:operationId',
    right: onlookers,
    about: 'One upgrade of an orchestration, with what the runtime gets',
    answers: UpgradeDetailAnswer,
    async handle({ params: { orchestrationId = '', operationId = '' } }) {
      const orchestration = await theOrchestration(api, orchestrationId);
      const found = await findUpgrade(api.database.pool, orchestrationId, operationId);
      if (!found)
        throw new Refusal(
          'NOT_FOUND',
          `there is no operation ${operationId} in the orchestration ${orchestrationId}`,
        );
      return { status: 200, body: operationDetail(orchestration, found) };
    },
  }),
  route({
    method: 'GET',
    path: '/orchestrations/:orchestrationId/stream',
    right: onlookers,
    about: 'The orchestration as it is, and again with each change, until it has ended',
    async handle({ params: { orchestrationId = '' }, signal }) {
      await theOrchestration(api, orchestrationId);
      return { events: streamOrchestration(api, orchestrationId, signal) };
    },
  }),
];
