import { pino } from 'pino';
import { createKeyring, openDatabase } from '#database';
import { done, Engine, operation, wait, type Step } from '#engine';
import { createAll, learned, runSubject, waitsAt } from '../workload.ts';

await runSubject(async (url, workload, stopwatch) => {
  const database = await openDatabase({
    url,
    schema: 'ours',
    migrations: ['engine'],
    connections: workload.connections,
  });

  const work = (stage: number): Step => ({
    name: `Work_${stage}`,
    gives: [`learned${stage}` as never],
    async run({ operation, attempt }) {
      stopwatch.woken(operation.id);
      if (attempt === 1 && waitsAt(workload, stage)) {
        stopwatch.waiting(operation.id);
        return wait(workload.pause, 'not ready yet', 'nobody');
      }
      return done({ [`learned${stage}`]: learned(stage) });
    },
  });
  let sample = operation('sample');
  for (let stage = 0; stage < workload.stages; stage += 1) {
    sample = sample.stage(`stage_${stage}`, work(stage));
  }

  const engine = new Engine({
    database,
    operations: [sample],
    keyring: createKeyring({ current: 'bench', keys: { bench: new Uint8Array(32) } }),
    log: pino({ level: 'error' }),
  });
  engine.listen(({ kind }) => kind === 'ended' && stopwatch.ended());
  const create = () =>
    createAll(workload, (index) =>
      engine.start('sample', `subject-${index}`, {}, { account: `account-${index % 20}` }),
    );

  const stop = new AbortController();
  let running: Promise<void> | undefined;
  if (workload.pace === 0) await create();
  return {
    async begin() {
      running = engine.run(stop.signal);
      if (workload.pace > 0) await create();
    },
    async stop() {
      stop.abort();
      await running;
      await database[Symbol.asyncDispose]();
    },
  };
});
