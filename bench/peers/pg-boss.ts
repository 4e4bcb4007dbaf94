import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { PgBoss, type Job, type JobResult } from 'pg-boss';
import { createAll, runSubject, waitsAt } from '../workload.ts';
import {
  createOperationsTable,
  finishStage,
  insertOperation,
  loadOperations,
  type OperationRow,
} from './operations-table.ts';

const queue = 'operations';
const workers = 4;

await runSubject(async (url, workload, stopwatch) => {
  // One connection for each worker, the others for our own statements. The listener is one more, in no pool.
  const boss = new PgBoss({
    connectionString: url,
    max: workers,
    useListenNotify: true,
    schedule: false, // no cron
  });
  boss.on('error', console.error);
  await boss.start();
  await boss.createQueue(queue, { notify: true });
  const pool = new pg.Pool({ connectionString: url, max: workload.connections - workers });
  await createOperationsTable(pool);

  /** Runs its stages until one has to wait, and gives the job that goes on from there. */
  const advance = async ({ id, stage: finished }: OperationRow) => {
    let stage = finished;
    do {
      await finishStage(pool, id, stage);
      stage += 1;
    } while (stage < workload.stages && !waitsAt(workload, stage));
    if (stage === workload.stages) {
      stopwatch.ended();
      return [];
    }
    stopwatch.waiting(id);
    return [{ data: { operation: id }, startAfter: new Date(Date.now() + workload.pause) }];
  };

  // The successors of a batch are inserted together: several times as fast as a send in the transaction of each save,
  // and as safe, for the jobs of the batch are completed only after that.
  const work = async (jobs: Job<{ operation: string }>[]): Promise<JobResult[]> => {
    const ids = jobs.map(({ data }) => data.operation);
    for (const id of ids) stopwatch.woken(id);
    const operations = await loadOperations(pool, ids);
    const successors = (await Promise.all(operations.map(advance))).flat();
    if (successors.length > 0) await boss.insert(queue, successors);
    return jobs.map(({ id }) => ({ id, status: 'completed' }));
  };

  const create = () =>
    createAll(workload, async () => {
      const id = randomUUID();
      await insertOperation(pool, id);
      await boss.send(queue, { operation: id });
    });

  if (workload.pace === 0) await create();
  return {
    async begin() {
      // A job that is not due yet sends no notification: polls find it, and half a second is their shortest interval.
      await boss.work(
        queue,
        {
          localConcurrency: workers,
          batchSize: 50,
          pollingIntervalSeconds: 0.5,
          notifyPollingIntervalSeconds: 0.5,
          burstWhenBatchFull: true,
          perJobResults: true,
        },
        work,
      );
      if (workload.pace > 0) await create();
    },
    async stop() {
      await boss.stop();
      await pool.end();
    },
  };
});
