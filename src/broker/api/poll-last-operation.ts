import type { StoredOperation } from '#engine';
import { Refusal } from '../errors.ts';
import { archivedInstances } from '../tables/archived-instances-table.ts';
import { shortened } from '../plans/invalid-parameters.ts';
import type { Answer, Api, Handler } from './api.ts';
import { askedTogether } from './asked-together.ts';
import {
  askedFor,
  isAskedFor,
  isStillUsable,
  isSuspension,
  isUnsuspension,
  lastOperation,
} from './instance-state.ts';
import { queryValue } from './read-request.ts';

const uuid = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i;

/**
 * `GET /v2/service_instances/:instance_id/last_operation`. Operations outlive their instance: whoever asks for the end of
 * a deprovisioning gets it, however late.
 */
export const pollLastOperation = (api: Api): Handler => {
  const newest = askedTogether(async (instanceIds) => {
    const found = await api.engine.lastOf(instanceIds, askedFor);
    return new Map(found.map((operation) => [operation.subject, operation]));
  });
  return async ({ instanceId, query }) => {
    for (const hint of ['service_id', 'plan_id']) queryValue(query, hint);
    const asked = queryValue(query, 'operation');
    // Mostly the newest one is meant, whether it is named or not.
    const last = await newest(instanceId);
    const operation =
      asked === undefined || last?.id === asked ? last : await named(api, instanceId, asked);
    if (operation) return progressAnswer(api, operation);
    if (await isArchived(api, instanceId)) return { status: 200, body: { state: 'succeeded' } };
    throw await unknown(api, instanceId, asked);
  };
};

export function progressAnswer(api: Api, operation: StoredOperation): Answer {
  const isOpen = operation.ended_at === null;
  return {
    status: 200,
    body: progressOf(api, operation),
    ...(isOpen && { headers: { 'retry-after': String(Math.ceil(api.api.retryAfter / 1_000)) } }),
  };
}

/** Some platforms send the kind of operation instead of what they were given. */
async function named(
  api: Api,
  instanceId: string,
  asked: string,
): Promise<StoredOperation | undefined> {
  if (isAskedFor(asked)) return lastOperation(api, instanceId, [asked]);
  const found = uuid.test(asked) ? await api.engine.get(asked) : undefined;
  return found?.subject === instanceId ? found : undefined;
}

/** It is gone, and its operations too: then its removal was the last of them. */
async function isArchived({ instances, database: { pool } }: Api, id: string): Promise<boolean> {
  return (await archivedInstances.has(pool, id)) && !(await instances.get(pool, id));
}

async function unknown(api: Api, instanceId: string, asked = ''): Promise<Refusal> {
  if (asked === '' || !(await lastOperation(api, instanceId)))
    return new Refusal('INSTANCE_UNKNOWN', `there is no instance ${instanceId}`);
  return new Refusal(
    'OPERATION_UNKNOWN',
    `operation is ${shortened(asked)}: expected one that this broker has returned for instance ${instanceId}`,
  );
}

function progressOf({ engine }: Api, operation: StoredOperation) {
  const description = told(operation, engine.explain(operation).summary);
  return {
    state: stateOf(operation),
    ...(description !== '' && { description }),
    ...consequencesOf(operation),
  };
}

/** For platforms both are updates: what they do to the instance is told here. */
function told(operation: StoredOperation, summary: string): string {
  const isEnd = operation.state === 'succeeded';
  if (isSuspension(operation))
    return isEnd ? summary.replace(/^succeeded/, 'suspended') : `suspension: ${summary}`;
  if (isUnsuspension(operation))
    return isEnd ? summary.replace(/^succeeded/, 'unsuspended') : `unsuspension: ${summary}`;
  return summary;
}

/** What was stopped did not come about. */
function stateOf({ state }: StoredOperation): 'in progress' | 'succeeded' | 'failed' {
  switch (state) {
    case 'pending':
    case 'in progress':
      return 'in progress';
    case 'succeeded':
      return 'succeeded';
    case 'failed':
    case 'canceled':
      return 'failed';
  }
}

/** What platforms may do after a failure. Said of updates and deprovisionings alone. */
function consequencesOf(operation: StoredOperation) {
  const { type, error } = operation;
  if (stateOf(operation) !== 'failed') return {};
  if (isSuspension(operation))
    return { instance_usable: isStillUsable(operation), update_repeatable: true };
  if (isUnsuspension(operation)) return { instance_usable: false, update_repeatable: true };
  if (type === 'deprovision') return { instance_usable: isStillUsable(operation) };
  // Cluster and Kyma are as they were, or will be brought there by the next try; only a wish of the user's stays wrong.
  if (type === 'update')
    return { instance_usable: true, update_repeatable: error?.class !== 'user' };
  return {};
}
