import { z } from 'zod';

/** As the setting is written; 'v2.0-cursor' is the form that followed v2.0. */
export type CisVersion = 'v1.0' | 'v2.0' | 'v2.0-cursor';

export type EventPage = {
  readonly subaccountIds: readonly string[];
  /** Types of events that nobody asked for: left out, but worth a warning. */
  readonly foreignTypes: readonly string[];
  /** Where the next page begins; undefined after the last. */
  readonly next: string | undefined;
};

/** One generation of the event service. A page is named by a text: its number, or the cursor that led to it. */
type EventService = {
  readonly path: string;
  readonly pageSize: number;
  readonly query: (from: string | undefined, pageSize: string) => Record<string, string>;
  readonly answer: (from: string | undefined) => z.ZodType<EventPage>;
};

const masterDeletion = 'MASTER_SUBACCOUNT_DELETION';
const deletion = 'Subaccount_Deletion';

const MasterDeletion = z
  .object({ eventData: z.object({ subaccountGuid: z.string().min(1) }) })
  .transform(({ eventData }) => eventData.subaccountGuid);
const Deletion = z.object({ entityId: z.string().min(1) }).transform(({ entityId }) => entityId);

const OldEvent = z
  .looseObject({ type: z.string() })
  .transform((event, context) => read(event, event.type, masterDeletion, MasterDeletion, context));
const Event = z
  .looseObject({ eventType: z.string() })
  .transform((event, context) => read(event, event.eventType, deletion, Deletion, context));

const firstPage = { 'v1.0': 1, 'v2.0': 0 };

export const eventServices: Readonly<Record<CisVersion, EventService>> = {
  'v1.0': {
    path: '/public/rest/v2/events',
    pageSize: 1_000,
    query: (from, pageSize) => ({
      type: masterDeletion,
      ts: '1',
      resultsPerPage: pageSize,
      page: from ?? String(firstPage['v1.0']),
    }),
    answer: (from) =>
      z
        .object({ totalPages: z.int(), events: z.array(OldEvent) })
        .transform(({ totalPages, events }) =>
          pageOf(events, numberAfter(from, firstPage['v1.0'], totalPages)),
        ),
  },
  'v2.0': {
    path: '/events/v1/events/central',
    pageSize: 150,
    query: (from, pageSize) => ({
      eventType: deletion,
      sortField: 'creationTime',
      sortOrder: 'ASC',
      pageSize,
      pageNum: from ?? String(firstPage['v2.0']),
    }),
    // Counted from 0, so the page past the last is asked for too: it holds what was deleted meanwhile.
    answer: (from) =>
      z
        .object({ totalPages: z.int(), events: z.array(Event) })
        .transform(({ totalPages, events }) =>
          pageOf(events, numberAfter(from, firstPage['v2.0'], totalPages)),
        ),
  },
  'v2.0-cursor': {
    path: '/events/v2/events/central',
    pageSize: 150,
    query: (from, pageSize) =>
      from === undefined
        ? {
            eventType: deletion,
            entityType: 'Subaccount',
            since: '30D',
            sortField: 'creationTime',
            sortOrder: 'ASC',
            pageSize,
          }
        : { cursor: from },
    answer: (from) =>
      z
        .object({
          nextCursor: z
            .string()
            .nullish()
            .refine((next) => !next || next !== from, 'leads to the same page again'),
          events: z.array(Event),
        })
        .transform(({ nextCursor, events }) => pageOf(events, nextCursor || undefined)),
  },
};

type ReadEvent = { readonly subaccountId: string } | { readonly foreignType: string };

/** Only a deletion must name its subaccount. Other events may look as they like. */
function read(
  event: object,
  type: string,
  wanted: string,
  SubaccountId: z.ZodType<string>,
  context: z.RefinementCtx,
): ReadEvent {
  if (type !== wanted) return { foreignType: type };
  const subaccountId = SubaccountId.safeParse(event);
  if (subaccountId.success) return { subaccountId: subaccountId.data };
  for (const { path, message } of subaccountId.error.issues)
    context.addIssue({ code: 'custom', path, message });
  return z.NEVER;
}

const numberAfter = (from: string | undefined, first: number, totalPages: number) => {
  const next = (from === undefined ? first : Number(from)) + 1;
  return next > totalPages ? undefined : String(next);
};

const pageOf = (events: readonly ReadEvent[], next: string | undefined): EventPage => ({
  subaccountIds: events.flatMap((each) => ('subaccountId' in each ? [each.subaccountId] : [])),
  foreignTypes: events.flatMap((each) => ('foreignType' in each ? [each.foreignType] : [])),
  next,
});
