// A replica for the benchmarks that look at it from outside. Its steps wait for an hour ('wait') or run until they are
// told to stop ('run'); on each line it reads, it says how much memory it takes and how many operations it runs.
import { createInterface } from 'node:readline';
import { pino } from 'pino';
import { createKeyring, openDatabase } from '#database';
import { Engine, operation, wait, type Step } from '#engine';
import { hours } from '#time';

const [url = '', workers = '200'] = process.argv.slice(2);
const database = await openDatabase({ url, schema: 'ours', migrations: ['engine'] });

const say = (what: object) => process.stdout.write(`${JSON.stringify(what)}\n`);

const rest: Step = { name: 'Rest', run: async () => wait(hours(1), 'nothing happens', 'nobody') };
const hold: Step = {
  name: 'Hold',
  run({ operation, signal }) {
    say({ holds: operation.id, at: Date.now() });
    return new Promise((_, reject) => {
      signal.addEventListener('abort', () => reject(new Error('told to stop')));
    });
  },
};

const engine = new Engine({
  database,
  operations: [operation('waiting').stage('one', rest), operation('running').stage('one', hold)],
  keyring: createKeyring({ current: 'bench', keys: { bench: new Uint8Array(32) } }),
  log: pino({ level: 'error' }),
  settings: { workers: Number(workers) },
});
createInterface(process.stdin).on('line', () =>
  say({ rss: process.memoryUsage.rss(), running: engine.running }),
);
say({ ready: true });
await engine.run(new AbortController().signal);
