import { randomUUID } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import { DBOS, DBOSClient } from '@dbos-inc/dbos-sdk';
import pg from 'pg';
import { createAll, learned, runSubject, waitsAt } from '../workload.ts';

const name = 'bench';
const queueName = 'operations';
const workflowName = 'operation';

// Its own logger writes to the standard output, which is for our result.
const logger = {
  debug: () => {},
  info: () => {},
  warn: (entry: unknown) => console.error(entry),
  error: (entry: unknown) => console.error(entry),
};

await runSubject(async (url, workload, stopwatch) => {
  // For the workers and the client; the listener keeps one of them. It is also the only way to a server without a
  // network port: DBOS takes no URL without a host.
  const pool = new pg.Pool({ connectionString: url, max: workload.connections });
  pool.on('error', console.error);

  let running = workload.operations;
  const allRan = Promise.withResolvers<void>();
  DBOS.registerWorkflow(
    async (id: string) => {
      for (let stage = 0; stage < workload.stages; stage += 1) {
        if (waitsAt(workload, stage)) {
          stopwatch.waiting(id);
          await DBOS.sleep(workload.pause);
          stopwatch.woken(id);
        }
        await DBOS.runStep(async () => learned(stage), { name: `stage_${stage}` });
      }
      running -= 1;
      if (running === 0) allRan.resolve();
    },
    { name: workflowName },
  );

  DBOS.setConfig({ name, systemDatabasePool: pool, useListenNotify: true, logger });
  await DBOS.launch(); // creates its tables
  await DBOS.shutdown();
  const client = await DBOSClient.create({
    systemDatabaseUrl: url,
    systemDatabasePool: pool,
    applicationName: name,
    logger,
  });
  await client.registerQueue(queueName, { workerConcurrency: 500, minPollingIntervalMs: 100 });
  const create = () =>
    createAll(workload, () => {
      const id = randomUUID();
      return client.enqueue({ queueName, workflowName, workflowID: id }, id);
    });

  /** That a workflow has succeeded is stored after its last line, and under load much later; nobody is told. */
  const untilAllStored = async () => {
    await allRan.promise;
    const status: ('ENQUEUED' | 'PENDING')[] = ['ENQUEUED', 'PENDING'];
    while ((await client.listWorkflows({ status, limit: 1 })).length > 0) await setTimeout(5);
    for (let count = 0; count < workload.operations; count += 1) stopwatch.ended();
  };

  if (workload.pace === 0) await create();
  return {
    async begin() {
      await DBOS.launch();
      if (workload.pace > 0) await create();
      await untilAllStored();
    },
    async stop() {
      await DBOS.shutdown();
      await client.destroy();
      await pool.end();
    },
  };
});
