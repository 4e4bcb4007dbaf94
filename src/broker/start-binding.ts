import type { PoolClient } from 'pg';
import type { Engine, StoredOperation } from '#engine';
import { bindingSubject, type BindingFacts } from './binding.ts';
import type { Services } from './services.ts';
import type { NewBinding } from './tables/bindings-table.ts';

type Api = Services & { readonly engine: Engine };

/**
 * The binding, the operation that makes it, and behind that the one that removes it when its time is over: all, or none.
 * Undefined if there is a binding of this id already. Throws SubjectBusy while an earlier one of this id is being removed.
 */
export async function startBinding(
  { bindings, engine }: Api,
  binding: NewBinding,
  account: string,
  db: PoolClient,
): Promise<StoredOperation | undefined> {
  if (!(await bindings.insert(db, binding))) return undefined;
  const { id: bindingId, instanceId } = binding;
  const facts: BindingFacts = { bindingId, instanceId };
  const subject = bindingSubject(bindingId);
  // What removes an earlier binding of this id goes by the id.
  const operation = await engine.start('bind', subject, facts, { account, onlyIfFree: true, db });
  await engine.start('expire_binding', subject, facts, { account, db });
  return operation;
}
