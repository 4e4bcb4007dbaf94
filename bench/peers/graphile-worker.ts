import { randomUUID } from 'node:crypto';
import { Logger, makeWorkerUtils, run, type Runner, type Task } from 'graphile-worker';
import pg from 'pg';
import { createAll, runSubject, waitsAt } from '../workload.ts';
import {
  createOperationsTable,
  finishStage,
  finishStageSql,
  finishStageValues,
  insertOperation,
  loadOperations,
} from './operations-table.ts';

const task = 'operation';

// Its own logger writes to the standard output, which is for our result.
const logger = new Logger(() => (level, message) => {
  if (level === 'error') console.error(message);
});

await runSubject(async (url, workload, stopwatch) => {
  // For the library and our own statements; its listener keeps one of them.
  const pool = new pg.Pool({ connectionString: url, max: workload.connections });
  pool.on('error', console.error);
  pool.on('connect', (client) => client.on('error', console.error));
  const utilities = await makeWorkerUtils({ pgPool: pool, logger });
  await utilities.migrate();
  await createOperationsTable(pool);

  /** One statement, so one transaction: the library's SQL function is there for that. */
  const finishStageAndAddJob = (id: string, stage: number, runAt: Date) =>
    pool.query({
      name: 'finish_stage_and_add_job',
      text: `with finished as (${finishStageSql} returning id)
             select graphile_worker.add_job($4, json_build_object('operation', id), run_at => $5) from finished`,
      values: [...finishStageValues(id, stage), task, runAt],
    });

  const advance: Task = async (payload) => {
    const { operation: id } = payload as { operation: string }; // from one of the two places that add a job
    stopwatch.woken(id);
    const [operation] = await loadOperations(pool, [id]);
    for (let stage = operation?.stage ?? 0; stage < workload.stages; stage += 1) {
      if (waitsAt(workload, stage + 1)) {
        stopwatch.waiting(id);
        await finishStageAndAddJob(id, stage, new Date(Date.now() + workload.pause));
        return;
      }
      await finishStage(pool, id, stage);
    }
    stopwatch.ended();
  };

  const create = () =>
    createAll(workload, async () => {
      const id = randomUUID();
      await insertOperation(pool, id);
      await utilities.addJob(task, { operation: id });
    });

  let runner: Runner | undefined;
  if (workload.pace === 0) await create();
  return {
    async begin() {
      runner = await run({
        pgPool: pool,
        logger,
        taskList: { [task]: advance },
        crontab: '',
        preset: {
          worker: {
            concurrentJobs: 50,
            pollInterval: 100, // finds the jobs that have become due; a notification comes when one is added
            localQueue: { size: 100 },
            completeJobBatchDelay: 100,
            failJobBatchDelay: 100,
          },
        },
      });
      if (workload.pace > 0) await create();
    },
    async stop() {
      await runner?.stop();
      await utilities.release();
      await pool.end();
    },
  };
});
