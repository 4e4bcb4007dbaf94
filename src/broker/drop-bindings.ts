import type { PoolClient } from 'pg';
import type { Engine } from '#engine';
import { bindingSubject } from './binding.ts';
import type { Services } from './services.ts';

/** With the runtime go all bindings: their credentials open nothing any more. */
export async function dropBindings(
  { bindings, engine }: Services & { readonly engine: Engine },
  instanceId: string,
  because: string,
  db: PoolClient,
): Promise<void> {
  for (const id of await bindings.removeOfInstance(db, instanceId))
    await cancelAllOfBinding(engine, id, because, db);
}

export async function cancelAllOfBinding(
  engine: Engine,
  bindingId: string,
  because: string,
  db: PoolClient,
): Promise<void> {
  const operations = await engine.ofSubject(bindingSubject(bindingId), 100, db);
  // In their order, as the engine itself locks them. One that begins because the one before it was stopped is next.
  for (const { id, ended_at } of operations.toReversed())
    if (ended_at === null) await engine.cancel(id, because, db);
}
