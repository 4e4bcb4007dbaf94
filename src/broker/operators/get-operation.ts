import { z } from 'zod';
import type { OperationDefinition, StepRunRow, StoredOperation } from '#engine';
import { listOf } from '../api/answer-parts.ts';
import type { Api } from '../api/api.ts';
import { readers, route, type OperatorRoute } from '../api/operator-route.ts';
import { Refusal } from '../errors.ts';
import { shortened } from '../plans/invalid-parameters.ts';
import { LineAnswer, TypesAnswer, WholeOperationAnswer } from './operation-answer.ts';
import { operationItem } from './operation-item.ts';
import { orchestrationsOf } from './orchestrated.ts';

const longestPart = 1_000;

const TimelineQuery = z.object({
  after: z.coerce
    .number({ error: 'expected the number of a line' })
    .int('expected a whole number')
    .min(0, 'cannot be smaller than 0')
    .max(2 ** 31 - 1, 'is no number of a line')
    .default(0),
  limit: z.coerce
    .number({ error: 'expected a number' })
    .int('expected a whole number')
    .min(1, 'cannot be smaller than 1')
    .max(longestPart, `cannot be larger than ${longestPart}`)
    .default(longestPart),
});

export const operationRoutes = (api: Api): readonly OperatorRoute[] => [
  route({
    method: 'GET',
    path: '/operations/types',
    right: readers,
    about: 'What can be done to a runtime: the stages and steps of each kind of operation',
    answers: TypesAnswer,
    async handle() {
      const { definitions } = api.engine;
      return {
        status: 200,
        body: definitions.types.map((type) => typeItem(definitions.get(type))),
      };
    },
  }),
  route({
    method: 'GET',
    path: '/operations/:operationId',
    right: readers,
    about: 'One operation, with its stages, its steps and its timeline',
    answers: WholeOperationAnswer,
    async handle({ params: { operationId = '' } }) {
      return { status: 200, body: await wholeOperation(api, operationId) };
    },
  }),
  route({
    method: 'GET',
    path: '/operations/:operationId/timeline',
    right: readers,
    about: 'The timeline of one operation, a part at a time',
    query: TimelineQuery,
    answers: listOf(LineAnswer),
    async handle({ params: { operationId = '' }, query }) {
      const { history_length: total } = await findOperation(api, operationId);
      const lines = await api.engine.timeline(operationId, query);
      const data = lines.map(lineItem);
      return { status: 200, body: { data, count: data.length, totalCount: total } };
    },
  }),
];

const uuid = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i;

export async function findOperation({ engine }: Api, id: string): Promise<StoredOperation> {
  const found = uuid.test(id) ? await engine.get(id) : undefined;
  if (!found) throw new Refusal('NOT_FOUND', `there is no operation ${shortened(id)}`);
  return found;
}

/** An operation with all that is known of it, but for timelines of more than a thousand lines. */
export async function wholeOperation(api: Api, id: string) {
  const operation = await findOperation(api, id);
  const [timeline, orchestrations] = await Promise.all([
    api.engine.timeline(id, { limit: longestPart }),
    orchestrationsOf(api.database.pool, [id]),
  ]);
  return {
    ...operationItem(api, operation, orchestrations.get(id)),
    stages: stagesOf(api, operation),
    timeline: timeline.map(lineItem),
    timelineTotal: operation.history_length,
  };
}

function stagesOf(
  { engine: { definitions } }: Api,
  { type, finished_stages, state }: StoredOperation,
) {
  // Operations outlive their definitions.
  if (!definitions.types.includes(type))
    return finished_stages.map((name) => ({ name, state: 'finished', steps: [] }));
  const { stages } = definitions.get(type);
  const current = stages.find(({ name }) => !finished_stages.includes(name));
  const isUnderWay = state === 'in progress' || state === 'failed' || state === 'canceled';
  return stages.map((stage) => ({
    name: stage.name,
    state: finished_stages.includes(stage.name)
      ? 'finished'
      : stage === current && isUnderWay
        ? 'current'
        : 'ahead',
    steps: stage.steps.map(stepItem),
  }));
}

const typeItem = ({ type, timeLimit, stages }: OperationDefinition) => ({
  type,
  ...(Number.isFinite(timeLimit) && { timeLimitMs: timeLimit }),
  stages: stages.map(({ name, steps }) => ({ name, steps: steps.map(stepItem) })),
});

type Step = OperationDefinition['stages'][number]['steps'][number];

const stepItem = ({ name, about, domain, owner, weight, addedBy, conditions = [] }: Step) => ({
  name,
  ...(about !== undefined && { about }),
  ...(domain !== undefined && { domain }),
  ...(owner !== undefined && { owner }),
  weight,
  ...(addedBy !== undefined && { addedBy }),
  ...(conditions.length > 0 && { when: conditions.map((each) => each.name).join(' and ') }),
});

const lineItem = (line: StepRunRow) => ({
  number: line.number,
  stage: line.stage,
  step: line.step,
  outcome: line.outcome,
  ...(line.because !== null && { because: line.because }),
  ...(line.system !== null && { system: line.system }),
  ...(line.error_class !== null && { errorClass: line.error_class }),
  attempt: line.attempt,
  runs: line.runs,
  replica: line.replica,
  startedAt: line.started_at,
  endedAt: line.ended_at,
  durationMs: line.duration_ms,
});
