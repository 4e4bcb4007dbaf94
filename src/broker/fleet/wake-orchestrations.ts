import type { Logger } from 'pino';
import type { Database } from '#database';
import type { Engine } from '#engine';
import { milliseconds } from '#time';
import { carriersOf } from './upgrade-views.ts';

/** What has ended in so long is told together. */
const gathering = milliseconds(100);
/** An orchestration that is looking at this moment may have missed it. */
const tries = 3;

/**
 * Has orchestrations look as soon as one of their upgrades has ended. Only a hint: it may be lost, and they look by
 * themselves soon enough.
 */
export function wakeOrchestrations(engine: Engine, database: Database, log: Logger): void {
  const ended = new Map<string, number>();
  let timer: NodeJS.Timeout | undefined;

  const add = (operation: string, triesLeft: number) => {
    if (triesLeft === 0) return;
    ended.set(operation, triesLeft);
    timer ??= setTimeout(() => void tell(), gathering).unref();
  };
  const tell = async () => {
    timer = undefined;
    const told = [...ended];
    ended.clear();
    try {
      const carriers = await carriersOf(
        database.pool,
        told.map(([id]) => id),
      );
      const heard = await Promise.all(carriers.map((id) => engine.wake(id)));
      if (!heard.every(Boolean)) for (const [id, left] of told) add(id, left - 1);
    } catch (error) {
      log.debug({ err: error }, 'orchestrations were not told of upgrades that have ended');
    }
  };
  engine.listen((event) => {
    if (event.kind !== 'ended') return;
    if (event.type === undefined || event.type.startsWith('upgrade')) add(event.operation, tries);
  });
}
