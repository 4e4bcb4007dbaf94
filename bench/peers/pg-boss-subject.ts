import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { PgBoss, type Job, type JobResult } from 'pg-boss';
import { createAll, runSubject, waitsAt } from '../workload.ts';
import {
  createOperationsTable,
  finishStage,
  finishStageSql,
  finishStageValues,
  insertOperation,
  loadOperations,
  type OperationRow,
} from './operations-table.ts';

const queue = 'operations';
const workers = 4;

/**
 * How the job that goes on after a wait comes into being: in the transaction that saves the stage, so that state and
 * schedule never disagree, or one insert for a whole batch of operations after their saves, which is faster.
 */
export type Successors = 'with the save' | 'with the batch';

export const runPgBoss = (successors: Successors) =>
  runSubject(async (url, workload, stopwatch) => {
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

    const isLastBeforeWait = (stage: number) =>
      stage + 1 < workload.stages && waitsAt(workload, stage + 1);
    const dueAgain = () => new Date(Date.now() + workload.pause);

    const saveAndSend = async (id: string, stage: number) => {
      const client = await pool.connect();
      const db = { executeSql: (text: string, values: unknown[]) => client.query(text, values) };
      await client.query('begin');
      await client.query({
        name: 'finish_stage',
        text: finishStageSql,
        values: finishStageValues(id, stage),
      });
      stopwatch.waiting(id);
      await boss.send(queue, { operation: id }, { startAfter: dueAgain(), db });
      await client.query('commit');
      client.release();
    };

    /** Runs its stages until one has to wait, and gives the job that goes on from there if it is still to be made. */
    const advance = async ({ id, stage: finished }: OperationRow) => {
      for (let stage = finished; stage < workload.stages; stage += 1) {
        if (isLastBeforeWait(stage) && successors === 'with the save') {
          await saveAndSend(id, stage);
          return [];
        }
        await finishStage(pool, id, stage);
        if (isLastBeforeWait(stage)) {
          stopwatch.waiting(id);
          return [{ data: { operation: id }, startAfter: dueAgain() }];
        }
      }
      stopwatch.ended();
      return [];
    };

    const work = async (jobs: Job<{ operation: string }>[]): Promise<JobResult[]> => {
      const ids = jobs.map(({ data }) => data.operation);
      for (const id of ids) stopwatch.woken(id);
      const operations = await loadOperations(pool, ids);
      const next = (await Promise.all(operations.map(advance))).flat();
      if (next.length > 0) await boss.insert(queue, next);
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
