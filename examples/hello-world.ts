// An operation of three stages, one of which polls. Run it: node examples/hello-world.ts
// Its timeline is printed while it goes. Kill it in the middle and run it again: it goes on where it was.
import { pino } from 'pino';
import { createKeyring, openDatabase } from '#database';
import { done, Engine, operation, wait, type Step } from '#engine';
import { inWords, seconds } from '#time';

const chooseGreeting: Step<{ name: string }, { greeting: string }> = {
  name: 'Choose_Greeting',
  gives: ['greeting'],
  run: async ({ facts }) => done({ greeting: `Hello, ${facts.name}!` }),
};

// A step never sleeps. It answers "not yet", and until it is due again the operation is nowhere but in PostgreSQL.
const awaitAudience: Step<object, { seats: number }> = {
  name: 'Await_Audience',
  gives: ['seats'],
  retry: { within: seconds(30) },
  run: async ({ attempt }) =>
    attempt < 4
      ? wait(seconds(1), `missing guests: ${4 - attempt}`, 'audience')
      : done({ seats: 3 }),
};

const greet: Step<{ greeting: string; seats: number }> = {
  name: 'Greet',
  async run({ facts }) {
    console.log(`\n  ${facts.greeting} (heard by ${facts.seats})\n`);
    return done();
  },
};

export const helloWorld = operation<{ name: string }>('hello_world')
  .stage('prepare', chooseGreeting)
  .stage('await_audience', awaitAudience)
  .stage('greet', greet);

if (import.meta.main) {
  await using database = await openDatabase({
    url: process.env['DATABASE_URL'],
    ...(process.env['DATA_DIR'] && { dataDirectory: process.env['DATA_DIR'] }),
    schema: 'example',
    migrations: ['engine'],
  });
  const engine = new Engine({
    database,
    operations: [helloWorld],
    keyring: createKeyring({ current: 'example', keys: { example: new Uint8Array(32) } }), // no secrets in here
    log: pino({ level: 'warn' }, pino.destination(2)),
  });

  const stop = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stop.abort());

  // Announced before it starts, so that no event is missed.
  const [unfinished] = await engine.ofSubject('world', 1);
  const started = performance.now();
  engine.listen((event) => {
    const at = `${((performance.now() - started) / 1000).toFixed(2)} s`.padStart(8);
    switch (event.kind) {
      case 'step':
        console.log(
          `${at}  ${event.stage} / ${event.step}: ${event.outcome}${event.because ? `, ${event.because}` : ''}`,
        );
        break;
      case 'waiting':
        console.log(`${at}  waits ${inWords(event.for)} for ${event.system ?? 'itself'}`);
        break;
      case 'ended':
        console.log(`${at}  ${event.state}`);
        stop.abort();
        break;
      case 'created':
      case 'claimed':
      case 'canceling':
      case 'retried':
      case 'skipping':
      case 'unskipping':
        console.log(`${at}  ${event.kind}`);
    }
  });
  const running = engine.run(stop.signal);
  const { id } =
    unfinished && unfinished.state === 'in progress'
      ? unfinished
      : await engine.start('hello_world', 'world', { name: 'world' });
  await running;

  console.log('\nThe timeline, as it is stored:\n');
  for (const run of await engine.timeline(id)) {
    const times = run.runs === 1 ? '' : ` (${run.runs} times)`;
    console.log(
      `  ${run.stage.padEnd(16)} ${run.step.padEnd(16)} ${run.outcome}${times} ${run.because ?? ''}`,
    );
  }
  const operation = await engine.get(id);
  if (operation) console.log(`\n${engine.explain(operation).summary}.`);
}
