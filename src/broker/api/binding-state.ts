import type { PoolClient } from 'pg';
import type { StoredOperation } from '#engine';
import { bindingSubject, type Binding, type BindingFacts } from '../binding.ts';
import type { Api } from './api.ts';

/** The operations that platforms ask for. That a binding expires is its own business. */
const askedFor = ['bind', 'unbind'] as const;
export type BindingOperation = (typeof askedFor)[number];
export const isBindingOperation = (type: string): type is BindingOperation =>
  askedFor.some((each) => each === type);

export type BindingState =
  | 'creating'
  | 'ready'
  | 'expired'
  /** It never came about, or is half removed: only its deletion is left to ask for. */
  | 'broken'
  | 'removing';

export type FoundBinding = { readonly binding: Binding } & (
  | { readonly state: 'creating' | 'removing'; readonly last: StoredOperation }
  | {
      readonly state: Exclude<BindingState, 'creating' | 'removing'>;
      readonly last: StoredOperation | undefined;
    }
);

/**
 * The binding of that instance, and what was last done to it. The operation is read first: one that has ended has stored
 * before what it has made.
 */
export async function findBinding(
  api: Pick<Api, 'engine' | 'bindings' | 'database'>,
  facts: BindingFacts,
): Promise<FoundBinding | undefined> {
  const [last] = await bindingOperations(api, facts);
  return found(await api.bindings.get(api.database.pool, facts.bindingId), facts, last);
}

/** The same, and it does not change until the transaction is over. */
export async function lockBinding(
  api: Pick<Api, 'engine' | 'bindings'>,
  facts: BindingFacts,
  db: PoolClient,
): Promise<FoundBinding | undefined> {
  const binding = await api.bindings.lock(db, facts.bindingId);
  const [last] = binding ? await bindingOperations(api, facts, askedFor, db) : [];
  return found(binding, facts, last);
}

/** The newest first; also of a binding that is gone. Another instance may have had one of the same id. */
export async function bindingOperations(
  { engine }: Pick<Api, 'engine'>,
  { bindingId, instanceId }: BindingFacts,
  types: readonly string[] = askedFor,
  db?: PoolClient,
): Promise<StoredOperation[]> {
  const all = await engine.ofSubject(bindingSubject(bindingId), 100, db);
  return all.filter(
    ({ type, facts }) => types.includes(type) && facts['instanceId'] === instanceId,
  );
}

function found(
  binding: Binding | undefined,
  { instanceId }: BindingFacts,
  last: StoredOperation | undefined,
): FoundBinding | undefined {
  if (binding?.instanceId !== instanceId) return undefined;
  if (last?.ended_at === null)
    return { binding, last, state: last.type === 'bind' ? 'creating' : 'removing' };
  if (!binding.credentials) return { binding, last, state: 'broken' };
  return { binding, last, state: binding.isExpired ? 'expired' : 'ready' };
}
