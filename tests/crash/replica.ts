// A replica as a process of its own, for tests that kill it: node replica.ts <database> <world> [commit] [before|after]
// With the last two it kills itself, as SIGKILL does, around its n-th transaction on operations.
import { pino } from 'pino';
import { openDatabase, type Database } from '#database';
import { Engine } from '#engine';
import { seconds } from '#time';
import { testKeyring } from '../../src/engine/testing.ts';
import { sampleOperation } from './sample-operation.ts';

const [url = '', world = '', commit = '', moment = ''] = process.argv.slice(2);
const database = await openDatabase({ url, schema: 'test', connections: 5 });
if (commit) killAround(database, Number(commit));

let commits = 0;
function killAround({ pool }: Database, number: number): void {
  const query = pool.query.bind(pool) as (...words: unknown[]) => Promise<unknown>;
  const die = () => process.kill(process.pid, 'SIGKILL');
  Object.assign(pool, {
    async query(...words: unknown[]) {
      const [statement] = words;
      const counts =
        typeof statement === 'object' &&
        statement !== null &&
        'name' in statement &&
        ['claim', 'advance'].includes(String(statement.name));
      if (!counts) return query(...words);
      const before = commits;
      if (moment === 'before' && before + 1 === number) die();
      const result = (await query(...words)) as { rows: { id: unknown }[] };
      // A claim that found nothing has changed nothing.
      if (result.rows.some(({ id }) => id !== null)) commits += 1;
      if (moment === 'after' && commits === number && before < commits) die();
      return result;
    },
  });
}

const engine = new Engine({
  database,
  operations: [sampleOperation(world)],
  keyring: testKeyring,
  log: pino({ level: 'warn' }),
  settings: { lease: seconds(1), poll: seconds(1), grace: seconds(1) },
});
const stop = new AbortController();
process.once('SIGTERM', () => {
  stop.abort();
  process.stdout.write(`${JSON.stringify({ stopping: true })}\n`);
});
engine.listen((event) => {
  if (event.kind === 'claimed')
    process.stdout.write(`${JSON.stringify({ claimed: event.operation })}\n`);
});
process.stdout.write(`${JSON.stringify({ ready: true })}\n`);
await engine.run(stop.signal);
await database[Symbol.asyncDispose]();
