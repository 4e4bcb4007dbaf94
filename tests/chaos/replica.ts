// A broker as a process of its own, for those who kill it: node replica.ts <database> <landscape> <pace> [off]
import { pino } from 'pino';
import { openDatabase } from '#database';
import { startApi, type ApiWorldOptions } from '../../src/broker/api/testing.ts';
import type { Landscape } from '../../src/landscape/testing.ts';

const [url = '', landscapeUrl = '', pace = '1', off = 'edp,ias,avs,spc'] = process.argv.slice(2);
const database = { ...(await openDatabase({ url, schema: 'test', connections: 12 })), url };
const world = await startApi({
  withRealSteps: true,
  off: off.split(',') as NonNullable<ApiWorldOptions['off']>, // whoever starts it knows their names
  database,
  // It is in another process: nobody here looks into it or moves its time.
  landscape: { url: landscapeUrl } as Landscape,
  replica: { pace: Number(pace) },
  log: pino({ level: 'error' }, pino.destination(2)),
});
process.stdout.write(`${JSON.stringify({ url: world.url })}\n`);
process.once('SIGTERM', () => {
  void world[Symbol.asyncDispose]().then(() => process.exit(0));
});
