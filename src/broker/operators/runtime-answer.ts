import { z } from 'zod';
import { count, Explained, listOf, time } from '../api/answer-parts.ts';
import { OperationAnswer } from './operation-answer.ts';
import { runtimeStates } from './runtime-state.ts';

const { state, description } = OperationAnswer.shape;

const BriefOperation = z.strictObject({
  state,
  type: z.string(),
  description,
  createdAt: time,
  updatedAt: time,
  operationID: z.string(),
  orchestrationID: z.string().optional(),
  finishedStages: z.array(z.string()),
  executedButNotCompletedSteps: z.array(z.string()).optional(),
  runtimeVersion: z.string(),
});
const some = listOf(BriefOperation).optional();

/** A runtime, in lists and alone. */
export const RuntimeAnswer = z.strictObject({
  instanceID: z.string(),
  runtimeID: z.string(),
  globalAccountID: z.string(),
  subscriptionGlobalAccountID: z.string(),
  subAccountID: z.string(),
  region: z.string(),
  subAccountRegion: z.string(),
  shootName: z.string(),
  serviceClassID: z.string().optional(),
  serviceClassName: z.string(),
  servicePlanID: z.string(),
  servicePlanName: z.string(),
  provider: z.string(),
  userID: z.string(),
  name: z.string(),
  dashboardURL: z.string().optional(),
  avsInternalEvaluationID: z.int().optional(),
  kymaVersion: z.string().optional(),
  kymaConfig: z.looseObject({ version: z.string() }).optional(),
  clusterConfig: z.looseObject({ name: z.string(), provider: z.string() }).optional(),
  status: z.strictObject({
    createdAt: time,
    modifiedAt: time,
    expiredAt: time.optional(),
    deletedAt: time.optional(),
    state: z.enum(runtimeStates).exclude(['all']),
    provisioning: BriefOperation.optional(),
    deprovisioning: BriefOperation.optional(),
    update: some,
    upgradingKyma: some,
    upgradingCluster: some,
    suspension: some,
    unsuspension: some,
    explanation: Explained.optional(),
  }),
});

export const RuntimesAnswer = z.strictObject({
  ...listOf(RuntimeAnswer).shape,
  nextCursor: z.string().optional(),
});

const Brief = z.strictObject({ state: OperationAnswer.shape.explanation.shape.state, description });

export const InfoAnswer = z.array(
  z.strictObject({
    runtimeId: z.string(),
    globalAccountId: z.string(),
    subaccountId: z.string(),
    subaccountRegion: z.string(),
    serviceInstanceId: z.string(),
    serviceClassId: z.string(),
    serviceClassName: z.string(),
    servicePlanId: z.string(),
    servicePlanName: z.string(),
    status: z.strictObject({
      createdAt: time,
      updatedAt: time,
      deletedAt: time.optional(),
      provisioning: Brief.optional(),
      deprovisioning: Brief.optional(),
    }),
  }),
);

export const EventsAnswer = z.array(
  z.strictObject({
    ID: z.string(),
    Level: z.enum(['info', 'error']),
    InstanceID: z.string().optional(),
    OperationID: z.string(),
    Message: z.string(),
    CreatedAt: time,
  }),
);

export const ErrorsAnswer = listOf(
  z.strictObject({
    fingerprint: z.string(),
    type: z.string(),
    step: z.string().optional(),
    system: z.string().optional(),
    class: z.enum(['user', 'system', 'us']),
    reason: z.string(),
    message: z.string(),
    action: z.string(),
    count,
    runtimes: z.array(z.string()),
    runtimeCount: count,
    firstAt: time,
    lastAt: time,
    open: count,
  }),
);
