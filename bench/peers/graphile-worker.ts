import { randomUUID } from 'node:crypto';
import { Logger, makeWorkerUtils, run, type Runner, type Task } from 'graphile-worker';
import pg from 'pg';
import { createAll, runSubject, waitsAt } from '../workload.ts';
import {
  createOperationsTable,
  finishStage,
  insertOperation,
  loadOperations,
  newFacts,
} from './operations-table.ts';

const [variant = 'one', completeDelay = '20', refetch = '', size = '100'] = (process.env.VARIANT ?? '').split(',').filter(Boolean);
const task = 'operation';
const log = new Logger(() => (level, message) => { if (level === 'error') console.error(message); });

await runSubject(async (url, workload, stopwatch) => {
  const pool = new pg.Pool({ connectionString: url, max: workload.connections });
  pool.on('error', console.error);
  const utils = await makeWorkerUtils({ pgPool: pool, logger: log });
  await utils.migrate();
  await createOperationsTable(pool);

  const goOn: Task = async (payload, { addJob }) => {
    const { id } = payload as { id: string };
    stopwatch.woken(id);
    const [operation] = await loadOperations(pool, [id]);
    if (!operation) return;
    for (let { stage } = operation; stage < workload.stages; stage += 1) {
      const next = stage + 1;
      if (next < workload.stages && waitsAt(workload, next)) {
        if (variant === 'one') {
          stopwatch.waiting(id);
          await pool.query({
            name: 'save_and_schedule',
            text: `with saved as (update operations set stage = $2 + 1, facts = facts || $3 where id = $1 and stage = $2 returning id)
              select graphile_worker.add_job($4, json_build_object('id', id), run_at => $5) from saved`,
            values: [id, stage, newFacts(stage), task, new Date(Date.now() + workload.pause)],
          });
        } else {
          await finishStage(pool, id, stage);
          stopwatch.waiting(id);
          await addJob(task, { id }, { runAt: new Date(Date.now() + workload.pause) });
        }
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
      await utils.addJob(task, { id });
    });

  let runner: Runner | undefined;
  if (workload.pace === 0) await create();
  return {
    async begin() {
      runner = await run({
        pgPool: pool,
        logger: log,
        taskList: { [task]: goOn },
        crontab: '',
        preset: {
          worker: {
            concurrentJobs: 50,
            pollInterval: 100,
            localQueue: { size: Number(size), ...(refetch && { refetchDelay: { durationMs: Number(refetch), threshold: 50, maxAbortThreshold: 100 } }) },
            completeJobBatchDelay: Number(completeDelay),
            failJobBatchDelay: Number(completeDelay),
          },
        },
      });
      if (workload.pace > 0) await create();
    },
    async stop() {
      await runner?.stop();
      await utils.release();
      await pool.end();
    },
  };
});
