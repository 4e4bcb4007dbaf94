import type { Explanation } from '#engine';
import { listOf } from '../api/answer-parts.ts';
import type { Api } from '../api/api.ts';
import { readers, route, type OperatorRoute } from '../api/operator-route.ts';
import { largestPage } from '../api/read-query.ts';
import { Refusal } from '../errors.ts';
import { OperationAnswer } from './operation-answer.ts';
import { operationItem } from './operation-item.ts';
import { RuntimeAnswer, RuntimesAnswer } from './runtime-answer.ts';
import { removedItem, runtimeItem, type RuntimeOptions } from './runtime-item.ts';
import { runtimeOperations } from './runtime-state.ts';
import { RuntimesQuery } from './runtimes-query.ts';
import {
  countOperationsOf,
  listRuntimes,
  operationsOfRuntimes,
  removedRuntimes,
  type RuntimeRow,
} from './runtimes-table.ts';

export const runtimeRoutes = (api: Api): readonly OperatorRoute[] => [
  route({
    method: 'GET',
    path: '/runtimes',
    right: readers,
    about: 'Runtimes, with what was last done to them and what goes on',
    query: RuntimesQuery,
    answers: RuntimesAnswer,
    async handle({ query }) {
      const { pool } = api.database;
      const { rows, total, nextCursor } = await listRuntimes(pool, query);
      const items = await itemsOf(api, rows, {
        opDetail: query.op_detail,
        kymaConfig: query.kyma_config,
        clusterConfig: query.cluster_config,
        serviceName: api.plans.service.name,
      });
      const room = query.state.includes('deprovisioned') ? query.page_size - items.length : 0;
      const removed = room > 0 ? await removedRuntimes(pool, query, room) : [];
      const data = [...items, ...removed.map((row) => removedItem(row, api.plans.service.name))];
      return {
        status: 200,
        body: {
          data,
          count: data.length,
          totalCount: total + removed.length,
          ...(nextCursor !== undefined && { nextCursor }),
        },
      };
    },
  }),
  route({
    method: 'GET',
    path: '/runtimes/:instanceId',
    right: readers,
    about: 'One runtime',
    answers: RuntimeAnswer,
    async handle({ params: { instanceId = '' } }) {
      const query = RuntimesQuery.parse({ instance_id: [], state: 'all' });
      const { rows } = await listRuntimes(api.database.pool, {
        ...query,
        instance_id: [instanceId],
      });
      const [item] = await itemsOf(api, rows, {
        opDetail: 'all',
        kymaConfig: true,
        clusterConfig: true,
        serviceName: api.plans.service.name,
      });
      if (!item) throw new Refusal('INSTANCE_UNKNOWN', `there is no instance ${instanceId}`);
      return { status: 200, body: item };
    },
  }),
  route({
    method: 'GET',
    path: '/runtimes/:instanceId/operations',
    right: readers,
    about: 'What was done to one runtime, the newest first; also after it is gone',
    answers: listOf(OperationAnswer),
    async handle({ params: { instanceId = '' } }) {
      const page = { limit: largestPage, offset: 0 };
      const { operations, total } = await api.engine.list({ subjects: [instanceId] }, page);
      if (total === 0 && !(await api.instances.get(api.database.pool, instanceId)))
        throw new Refusal('INSTANCE_UNKNOWN', `there is no instance ${instanceId}`);
      const data = operations.map((each) => operationItem(api, each));
      return { status: 200, body: { data, count: data.length, totalCount: total } };
    },
  }),
];

/** In the order of the rows, with a fixed number of queries. */
async function itemsOf(api: Api, rows: readonly RuntimeRow[], options: RuntimeOptions) {
  if (rows.length === 0) return [];
  const { pool } = api.database;
  const ids = rows.map(({ id }) => id);
  const [operations, counts, explanations] = await Promise.all([
    operationsOfRuntimes(pool, ids),
    options.opDetail === 'all' ? countOperationsOf(pool, ids) : [],
    explanationsOf(api, ids),
  ]);
  const bySubject = Map.groupBy(operations, ({ subject }) => subject);
  const countsOf = Map.groupBy(counts, ({ subject }) => subject);
  return rows.map((row) => {
    const totals = new Map((countsOf.get(row.id) ?? []).map(({ type, count }) => [type, count]));
    return runtimeItem(row, bySubject.get(row.id) ?? [], totals, explanations.get(row.id), options);
  });
}

/** Of what is open, that which is in progress before that which queues behind it. */
async function explanationsOf(
  { engine }: Api,
  ids: readonly string[],
): Promise<Map<string, Explanation>> {
  const { operations } = await engine.list(
    { subjects: ids, states: ['in progress'], types: runtimeOperations },
    { limit: ids.length, offset: 0 },
  );
  return new Map(operations.map((each) => [each.subject, engine.explain(each)]));
}
