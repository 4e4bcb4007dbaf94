import type { Logger } from 'pino';
import type { PoolClient } from 'pg';
import type { Engine } from '#engine';
import type { Services } from '../services.ts';

/** What is done from time to time, and by nobody in particular. */
export type Job = {
  /** As in its address: `deprovision-retrigger`. Stored with every run. */
  readonly name: string;
  readonly about: string;
  readonly settings: JobSettings;
  /** What else decides about it, for people to read. */
  readonly shown?: Readonly<Record<string, string | number | boolean>>;
  /** Why it cannot run here at all. */
  readonly cannotRun?: string | undefined;
  /** Goes on where the run stands, and comes back when it is through, or has done its share. Safe to repeat. */
  readonly run: (context: JobContext) => Promise<'through' | 'more'>;
};

export type JobSettings = {
  /** Runs by itself; one that does not can still be run by hand. */
  readonly enabled: boolean;
  /** Five fields, in UTC: `0 2 * * *`. */
  readonly schedule: string;
  /** Says what it would do, unless whoever starts it by hand wants otherwise. */
  readonly dryRun: boolean;
};

/** What came of one subject. */
export type Entry = {
  readonly subject: string;
  readonly outcome: string;
  readonly because?: string;
  /** How many it stands for. */
  readonly count?: number;
};

export type JobContext = {
  /** Its operation's id, too: the same when the run goes on elsewhere. */
  readonly runId: string;
  readonly dryRun: boolean;
  /** The last subject that the run is through with. */
  readonly after: string | undefined;
  /** By the database's clock. */
  readonly now: Date;
  readonly services: Services & { readonly engine: Engine };
  readonly signal: AbortSignal;
  readonly log: Logger;
  /** It has done its share for this time: others want to work, too. */
  readonly isEnough: () => boolean;
  /**
   * Does the work on one subject, and stores in the same transaction what came of it and that the run goes on behind it.
   * So each subject counts once, whoever dies. Work that throws is on record as failed, and nothing of it is stored.
   */
  readonly each: (
    cursor: string,
    work: (db: PoolClient) => Promise<Entry | undefined>,
    /** If it is not the cursor itself. */
    subject?: string,
  ) => Promise<void>;
};
