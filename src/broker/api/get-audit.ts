import { z } from 'zod';
import type { Right } from '#access';
import type { AuditEntry } from '#audit';
import { count, listOf, time } from './answer-parts.ts';
import type { Api } from './api.ts';
import { route } from './operator-route.ts';
import { paging } from './read-query.ts';

/** Not those who are recorded most. */
const auditors: Right = { anyGroupOf: ['runtimeAdmin'] };

const moment = z.iso
  .datetime({ offset: true, error: 'expected a time such as 2026-01-31T12:00:00Z' })
  .transform((text) => new Date(text))
  .optional();
const text = z.string().min(1).max(255).optional();

const Entries = z.strictObject({
  since: moment,
  until: moment,
  actor: text,
  action: text,
  subject: text,
  ...paging,
});

const Verification = z.strictObject({
  noted: z
    .string()
    .regex(/^\d{1,15}:[0-9a-f]{64}$/, 'expected <number>:<hash>, as head was told before')
    .transform((given) => {
      const [number, hash = ''] = given.split(':');
      return { number: Number(number), hash };
    })
    .optional(),
});

const ShownEntry = z.strictObject({
  number: count,
  at: time,
  actor: z.string(),
  client: z.string(),
  action: z.string(),
  subject: z.string(),
  outcome: z.string(),
  requestID: z.string(),
  details: z.record(z.string(), z.union([z.string(), z.array(z.string())])),
  previous: z.string(),
  hash: z.string(),
});
const Verdict = z.strictObject({
  ok: z.boolean(),
  entries: count,
  head: z.strictObject({ number: count, hash: z.string() }),
  brokenAt: count.optional(),
  because: z.string().optional(),
});

export const auditRoutes = ({ audit }: Pick<Api, 'audit'>) => [
  route({
    method: 'GET',
    path: '/audit',
    right: auditors,
    about: 'Who did what, newest first',
    query: Entries,
    answers: listOf(ShownEntry),
    async handle({ query: { page, page_size: limit, ...filter } }) {
      const offset = (page - 1) * limit;
      const { entries, total } = await audit.find(filter, { limit, offset });
      const body = { data: entries.map(shown), count: entries.length, totalCount: total };
      return { status: 200, body };
    },
  }),
  route({
    method: 'GET',
    path: '/audit/verify',
    right: auditors,
    about:
      'Whether the audit log is as it was written, up to its head; with a head that was noted before, whether it still contains that',
    query: Verification,
    answers: Verdict,
    handle: async ({ query: { noted } }) => ({ status: 200, body: await audit.verify(noted) }),
  }),
];

const shown = ({ at, details, requestId: requestID, ...entry }: AuditEntry) => ({
  ...entry,
  at: at.toISOString(),
  requestID,
  details: JSON.parse(details) as object, // written as such
});
