import type { PoolClient } from 'pg';
import { inTransaction } from '#database';
import type { Engine, StoredOperation } from '#engine';
import { bindingSubject, type BindingFacts } from './binding.ts';
import { cancelAllOfBinding } from './drop-bindings.ts';
import type { Services } from './services.ts';

type Api = Services & { readonly engine: Engine };

/**
 * Whatever goes on for the binding is stopped, its making too. One removal is enough: if it is under way, the request is
 * answered with it. Undefined if the instance has no such binding.
 */
export async function startUnbinding(
  { bindings, instances, engine }: Api,
  facts: BindingFacts,
  db: PoolClient,
): Promise<StoredOperation | undefined> {
  const binding = await bindings.lock(db, facts.bindingId);
  if (binding?.instanceId !== facts.instanceId) return undefined;
  const subject = bindingSubject(facts.bindingId);
  const underWay = (await engine.ofSubject(subject, 100, db)).find(
    ({ type, ended_at, cancel_because }) =>
      type === 'unbind' && ended_at === null && cancel_because === null,
  );
  if (underWay) return underWay;
  const instance = await instances.get(db, facts.instanceId);
  const account = instance?.globalAccount ?? '';
  const preempt = 'the binding is being deleted';
  return engine.start('unbind', subject, facts, { account, preempt, db });
}

/** For whoever could not wait for the removal: what was good before it stays good, and ends when its time is over. */
export async function stopUnbinding(
  { bindings, engine, database }: Api,
  { id, subject, account, facts }: StoredOperation,
): Promise<void> {
  await inTransaction(database, async (db) => {
    const binding = await bindings.lock(db, String(facts['bindingId']));
    if (!binding?.credentials) return;
    const stopped = await engine.cancel(id, 'nobody waits for it', db);
    if (stopped) await engine.start('expire_binding', subject, facts, { account, db });
  });
}

/** Nothing is left of a binding whose making has not yet begun to change anything; the rest is removed by and by. */
export async function undoBinding(
  api: Api,
  facts: BindingFacts,
  { id }: StoredOperation,
): Promise<void> {
  const { bindings, engine, database } = api;
  await inTransaction(database, async (db) => {
    await bindings.lock(db, facts.bindingId);
    const stopped = await engine.cancel(id, 'nobody waits for it', db);
    if (stopped?.state !== 'canceled' || stopped.finished_stages.length > 0)
      return void (await startUnbinding(api, facts, db));
    await bindings.remove(db, facts.bindingId);
    await cancelAllOfBinding(engine, facts.bindingId, 'the binding was never made', db);
  });
}
