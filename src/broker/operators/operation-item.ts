import type { StoredOperation } from '#engine';
import type { Api } from '../api/api.ts';
import { instanceOf, isOfInstanceItself } from './instance-of.ts';

/** An operation as people see it. Its facts stay inside. `subject`: what it is about, where that is no instance. */
export function operationItem(
  { engine }: Pick<Api, 'engine'>,
  operation: StoredOperation,
  orchestrationId?: string,
) {
  const { started_at: startedAt, ended_at: endedAt, not_completed: notCompleted } = operation;
  const instanceId = instanceOf(operation);
  const isCanceling = operation.state === 'in progress' && operation.cancel_because !== null;
  return {
    operationID: operation.id,
    type: operation.type,
    ...(instanceId !== undefined && { instanceID: instanceId }),
    ...(!isOfInstanceItself(operation.type) && { subject: operation.subject }),
    globalAccountID: operation.account,
    ...(orchestrationId !== undefined && { orchestrationID: orchestrationId }),
    state: isCanceling ? 'canceling' : operation.state,
    description: operation.description,
    createdAt: operation.created_at,
    ...(startedAt && { startedAt }),
    updatedAt: operation.updated_at,
    ...(endedAt && { endedAt }),
    finishedStages: operation.finished_stages,
    ...(notCompleted.length > 0 && { executedButNotCompletedSteps: notCompleted }),
    ...(Object.keys(operation.skips).length > 0 && { skips: operation.skips }),
    explanation: engine.explain(operation),
  };
}
