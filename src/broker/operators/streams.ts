import { z } from 'zod';
import type { OperationEvent } from '#engine';
import type { Api } from '../api/api.ts';
import {
  readers,
  route,
  type EventStream,
  type OperatorRoute,
  type StreamedEvent,
} from '../api/operator-route.ts';
import { values } from '../api/read-query.ts';
import { findOperation, wholeOperation } from './get-operation.ts';
import { isAboutInstance, isOfInstanceItself } from './instance-of.ts';
import { LiveEvents, type Heard } from './live-events.ts';

/** What happens, as it happens. `gap`: something may have been missed, load again. */
export function streamRoutes(api: Api): readonly OperatorRoute[] {
  const live = new LiveEvents((...listeners) => api.engine.watch(...listeners));
  const follow = async (
    signal: AbortSignal,
    wanted: (event: OperationEvent) => boolean,
    name: (event: OperationEvent) => string,
  ): Promise<EventStream> => ({ events: named(await live.subscribe(signal, wanted), name) });
  return [
    route({
      method: 'GET',
      path: '/runtimes/stream',
      right: readers,
      about: 'Events (server-sent): `runtime` whenever something about a runtime has changed',
      handle: ({ signal }) =>
        follow(
          signal,
          (event) => event.kind !== 'claimed' && isAboutInstance(event.type ?? ''),
          () => 'runtime',
        ),
    }),
    route({
      method: 'GET',
      path: '/operations/stream',
      right: readers,
      about: 'Events (server-sent): `operation` and `step`, of all operations or of some',
      query: z.object({ instance_id: values, operation_id: values }),
      handle: ({ signal, query }) =>
        follow(signal, (event) => isAskedFor(event, query.instance_id, query.operation_id), nameOf),
    }),
    route({
      method: 'GET',
      path: '/operations/:operationId/stream',
      right: readers,
      about:
        'Events (server-sent): the whole operation, now and after each change, until it has ended',
      async handle({ params: { operationId = '' }, signal }) {
        await findOperation(api, operationId);
        const heard = await live.subscribe(signal, ({ operation }) => operation === operationId);
        return { events: changes(api, operationId, heard) };
      },
    }),
    route({
      method: 'GET',
      path: '/events/stream',
      right: readers,
      about: 'Events (server-sent): everything that happens to operations',
      handle: ({ signal }) => follow(signal, () => true, nameOf),
    }),
  ];
}

const nameOf = ({ kind }: OperationEvent) => (kind === 'step' ? 'step' : 'operation');

const isAskedFor = (
  { operation, subject }: OperationEvent,
  instanceIds: readonly string[],
  operationIds: readonly string[],
) =>
  (instanceIds.length === 0 || instanceIds.includes(subject ?? '')) &&
  (operationIds.length === 0 || operationIds.includes(operation));

async function* named(
  heard: AsyncIterable<Heard>,
  name: (event: OperationEvent) => string,
): AsyncGenerator<StreamedEvent> {
  for await (const event of heard) {
    if (event === 'gap') {
      yield { event: 'gap', data: {} };
      continue;
    }
    const { operation, subject, ...rest } = event;
    yield {
      event: name(event),
      data: { operationID: operation, ...about(subject, event.type), ...rest },
    };
  }
}

/** An instance, or something else with a name of its own. */
const about = (subject: string | undefined, type = '') =>
  subject === undefined ? {} : isOfInstanceItself(type) ? { instanceID: subject } : { subject };

/** Whatever was heard, what stands in the database is told. */
async function* changes(
  api: Api,
  id: string,
  heard: AsyncIterable<Heard>,
): AsyncGenerator<StreamedEvent> {
  let told = '';
  const news = heard[Symbol.asyncIterator]();
  try {
    for (;;) {
      const data = await wholeOperation(api, id);
      const text = JSON.stringify(data);
      if (text !== told) yield { event: 'operation', data };
      told = text;
      if (data.endedAt !== undefined) return;
      if ((await news.next()).done) return;
    }
  } finally {
    await news.return?.();
  }
}
