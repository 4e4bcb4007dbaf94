import { z } from 'zod';
import { count, Explained, time } from '../api/answer-parts.ts';

/** An operation in lists. */
export const OperationAnswer = z.strictObject({
  operationID: z.string(),
  type: z.string(),
  instanceID: z.string().optional(),
  subject: z.string().optional(),
  globalAccountID: z.string(),
  orchestrationID: z.string().optional(),
  state: z.enum(['pending', 'in progress', 'canceling', 'succeeded', 'failed', 'canceled']),
  description: z.string(),
  createdAt: time,
  startedAt: time.optional(),
  updatedAt: time,
  endedAt: time.optional(),
  finishedStages: z.array(z.string()),
  executedButNotCompletedSteps: z.array(z.string()).optional(),
  skips: z.record(z.string(), z.string()).optional(),
  explanation: Explained,
});

const Step = z.strictObject({
  name: z.string(),
  about: z.string().optional(),
  domain: z.string().optional(),
  owner: z.string().optional(),
  weight: z.int().min(1),
  addedBy: z.string().optional(),
  when: z.string().optional(),
});

export const TypesAnswer = z.array(
  z.strictObject({
    type: z.string(),
    timeLimitMs: z.number().optional(),
    stages: z.array(z.strictObject({ name: z.string(), steps: z.array(Step) })),
  }),
);

/** A line of the timeline. */
export const LineAnswer = z.strictObject({
  number: z.int().min(1),
  stage: z.string(),
  step: z.string(),
  outcome: z.enum(['done', 'wait', 'skip', 'retry', 'fail', 'not completed', 'canceled']),
  because: z.string().optional(),
  system: z.string().optional(),
  errorClass: z.string().optional(),
  attempt: count,
  runs: count,
  replica: z.string(),
  startedAt: time,
  endedAt: time,
  durationMs: z.number().min(0),
});

export const WholeOperationAnswer = z.strictObject({
  ...OperationAnswer.shape,
  stages: z.array(
    z.strictObject({
      name: z.string(),
      state: z.enum(['finished', 'current', 'ahead']),
      steps: z.array(Step),
    }),
  ),
  timeline: z.array(LineAnswer),
  timelineTotal: count,
});

/** Of what people do to one. */
export const SteeringAnswer = z.strictObject({
  operationID: z.string(),
  action: z.enum(['retry', 'skip', 'unskip', 'cancel']),
  step: z.string().optional(),
  dryRun: z.boolean(),
  effect: z.string(),
});
