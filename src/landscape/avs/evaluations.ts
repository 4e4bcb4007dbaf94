import { z } from 'zod';

const utf8 = (most: number) =>
  z.string().refine((text) => Buffer.byteLength(text) <= most, `at most ${most} bytes`);

export const Tag = z.strictObject({
  content: z.string(),
  tag_class_id: z.int(),
  tag_class_name: z.string(),
});

/** What a creation must look like, to the letter: all keys, and nothing else. */
export const Creation = z.strictObject({
  definition_type: z.literal('BASIC'),
  name: utf8(80).min(1),
  description: utf8(255),
  service: z.string().min(1),
  url: z.string(),
  check_type: z.enum(['', 'HTTPSGET']),
  interval: z.int().positive(),
  tester_access_id: z.int(),
  timeout: z.int().positive(),
  read_only: z.boolean(),
  content_check: z.string(),
  content_check_type: z.string(),
  threshold: z.string().regex(/^\d+$/),
  group_id: z.int(),
  visibility: z.literal('PUBLIC'),
  parent_id: z.int(),
  tags: z.array(Tag).nullable(),
});

export const lifecycles = ['ACTIVE', 'MAINTENANCE', 'INACTIVE', 'RETIRED', 'DELETED'] as const;

export type Evaluation = Omit<z.infer<typeof Created>, 'tags'> & {
  readonly id: number;
  readonly tags: z.infer<typeof Tag>[];
  readonly dateCreated: number;
  dateChanged: number;
  status: (typeof lifecycles)[number];
  readonly askedBy: string;
};

/** The parent is no part of it, and the threshold becomes a number. */
const Created = Creation.omit({ parent_id: true }).strip().extend({ threshold: z.coerce.number() });

export const evaluationFrom = (
  wanted: z.infer<typeof Creation>,
  id: number,
  { now, askedBy }: { readonly now: Date; readonly askedBy: string },
): Evaluation => ({
  ...Created.parse(wanted),
  tags: wanted.tags ?? [],
  id,
  status: 'ACTIVE',
  dateCreated: inSeconds(now),
  dateChanged: inSeconds(now),
  askedBy,
});

/** With all that AvS adds and nobody reads. */
export const answerFor = ({ askedBy: _askedBy, ...evaluation }: Evaluation) => ({
  ...evaluation,
  owner: 'owner@example.com',
  alerts: null,
  legacy_check_id: evaluation.id,
  internal_interval: evaluation.interval,
  auth_type: 'AUTH_NONE',
  individual_outage_events_only: false,
  id_on_tester: '',
});

export const inSeconds = (date: Date): number => Math.floor(date.getTime() / 1000);
