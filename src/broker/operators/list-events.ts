import { z } from 'zod';
import type { StepRunRow, StoredOperation } from '#engine';
import { hours } from '#time';
import type { Api } from '../api/api.ts';
import { readers, route } from '../api/operator-route.ts';
import { values } from '../api/read-query.ts';
import { instanceOf, isAboutInstance } from './instance-of.ts';
import { EventsAnswer } from './runtime-answer.ts';
import { moment } from './runtimes-query.ts';
import { instancesOfRuntimes } from './runtimes-table.ts';

const mostEvents = 10_000;
const mostOperations = 500;
const remembered = hours(336);

const EventsQuery = z.object({
  instance_ids: values,
  runtime_ids: values,
  operation_ids: values.refine((given) => given.every((id) => z.guid().safeParse(id).success), {
    error: 'expected ids of operations',
  }),
  since: moment,
  limit: z.coerce
    .number({ error: 'expected a number' })
    .int('expected a whole number')
    .min(1, 'cannot be smaller than 1')
    .max(mostEvents, `cannot be larger than ${mostEvents}`)
    .default(1_000),
});

/** Written from the timelines of the operations, and their ends. */
export const listEvents = (api: Api) =>
  route({
    method: 'GET',
    path: '/events',
    right: readers,
    about: 'What happened to runtimes or in operations, oldest first',
    query: EventsQuery,
    answers: EventsAnswer,
    async handle({ query }) {
      const since = query.since ?? new Date(Date.now() - remembered);
      const ofRuntimes = query.runtime_ids.length
        ? await instancesOfRuntimes(api.database.pool, query.runtime_ids)
        : [];
      const subjects = [...query.instance_ids, ...ofRuntimes];
      if (query.runtime_ids.length > 0 && subjects.length === 0) return { status: 200, body: [] };
      // Orchestrations and jobs are nothing that happens to a runtime: they are told of where somebody names them.
      const types =
        query.operation_ids.length > 0 ? [] : api.engine.definitions.types.filter(isAboutInstance);
      const { operations } = await api.engine.list(
        { subjects, types, ids: query.operation_ids },
        { limit: mostOperations, offset: 0, order: 'updatedAt' },
      );
      const ids = operations.map(({ id }) => id);
      const lines = await api.engine.statistics.timelines(ids, { since, limit: mostEvents });
      const byId = new Map(operations.map((each) => [each.id, each]));
      const events = [
        ...lines.map((line) => stepEvent(line, byId.get(line.operation_id))),
        ...operations.flatMap((each) => endEvent(each, since)),
      ].toSorted((one, other) => one.CreatedAt.getTime() - other.CreatedAt.getTime());
      return { status: 200, body: events.slice(-query.limit) };
    },
  });

const troubles = ['retry', 'fail', 'not completed'];

const nameOf = (operation: StoredOperation | undefined) => {
  const instance = operation && instanceOf(operation);
  return instance === undefined ? {} : { InstanceID: instance };
};

const stepEvent = (line: StepRunRow, operation: StoredOperation | undefined) => ({
  ID: `${line.operation_id}/${line.number}`,
  Level: troubles.includes(line.outcome) ? 'error' : 'info',
  ...nameOf(operation),
  OperationID: line.operation_id,
  Message: `${line.step}: ${line.outcome}${line.because === null ? '' : `: ${line.because}`}${line.runs > 1 ? ` (${line.runs} times)` : ''}`,
  CreatedAt: line.ended_at,
});

function endEvent(operation: StoredOperation, since: Date) {
  const { id, type, state, description, ended_at } = operation;
  if (ended_at === null || ended_at <= since) return [];
  return [
    {
      ID: `${id}/end`,
      Level: state === 'failed' ? 'error' : 'info',
      ...nameOf(operation),
      OperationID: id,
      Message: `${type} ${state}: ${description}`,
      CreatedAt: ended_at,
    },
  ];
}
