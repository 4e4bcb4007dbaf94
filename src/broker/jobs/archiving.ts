import { inWords, type Milliseconds } from '#time';
import { archivedInstances } from '../tables/archived-instances-table.ts';
import { removeOldBindingOperations } from './old-timelines.ts';
import type { Job, JobSettings } from './job.ts';

export type ArchivingSettings = JobSettings & {
  /** So long the operations of a removed instance can be looked at. */
  readonly keep: Milliseconds;
};

const batch = 100;

/** An instance is in the archive from the moment in which its row goes; its operations follow after a while. */
export const archiving = (settings: ArchivingSettings): Job => ({
  name: 'archiving',
  about:
    'Removes the operations of instances and bindings that are gone: a line of each instance stays',
  settings,
  shown: { keep: inWords(settings.keep) },
  async run(context) {
    const { services, now, dryRun } = context;
    const { pool } = services.database;
    const removedBefore = new Date(now.getTime() - settings.keep);
    while (!context.isEnough()) {
      const after = Number(context.after ?? 0);
      const found = await archivedInstances.withOperations(pool, removedBefore, after, batch);
      for (const { number, instanceId: subject } of found)
        await context.each(
          String(number),
          async (db) => {
            if (dryRun) return { subject, outcome: 'candidate' };
            const count = await archivedInstances.removeOperations(db, number);
            return { subject, outcome: 'archived', because: `${count} operations removed` };
          },
          subject,
        );
      if (found.length < batch) break;
    }
    if (context.isEnough()) return 'more';
    const { after = '0' } = context;
    const subject = 'bindings';
    if (!dryRun)
      await context.each(
        after,
        async (db) => {
          const count = await removeOldBindingOperations(db, removedBefore);
          return count > 0
            ? { subject, outcome: 'operations of bindings removed', count }
            : undefined;
        },
        subject,
      );
    return 'through';
  },
});
