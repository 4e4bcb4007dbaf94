import { z } from 'zod';
import type { Engine, StateCount } from '#engine';
import { hours } from '#time';
import type { Api } from '../api/api.ts';
import { readers, route, type OperatorRoute } from '../api/operator-route.ts';
import { values } from '../api/read-query.ts';
import { moment } from './runtimes-query.ts';
import { QueueAnswer, StatesAnswer, StepsAnswer } from './statistics-answer.ts';

const StatesQuery = z.object({
  since: moment,
  bucket: z.enum(['hour', 'day'], { error: 'expected hour or day' }).default('hour'),
});

export const statisticsRoutes = (api: Api): readonly OperatorRoute[] => {
  const { statistics } = api.engine;
  const lateness = latenessOf(api.engine);
  return [
    route({
      method: 'GET',
      path: '/statistics/states',
      right: readers,
      about: 'How many operations began and ended in each hour or day, and what is open now',
      query: StatesQuery,
      answers: StatesAnswer,
      async handle({ query: { since = new Date(Date.now() - hours(24)), bucket } }) {
        const [counts, { oldestDue: _oldest, running: _running, ...now }] = await Promise.all([
          statistics.states({ since, bucket }),
          statistics.now(),
        ]);
        return { status: 200, body: { data: bucketsOf(counts), now } };
      },
    }),
    route({
      method: 'GET',
      path: '/statistics/steps',
      right: readers,
      about: 'How long runs of each step take, of the two thousand newest operations',
      query: z.object({ since: moment, type: values }),
      answers: StepsAnswer,
      async handle({ query: { since = new Date(Date.now() - hours(24 * 7)), type } }) {
        return { status: 200, body: await statistics.steps({ since, types: type }) };
      },
    }),
    route({
      method: 'GET',
      path: '/statistics/queue',
      right: readers,
      about: 'What is due, how late this replica was lately, and which replicas live',
      answers: QueueAnswer,
      async handle() {
        const [{ due, oldestDue }, open, replicas] = await Promise.all([
          statistics.now(),
          api.engine.openOperations(),
          statistics.replicas(),
        ]);
        const latenessMs = { p50: lateness(0.5), p99: lateness(0.99) };
        return {
          status: 200,
          body: {
            due,
            ...(oldestDue && { oldestDueSince: oldestDue }),
            latenessMs,
            open,
            replicas,
          },
        };
      },
    }),
  ];
};

function bucketsOf(counts: readonly StateCount[]) {
  const buckets = Map.groupBy(counts, ({ at }) => at.getTime());
  return [...buckets].map(([at, all]) => {
    const of = (what: StateCount['what']) =>
      Object.fromEntries(
        all.filter((each) => each.what === what).map(({ type, count }) => [type, count]),
      );
    return {
      at: new Date(at),
      started: of('started'),
      succeeded: of('succeeded'),
      failed: of('failed'),
      canceled: of('canceled'),
    };
  });
}

const claimsRemembered = 1_000;

/** How late this replica has taken up what was due: of its last thousand claims. */
function latenessOf(engine: Engine): (quantile: number) => number {
  const late: number[] = [];
  let next = 0;
  engine.listen((event) => {
    if (event.kind !== 'claimed') return;
    late[next] = event.late;
    next = (next + 1) % claimsRemembered;
  });
  return (quantile) => {
    const sorted = late.toSorted((one, other) => one - other);
    return Math.round(sorted[Math.floor(sorted.length * quantile)] ?? 0);
  };
}
