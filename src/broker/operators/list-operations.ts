import { z } from 'zod';
import { activities, operationOrders, type OperationFilter } from '#engine';
import { listOf } from '../api/answer-parts.ts';
import type { Api } from '../api/api.ts';
import { readers, route } from '../api/operator-route.ts';
import { paging, values } from '../api/read-query.ts';
import { OperationAnswer } from './operation-answer.ts';
import { operationItem } from './operation-item.ts';
import { operationsOfOrchestrations, orchestrationsOf } from './orchestrated.ts';
import { sortedBy, valuesOf } from './runtimes-query.ts';
import { instancesOfRuntimes } from './runtimes-table.ts';

const states = ['pending', 'in progress', 'succeeded', 'failed', 'canceled'] as const;

const OperationsQuery = z.object({
  state: values
    .transform((given) => given.map((each) => (each === 'inprogress' ? 'in progress' : each)))
    .pipe(z.array(z.enum(states, { error: `expected ${states.join(', ')}` }))),
  type: values,
  instance_id: values,
  runtime_id: values,
  account: values,
  orchestration_id: values,
  step: values,
  system: values,
  fingerprint: values,
  activity: valuesOf(activities),
  sort: sortedBy(operationOrders, 'createdAt', true),
  ...paging,
});
type OperationsQuery = z.output<typeof OperationsQuery>;

export const listOperations = (api: Api) =>
  route({
    method: 'GET',
    path: '/operations',
    right: readers,
    about: 'Operations, the newest first, each with what it waits for and what to do',
    query: OperationsQuery,
    answers: listOf(OperationAnswer),
    async handle({ query }) {
      const filter = await filterOf(api, query);
      const { page, page_size: limit, sort } = query;
      const found = filter
        ? await api.engine.list(filter, { limit, offset: (page - 1) * limit, ...sort })
        : { operations: [], total: 0 };
      const ids = found.operations.map(({ id }) => id);
      const orchestrations = await orchestrationsOf(api.database.pool, ids);
      const data = found.operations.map((each) =>
        operationItem(api, each, orchestrations.get(each.id)),
      );
      return { status: 200, body: { data, count: data.length, totalCount: found.total } };
    },
  });

/** Undefined: what is asked for cannot be there. */
async function filterOf(
  { database: { pool } }: Api,
  query: OperationsQuery,
): Promise<OperationFilter | undefined> {
  const { instance_id, runtime_id, orchestration_id } = query;
  const ofRuntimes = runtime_id.length > 0 ? await instancesOfRuntimes(pool, runtime_id) : [];
  const ids =
    orchestration_id.length > 0 ? await operationsOfOrchestrations(pool, orchestration_id) : [];
  const subjects =
    runtime_id.length > 0 && instance_id.length > 0
      ? ofRuntimes.filter((id) => instance_id.includes(id))
      : [...instance_id, ...ofRuntimes];
  if (runtime_id.length > 0 && subjects.length === 0) return undefined;
  if (orchestration_id.length > 0 && ids.length === 0) return undefined;
  return {
    ids,
    subjects,
    states: query.state,
    types: query.type,
    accounts: query.account,
    steps: query.step,
    systems: query.system,
    fingerprints: query.fingerprint,
    activities: query.activity,
  };
}
