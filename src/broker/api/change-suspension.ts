import type { PoolClient } from 'pg';
import { inTransaction } from '#database';
import type { StoredOperation } from '#engine';
import { Refusal } from '../errors.ts';
import type { UpdateParameters } from '../plans/parse-parameters.ts';
import { startDeprovisioning } from '../start-deprovisioning.ts';
import { leavesSomething, startUnsuspension } from '../start-unsuspension.ts';
import type { Answer, Api } from './api.ts';
import { lockInstance, type Found } from './instance-state.ts';
import { metadataOf } from './labels.ts';
import type { ContextChange } from './order-context.ts';
import { acceptsIncomplete, requireAsync } from './read-request.ts';

/** The part of an update that decides whether the instance has a runtime at all. */
export type SuspensionWish = {
  readonly active: boolean | undefined;
  readonly context: ContextChange;
  readonly parameters: UpdateParameters;
  /** A plan or a version: more than context and parameters. */
  readonly isMore: boolean;
  readonly query: Readonly<Record<string, unknown>>;
};

/**
 * Trials are suspended and brought back by the `active` of their context. Undefined if the update is none of that, and the
 * instance has its runtime. Whoever asks gets the operation that brings the wanted state, also if it is under way already.
 */
export const changeSuspension = (
  api: Api,
  instanceId: string,
  wish: SuspensionWish,
): Promise<Answer | undefined> =>
  inTransaction(api.database, async (db) => {
    const found = await lockInstance(api, instanceId, db);
    if (!found) throw new Refusal('INSTANCE_UNKNOWN', `there is no instance ${instanceId}`);
    const wanted = wantedState(found, wish);
    if (!wanted) return isAway(found) ? withoutRuntime(api, found, wish, db) : undefined;
    checkNothingElse(found, wish);
    const operation = await (wanted === 'suspended'
      ? suspend(api, found, wish, db)
      : unsuspend(api, found, wish, db));
    if (!operation) return withoutRuntime(api, found, wish, db);
    requireAsync(wish.query);
    const changed = (await api.instances.get(db, instanceId)) ?? found.instance;
    return {
      status: 202,
      body: {
        dashboard_url: changed.dashboardUrl,
        operation: operation.id,
        metadata: metadataOf(api.api, changed),
      },
    };
  });

const isAway = ({ state }: Found) =>
  state === 'suspended' || state === 'suspending' || state === 'unsuspending';

/** Undefined if it has that state and nothing is to be done, or if its plan knows no suspension. */
function wantedState(found: Found, { active, parameters, query }: SuspensionWish) {
  const { instance, state, last } = found;
  if (parameters.expired === true && active !== false)
    throw new Refusal(
      'MALFORMED_REQUEST',
      `context.active=false is required for expiration (active is ${active})`,
    );
  if (instance.planName !== 'trial') return undefined;
  const isOff = state === 'suspended' || state === 'suspending';
  switch (active) {
    case true:
      return isAway(found) ? 'active' : undefined;
    case false:
      return 'suspended';
    case undefined:
      // One that has failed is tried again whenever somebody comes along who can wait for it.
      return isOff && last?.state === 'failed' && acceptsIncomplete(query)
        ? 'suspended'
        : undefined;
  }
}

/** Undefined if it is suspended, and nothing of its runtime is left. */
async function suspend(
  api: Api,
  { instance, state, last }: Found,
  { context, parameters }: SuspensionWish,
  db: PoolClient,
): Promise<StoredOperation | undefined> {
  const { id } = instance;
  if (parameters.expired === true) await api.instances.expire(db, id);
  if (state === 'suspended' && !leavesSomething(instance, last)) return undefined;
  await api.instances.setContext(db, id, { ...instance.context, ...context, active: false });
  // It may wait behind a suspension that goes on: then that one is enough.
  if (state === 'unsuspending')
    await api.engine.cancel(last.id, 'the instance is being suspended', db);
  return startDeprovisioning(api, { instanceId: id, temporary: true }, db);
}

async function unsuspend(
  api: Api,
  { instance, state, last }: Found,
  { context }: SuspensionWish,
  db: PoolClient,
): Promise<StoredOperation | undefined> {
  if (instance.expiredAt) throw hasExpired(instance.id);
  if (state === 'unsuspending') return last;
  if (!last) return undefined;
  const changed = { ...instance, context: { ...instance.context, ...context } };
  return startUnsuspension(api, changed, last, db);
}

/** What can be said of an instance that has no runtime: a new context is stored, for the next one. */
async function withoutRuntime(
  api: Api,
  { instance, state }: Found,
  wish: SuspensionWish,
  db: PoolClient,
): Promise<Answer> {
  const { id } = instance;
  const { expired: _, ...parameters } = wish.parameters;
  const hasContext = Object.keys(wish.context).length > 0;
  const isMore = wish.isMore || Object.keys(parameters).length > 0;
  if (state !== 'suspended' && (hasContext || isMore))
    throw new Refusal('OPERATION_IN_PROGRESS', `the instance ${id} is ${state}`);
  if (isMore) throw useless(`the instance ${id} is suspended: it has no runtime to change`);
  if (hasContext) await api.instances.setContext(db, id, { ...instance.context, ...wish.context });
  return { status: 200, body: {} };
}

export const hasExpired = (id: string) =>
  new Refusal(
    'INSTANCE_EXPIRED',
    `cannot update an expired instance: ${id} has expired, and only its deletion is left to ask for`,
    { consequences: { update_repeatable: false, instance_usable: false } },
  );

const useless = (message: string) =>
  new Refusal('UPDATE_NOT_POSSIBLE', message, { consequences: { instance_usable: false } });

function checkNothingElse({ instance: { id } }: Found, wish: SuspensionWish): void {
  const { expired: _, ...others } = wish.parameters;
  const names = Object.keys(others);
  if (names.length === 0 && !wish.isMore) return;
  throw new Refusal(
    'UPDATE_NOT_SUPPORTED',
    `context.active suspends the instance ${id} or brings it back: allowed with it is a new context, got ${names.join(', ') || 'a plan or a version'}`,
    { consequences: { update_repeatable: false } },
  );
}
