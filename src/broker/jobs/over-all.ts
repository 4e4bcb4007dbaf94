import type { PoolClient } from 'pg';
import type { Entry, Job, JobContext } from './job.ts';

const batch = 100;

/** Of ids in their order: so many behind the given one. */
export type ListAfter = (
  context: JobContext,
  after: string,
  limit: number,
) => Promise<readonly string[]>;

/** A job on things that the database lists by their ids: batch after batch, none of it kept in memory. */
export const overAll =
  (
    list: ListAfter,
    work: (context: JobContext, id: string, db: PoolClient) => Promise<Entry | undefined>,
  ): Job['run'] =>
  (context) =>
    oneByOne(context, list, (id) => context.each(id, (db) => work(context, id, db)));

/** The same where the work is not the database's: a cluster may take its time, and no transaction waits for that. */
export const overAllOutside =
  (
    list: ListAfter,
    work: (context: JobContext, id: string) => Promise<Entry | undefined>,
  ): Job['run'] =>
  (context) =>
    oneByOne(context, list, async (id) => {
      context.signal.throwIfAborted();
      const entry = await work(context, id);
      await context.each(id, async () => entry);
    });

async function oneByOne(
  context: JobContext,
  list: ListAfter,
  work: (id: string) => Promise<void>,
): Promise<'through' | 'more'> {
  for (;;) {
    const ids = await list(context, context.after ?? '', batch);
    for (const id of ids) {
      if (context.isEnough()) return 'more';
      await work(id);
    }
    if (ids.length < batch) return 'through';
  }
}
