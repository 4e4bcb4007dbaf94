import { setTimeout as pause } from 'node:timers/promises';
import type { Engine, StoredOperation } from '#engine';
import { milliseconds, type Milliseconds } from '#time';

/** What another replica does is not heard here: look now and then. */
const lookEvery = milliseconds(250);

/** How the operation has ended; undefined if it has to wait for something, or takes longer than a request may. */
export async function endedSoon(
  engine: Engine,
  id: string,
  within: Milliseconds,
): Promise<StoredOperation | undefined> {
  const patience = AbortSignal.timeout(within);
  const over = new AbortController();
  let news = Promise.withResolvers<void>();
  const deafen = engine.listen(({ operation }) => {
    if (operation === id) news.resolve();
  });
  try {
    for (;;) {
      news = Promise.withResolvers<void>(); // before the look: what happens after it is news
      const operation = await engine.get(id);
      if (!operation || operation.ended_at) return operation;
      if (engine.explain(operation).activity === 'waiting' || patience.aborted) return undefined;
      const next = pause(lookEvery, undefined, { signal: over.signal }).catch(() => undefined);
      await Promise.race([news.promise, next]);
    }
  } finally {
    over.abort();
    deafen();
  }
}
