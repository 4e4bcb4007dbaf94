import { z } from 'zod';
import { count, time } from '../api/answer-parts.ts';

const byType = z.record(z.string(), count);
const milliseconds = z.number().min(0);

export const StatesAnswer = z.strictObject({
  data: z.array(
    z.strictObject({
      at: time,
      started: byType,
      succeeded: byType,
      failed: byType,
      canceled: byType,
    }),
  ),
  now: z.strictObject({
    pending: count,
    inProgress: count,
    waiting: count,
    retrying: count,
    stuck: count,
    due: count,
  }),
});

export const StepsAnswer = z.array(
  z.strictObject({
    type: z.string(),
    stage: z.string(),
    step: z.string(),
    runs: count,
    failures: count,
    p50Ms: milliseconds,
    p90Ms: milliseconds,
    p99Ms: milliseconds,
  }),
);

export const QueueAnswer = z.strictObject({
  due: count,
  oldestDueSince: time.optional(),
  latenessMs: z.strictObject({ p50: milliseconds, p99: milliseconds }),
  open: z.array(z.strictObject({ type: z.string(), state: z.string(), count })),
  replicas: z.array(
    z.strictObject({ name: z.string(), startedAt: time, heartbeatAt: time, running: count }),
  ),
});
