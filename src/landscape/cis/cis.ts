import { z } from 'zod';
import { days } from '#time';
import { keeping } from '../kept-state.ts';
import type { MakeSystem } from '../simulated-system.ts';
import { Tokens } from '../tokens.ts';

/** What the world does to subaccounts: `POST /cis/_landscape/events`. */
const NewEvents = z.strictObject({
  eventType: z.string().min(1).default('Subaccount_Deletion'),
  subaccountIds: z.array(z.string().min(1)),
});
type SubaccountEvent = {
  readonly eventType: string;
  readonly entityId: string;
  readonly creationTime: number;
  readonly askedBy: string;
};

const count = z.coerce.number().int();
const OldQuery = z.object({
  type: z.string(),
  ts: count.min(0),
  resultsPerPage: count.min(1).max(1_000).default(1_000),
  page: count.min(1).default(1),
});
const Query = z.object({
  eventType: z.string(),
  sortField: z.literal('creationTime').optional(),
  sortOrder: z.enum(['ASC', 'DESC']).default('DESC'),
  pageSize: count.min(1).max(1_000).default(150),
  pageNum: count.min(0).default(0),
});
const CursorQuery = Query.omit({ pageNum: true }).extend({
  entityType: z.literal('Subaccount').optional(),
  since: z
    .string()
    .regex(/^\d+D$/)
    .optional(),
});
const Cursor = z.object({ query: CursorQuery, offset: count.min(0) });

/** v1.0 has names of its own for the types. */
const oldNames: Readonly<Record<string, string>> = {
  Subaccount_Deletion: 'MASTER_SUBACCOUNT_DELETION',
  Subaccount_Creation: 'MASTER_SUBACCOUNT_CREATION',
};
const oldName = (eventType: string) => oldNames[eventType] ?? eventType;

/** Cloud Information Service: one list of events, read through three generations of its API. */
export const cis: MakeSystem = ({ time, caller }) => {
  const events: SubaccountEvent[] = [];
  const tokens = new Tokens(time, (id, secret) => id !== '' && secret !== '');

  const select = ({ eventType, sortOrder }: { eventType: string; sortOrder: 'ASC' | 'DESC' }) => {
    const found = events.filter((event) => event.eventType === eventType);
    return sortOrder === 'ASC' ? found : found.toReversed();
  };

  return {
    name: 'cis',
    inventory: () => ({ events: [...events] }),
    state: keeping({ events, tokens }),
    serve(app) {
      tokens.serve(app, '/oauth/token');
      const guarded = { onRequest: tokens.check };

      app.post('/_landscape/events', async ({ body }, reply) => {
        const wanted = NewEvents.safeParse(body);
        if (!wanted.success)
          return reply.code(400).send({ message: z.prettifyError(wanted.error) });
        const { eventType, subaccountIds } = wanted.data;
        const creationTime = time.date().getTime();
        const askedBy = caller();
        for (const entityId of subaccountIds)
          events.push({ eventType, entityId, creationTime, askedBy });
        return reply.code(204).send();
      });

      app.get('/public/rest/v2/events', guarded, async (request, reply) => {
        const query = OldQuery.safeParse(request.query);
        if (!query.success) return reply.code(400).send({ error: z.prettifyError(query.error) });
        const { type, ts, resultsPerPage: size, page } = query.data;
        const found = events.filter(
          (event) => oldName(event.eventType) === type && event.creationTime >= ts,
        );
        return {
          totalResults: found.length,
          totalPages: Math.ceil(found.length / size),
          events: found.slice((page - 1) * size, page * size).map((event) => ({
            id: events.indexOf(event) + 1,
            type,
            creationTime: event.creationTime,
            eventData: { subaccountGuid: event.entityId },
          })),
        };
      });

      app.get('/events/v1/events/central', guarded, async (request, reply) => {
        const query = Query.safeParse(request.query);
        if (!query.success) return reply.code(400).send({ error: z.prettifyError(query.error) });
        const { pageSize: size, pageNum } = query.data;
        const found = select(query.data);
        return {
          total: found.length,
          totalPages: Math.ceil(found.length / size),
          pageNum,
          morePages: found.length > (pageNum + 1) * size,
          events: found.slice(pageNum * size, (pageNum + 1) * size).map(shown),
        };
      });

      app.get<{ Querystring: { cursor?: string } }>(
        '/events/v2/events/central',
        guarded,
        async (request, reply) => {
          const { cursor } = request.query;
          const place = Cursor.safeParse(
            cursor === undefined ? { query: request.query, offset: 0 } : decoded(cursor),
          );
          if (!place.success) return reply.code(400).send({ error: z.prettifyError(place.error) });
          const { query, offset } = place.data;
          const oldest = query.since
            ? time.date().getTime() - days(Number.parseInt(query.since, 10))
            : 0;
          const found = select(query).filter(({ creationTime }) => creationTime >= oldest);
          const end = offset + query.pageSize;
          return {
            nextCursor: end < found.length ? encoded({ query, offset: end }) : '',
            events: found.slice(offset, end).map(shown),
          };
        },
      );
    },
  };
};

/** Who asked for it is only for the inventory. */
const shown = ({ askedBy: _askedBy, ...event }: SubaccountEvent) => event;

const encoded = (place: z.infer<typeof Cursor>) =>
  Buffer.from(JSON.stringify(place)).toString('base64url');

function decoded(cursor: string): unknown {
  try {
    return JSON.parse(Buffer.from(cursor, 'base64url').toString());
  } catch {
    return undefined; // a cursor that this service did not give
  }
}
