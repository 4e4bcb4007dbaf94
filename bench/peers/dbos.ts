import { randomUUID } from 'node:crypto';
import { DBOS, DBOSClient } from '@dbos-inc/dbos-sdk';
import pg from 'pg';
import { createAll, learned, runSubject, waitsAt } from '../workload.ts';

const name = 'bench';
const queueName = 'operations';
const workflowName = 'operation';
const poll = Number(process.env.VARIANT || 100);
const logger = { debug() {}, info() {}, warn: console.error, error: console.error };

await runSubject(async (url, workload, stopwatch) => {
  const pool = new pg.Pool({ connectionString: url, max: workload.connections });
  pool.on('error', console.error);

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
      stopwatch.ended();
    },
    { name: workflowName },
  );

  DBOS.setConfig({
    name,
    systemDatabaseUrl: url,
    systemDatabasePool: pool,
    useListenNotify: true,
    logger,
  });
  await DBOS.migrate(url);
  const client = await DBOSClient.create({
    systemDatabaseUrl: url,
    systemDatabasePool: pool,
    applicationName: name,
    logger,
  });
  await client.registerQueue(queueName, { workerConcurrency: 500, minPollingIntervalMs: poll });
  const create = () =>
    createAll(workload, () => {
      const id = randomUUID();
      return client.enqueue({ queueName, workflowName, workflowID: id }, id);
    });

  if (workload.pace === 0) await create();
  return {
    async begin() {
      await DBOS.launch();
      if (workload.pace > 0) await create();
    },
    async stop() {
      await DBOS.shutdown();
      await client.destroy();
      await pool.end();
    },
  };
});
