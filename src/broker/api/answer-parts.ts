import { z } from 'zod';

// Of what answers are made, for the API's description. Answers are not checked by these when they are sent: a test does that.

export const time = z.iso.datetime();
export const count = z.int().min(0);

export const listOf = <Item extends z.ZodType>(item: Item) =>
  z.strictObject({ data: z.array(item), count, totalCount: count });

const Failure = z.strictObject({
  class: z.enum(['user', 'system', 'us']),
  message: z.string(),
  system: z.string().optional(),
  reason: z.string().optional(),
  status: z.int().optional(),
  step: z.string().optional(),
  action: z.string().optional(),
});

/** What an operation does, what it waits for, why, and what people should do. */
export const Explained = z.strictObject({
  state: z.enum(['pending', 'in progress', 'succeeded', 'failed', 'canceled']),
  summary: z.string(),
  activity: z.enum(['queued behind another operation', 'running', 'waiting', 'due', 'ended']),
  stage: z.string().optional(),
  step: z.string().optional(),
  attempt: count.optional(),
  owner: z.string().optional(),
  waitingFor: z.string().optional(),
  because: z.string().optional(),
  since: time.optional(),
  nextTryAt: time.optional(),
  deadline: time.optional(),
  canceling: z.string().optional(),
  notCompleted: z.array(z.string()).optional(),
  failure: Failure.optional(),
  system: z.string().optional(),
  class: Failure.shape.class.optional(),
  action: z.string().optional(),
});
