import { z } from 'zod';
import { count, Explained, time } from '../../api/answer-parts.ts';

const Counts = {
  total: count,
  pending: count,
  inProgress: count,
  succeeded: count,
  failed: count,
  canceled: count,
};

/** An orchestration in lists. */
export const OrchestrationAnswer = z.strictObject({
  orchestrationID: z.string(),
  type: z.enum(['upgradeKyma', 'upgradeCluster']),
  state: z.string(),
  description: z.string(),
  createdAt: time,
  updatedAt: time,
  parameters: z.looseObject({}),
  progress: z.strictObject({ ...Counts, wave: count, waves: count }),
  pausedBecause: z.string().optional(),
  explanation: Explained.optional(),
  operationID: z.string().optional(),
});

const FailureGroup = z.strictObject({
  fingerprint: z.string(),
  step: z.string().nullable(),
  system: z.string().nullable(),
  class: z.string().nullable(),
  reason: z.string().nullable(),
  message: z.string(),
  count,
  runtimes: z.array(z.string()),
});

export const WholeOrchestrationAnswer = z.strictObject({
  ...OrchestrationAnswer.shape,
  operationStats: z.record(z.string(), count),
  report: z.strictObject({
    touched: count,
    untouched: count,
    failures: z.array(FailureGroup),
    waves: z.array(z.strictObject({ wave: count, ...Counts })),
  }),
});

const Target = {
  instanceID: z.string(),
  runtimeID: z.string(),
  globalAccountID: z.string(),
  subAccountID: z.string(),
  servicePlanID: z.string(),
  servicePlanName: z.string(),
  shootName: z.string(),
  region: z.string(),
};
const Window = {
  maintenanceWindowBegin: time.optional(),
  maintenanceWindowEnd: time.optional(),
};

/** An upgrade of an orchestration in lists. */
export const UpgradeAnswer = z.strictObject({
  operationID: z.string(),
  orchestrationID: z.string(),
  ...Target,
  dryRun: z.boolean(),
  ...Window,
  state: z.string(),
  description: z.string(),
  wave: count,
  attempt: count,
  notificationState: z.string().optional(),
});

export const UpgradeDetailAnswer = z.strictObject({
  ...UpgradeAnswer.shape,
  kymaConfig: z.strictObject({ version: z.string().optional() }).optional(),
  clusterConfig: z.looseObject({}).optional(),
});
