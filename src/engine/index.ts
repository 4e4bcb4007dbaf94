// Durable operations: accepted once, finished exactly once, whatever dies on the way, and able to say at every moment
// what they wait for. Knows stages, steps, leases and time; knows no broker, no cluster, no outside system: what steps
// do, and the errors they meet, are theirs.

export { done, fail, finish, skip, wait, type Outcome } from './outcome.ts';
export {
  bestEffort,
  condition,
  when,
  type Condition,
  type RetryPolicy,
  type Step,
  type StepContext,
} from './step.ts';
export { memoryOf, type MemoryKey, type StageMemory } from './stage-memory.ts';
export {
  operation,
  type AnyStep,
  type Facts,
  type Operation,
  type OperationDefinition,
} from './operation.ts';
export { DefinitionError, Definitions, type Addition } from './definitions.ts';
export { Engine, type EngineOptions, type StartOptions, type StoredOperation } from './engine.ts';
export { engineMetrics } from './engine-metrics.ts';
export { type Explanation } from './explanation.ts';
export { type Failure } from './failure.ts';
export { watchEvents, type Listener, type OperationEvent } from './events.ts';
export {
  activities,
  activityCondition,
  operationOrders,
  type Activity,
  type OperationFilter,
  type OperationOrder,
  type OperationPage,
} from './operation-lists.ts';
export {
  type ActivityCounts,
  type ErrorGroup,
  type LivingReplica,
  type StateCount,
  type Statistics,
  type StepStatistics,
} from './statistics.ts';
export { NotPossible, type Steered } from './steering.ts';
export { suggestedAction } from './suggested-action.ts';
export { SubjectBusy, type OperationState } from './operations-table.ts';
export { type StepOutcome, type StepRunRow } from './step-runs-table.ts';
