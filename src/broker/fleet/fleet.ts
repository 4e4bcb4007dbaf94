import type { Logger } from 'pino';
import type { Database } from '#database';
import type { Engine } from '#engine';
import { systemClock, type Clock } from '#time';
import { AnnouncementsTable } from './announcements-table.ts';
import { OrchestrationsTable } from './orchestrations-table.ts';
import { UpgradesTable } from './upgrades-table.ts';
import { wakeOrchestrations } from './wake-orchestrations.ts';

/** Where orchestrations are kept, and the engine that carries them and their upgrades. */
export class Fleet {
  readonly orchestrations: OrchestrationsTable;
  readonly upgrades: UpgradesTable;
  readonly announcements: AnnouncementsTable;
  #engine: Engine | undefined;

  constructor(clock: Clock = systemClock) {
    this.orchestrations = new OrchestrationsTable(clock);
    this.upgrades = new UpgradesTable(clock);
    this.announcements = new AnnouncementsTable(clock);
  }

  /** The engine is made of operations, and one of them begins others: so it comes later. */
  use(engine: Engine, database: Database, log: Logger): void {
    this.#engine = engine;
    wakeOrchestrations(engine, database, log);
  }

  get engine(): Engine {
    if (!this.#engine) throw new Error('no upgrade can begin before there is an engine');
    return this.#engine;
  }
}
