import type { PoolClient } from 'pg';
import type { StoredOperation } from '#engine';
import type { Instance } from '../instance.ts';
import type { Api } from './api.ts';

/** The operations that platforms ask for. Others, like upgrades, are none of their business. */
export const askedFor = ['provision', 'update', 'deprovision'] as const;
type AskedFor = (typeof askedFor)[number];

export type InstanceState =
  | 'provisioning'
  | 'provision failed'
  | 'ready'
  | 'updating'
  | 'suspending'
  /** It has no runtime, and may get one again. */
  | 'suspended'
  | 'unsuspending'
  | 'deprovisioning'
  /** It may still be of use. */
  | 'deprovision failed'
  /** Something of it is left behind, and will be cleaned up. */
  | 'remains';

export type Found = { readonly instance: Instance } & (
  | { readonly state: Exclude<InstanceState, 'ready'>; readonly last: StoredOperation }
  /** What brought it there may be forgotten. */
  | { readonly state: 'ready'; readonly last: StoredOperation | undefined }
);

/**
 * The instance and what was last done to it. Read one after the other, the operation first, so that an instance that is
 * found with it was there with it; and again if a new life of the same id has begun in between.
 */
export async function findInstance(
  api: Pick<Api, 'engine' | 'instances' | 'database'>,
  id: string,
): Promise<Found | undefined> {
  for (;;) {
    const last = await lastOperation(api, id);
    const instance = await api.instances.get(api.database.pool, id);
    if (!instance) return undefined;
    const newest = await lastOperation(api, id);
    if (newest?.id !== last?.id) continue;
    return last ? { instance, last, state: stateOf(last) } : { instance, last, state: 'ready' };
  }
}

/** The same, and it does not change until the transaction is over. */
export async function lockInstance(
  { engine, instances }: Pick<Api, 'engine' | 'instances'>,
  id: string,
  db: PoolClient,
): Promise<Found | undefined> {
  const instance = await instances.lock(db, id);
  if (!instance) return undefined;
  const last = (await engine.ofSubject(id, 100, db)).find(({ type }) => isAskedFor(type));
  return last ? { instance, last, state: stateOf(last) } : { instance, last, state: 'ready' };
}

export async function lastOperation(
  { engine }: Pick<Api, 'engine'>,
  id: string,
  types: readonly string[] = askedFor,
): Promise<StoredOperation | undefined> {
  const operations = await engine.ofSubject(id);
  return operations.find(({ type }) => types.includes(type));
}

export const isAskedFor = (type: string): type is AskedFor =>
  askedFor.some((each) => each === type);

function stateOf(last: StoredOperation): InstanceState {
  const { type, state, ended_at } = last;
  const isOpen = ended_at === null;
  if (isSuspension(last)) return isOpen ? 'suspending' : 'suspended';
  // One that has failed can be asked for again: then what it has left is removed first.
  if (isUnsuspension(last) && (isOpen || state !== 'succeeded'))
    return isOpen ? 'unsuspending' : 'suspended';
  switch (type as AskedFor) {
    case 'provision':
      if (isOpen) return 'provisioning';
      return state === 'succeeded' ? 'ready' : 'provision failed';
    case 'update':
      return isOpen ? 'updating' : 'ready';
    case 'deprovision':
      if (isOpen) return 'deprovisioning';
      if (state !== 'succeeded') return 'deprovision failed';
      return 'remains';
  }
}

/** It takes the runtime, and leaves the instance. */
export const isSuspension = ({ type, facts }: StoredOperation): boolean =>
  type === 'deprovision' && facts['temporary'] === true;
export const isUnsuspension = ({ type, facts }: StoredOperation): boolean =>
  type === 'provision' && facts['unsuspends'] === true;

/** A deprovisioning that failed may have taken away what the instance lives of. */
export const isStillUsable = ({ finished_stages }: StoredOperation): boolean =>
  finished_stages.length === 0;
