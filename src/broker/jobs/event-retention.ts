import { inWords, type Milliseconds } from '#time';
import type { Job, JobSettings } from './job.ts';
import { JobRunsTable } from './job-runs-table.ts';
import { countOldTimelines, removeOldJobOperations, removeOldTimelines } from './old-timelines.ts';

export type EventRetentionSettings = JobSettings & { readonly keep: Milliseconds };

const batch = 500;

/** What each step did is of interest for a while; how an operation ended, longer. */
export const eventRetention = (settings: EventRetentionSettings): Job => ({
  name: 'event-retention',
  about:
    'Removes timelines of operations that ended long ago, and the history of jobs of that time',
  settings,
  shown: { keep: inWords(settings.keep) },
  async run(context) {
    const before = new Date(context.now.getTime() - settings.keep);
    const subject = `ended before ${before.toISOString()}`;
    const { pool } = context.services.database;
    if (context.dryRun) {
      const count = await countOldTimelines(pool, before);
      if (count > 0)
        await context.each('counted', async () => ({ subject, outcome: 'candidate', count }));
      return 'through';
    }
    for (let share = Number(context.after ?? 0) + 1; !context.isEnough(); share += 1) {
      let found = 0;
      await context.each(
        String(share),
        async (db) => {
          const { operations, events } = await removeOldTimelines(db, before, batch);
          found = operations;
          return events > 0 ? { subject, outcome: 'events removed', count: events } : undefined;
        },
        subject,
      );
      if (found < batch) {
        await context.each(
          String(share + 1),
          async (db) => {
            const count = await removeOldJobOperations(db, before);
            await new JobRunsTable().forget(db, before);
            return count > 0 ? { subject, outcome: 'runs of jobs removed', count } : undefined;
          },
          subject,
        );
        return 'through';
      }
    }
    return 'more';
  },
});
