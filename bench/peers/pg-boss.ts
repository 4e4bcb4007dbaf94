import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { PgBoss, type Job, type JobInsert, type JobResult } from 'pg-boss';
import { createAll, runSubject, waitsAt } from '../workload.ts';
import { createOperationsTable, finishStage, insertOperation, loadOperations, newFacts } from './operations-table.ts';

const variant = process.env.VARIANT ?? 'C';
const queue = 'operations';
const workers = 4;

await runSubject(async (url, workload, stopwatch) => {
  const boss = new PgBoss({ connectionString: url, max: workers, useListenNotify: true, schedule: false });
  boss.on('error', console.error);
  await boss.start();
  await boss.createQueue(queue, { notify: true });
  const pool = new pg.Pool({ connectionString: url, max: workload.connections - workers });
  await createOperationsTable(pool);

  const goOn = async (id: string, from: number) => {
    stopwatch.woken(id);
    let stage = from;
    do {
      const last = stage + 1;
      if (variant === 'A' && last < workload.stages && waitsAt(workload, last)) {
        const client = await pool.connect();
        await client.query('begin');
        await client.query({ name: 'finish_stage', text: 'update operations set stage = $2 + 1, facts = facts || $3 where id = $1 and stage = $2', values: [id, stage, newFacts(stage)] });
        stopwatch.waiting(id);
        await boss.send(queue, { operation: id }, { startAfter: new Date(Date.now() + workload.pause), db: { executeSql: (t, v) => client.query(t, v as unknown[]) } });
        await client.query('commit');
        client.release();
        return undefined;
      }
      await finishStage(pool, id, stage);
      stage += 1;
    } while (stage < workload.stages && !waitsAt(workload, stage));
    if (stage === workload.stages) { stopwatch.ended(); return undefined; }
    stopwatch.waiting(id);
    const next = { data: { operation: id }, startAfter: new Date(Date.now() + workload.pause) };
    if (variant === 'B') { await boss.send(queue, next.data, { startAfter: next.startAfter }); return undefined; }
    return next;
  };

  const handle = async (jobs: Job<{ operation: string }>[]): Promise<JobResult[]> => {
    const rows = await loadOperations(pool, jobs.map(({ data }) => data.operation));
    const next = await Promise.all(rows.map(({ id, stage }) => goOn(id, stage)));
    const successors: JobInsert[] = next.filter((each) => each !== undefined);
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
      await boss.work(queue, {
        localConcurrency: workers, batchSize: 50, pollingIntervalSeconds: 0.5, notifyPollingIntervalSeconds: 0.5,
        burstWhenBatchFull: true, perJobResults: true,
      }, handle);
      if (workload.pace > 0) await create();
    },
    async stop() {
      await boss.stop();
      await pool.end();
    },
  };
});
