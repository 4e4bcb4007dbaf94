import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { pino } from 'pino';
import { SubjectBusy } from '#engine';
import { hours, minutes } from '#time';
import { eventually } from '../../database/testing.ts';
import { startBroker } from '../testing.ts';
import type { Job, JobContext } from './job.ts';
import { Jobs } from './jobs.ts';
import { nextDue } from './next-due.ts';

const log = pino({ level: 'silent' });
const settings = { enabled: true, schedule: '0 2 * * *', dryRun: false };

/** What a job met, and what holds it up. */
const seen: string[] = [];
let heldUp: { at: string; reached: () => void; until: Promise<void> } | undefined;

const ids = Array.from({ length: 150 }, (_, n) => String(n).padStart(3, '0'));

/** Through all ids, each of which it counts. */
const counting = (
  name: string,
  work: (id: string, context: JobContext) => void = () => {},
): Job => ({
  name,
  about: 'Counts',
  settings,
  async run(context) {
    for (const id of ids) {
      if (context.after !== undefined && id <= context.after) continue;
      if (context.isEnough()) return 'more';
      if (heldUp?.at === id) {
        heldUp.reached();
        await heldUp.until;
      }
      await context.each(id, async () => {
        work(id, context);
        seen.push(`${name} ${id}`);
        return { subject: id, outcome: Number(id) % 3 === 0 ? 'skipped' : 'accepted' };
      });
    }
    return 'through';
  },
});

const jobs = [
  counting('counting'),
  counting('dying'),
  { ...counting('going'), settings: { ...settings, schedule: '*/4 * * * *' } },
  counting('stumbling', (id) => {
    if (id === '007') throw new Error('this one cannot be counted');
  }),
  {
    ...counting('broken'),
    run: async () => {
      throw new Error('there is nothing to be had');
    },
  },
  { ...counting('impossible'), cannotRun: 'nobody wants it' },
  { ...counting('idle'), settings: { ...settings, enabled: false } },
];

const first = await startBroker({ jobs });
const second = await startBroker({ jobs, database: first.database, landscape: first.landscape });
after(async () => {
  await second[Symbol.asyncDispose]();
  await first[Symbol.asyncDispose]();
});
const { pool } = first.database;

/** Only this job, and as two replicas see it. */
const replicasWith = (name: string) =>
  [first, second].map((world) => {
    const one = new Jobs(
      world.services,
      world.clock,
      jobs.filter((job) => job.name === name),
    );
    one.use(world.engine);
    return one;
  });

const jobNamed = (name: string) => first.jobs.find(name) ?? assert.fail();

const ended = async (id: string) => {
  await eventually(async () => (await first.engine.get(id))?.ended_at);
  await first.jobs.runs.settle(pool);
  return (await first.jobs.runs.get(pool, id)) ?? assert.fail();
};

const allCounted = { accepted: 100, skipped: 50 };

test('a run goes through all subjects in shares, and says how many there were', async () => {
  const run = await ended(await first.jobs.start(jobNamed('counting'), { by: 'somebody' }));
  assert.partialDeepStrictEqual(run, {
    state: 'succeeded',
    trigger: 'by hand',
    started_by: 'somebody',
    counts: allCounted,
    summary: '50 skipped, 100 accepted',
  });
  assert.equal(run.entries.length, 100);
  assert.deepEqual(run.entries.slice(0, 2), [
    { subject: '000', outcome: 'skipped' },
    { subject: '001', outcome: 'accepted' },
  ]);
  const [line] = await first.engine.timeline(run.id);
  assert.partialDeepStrictEqual(line, { outcome: 'wait', runs: 1 }); // 150 in shares of 100
});

test('of replicas that look at the same second one starts the run, and each due time counts once', async () => {
  const replicas = replicasWith('counting');
  const look = async () =>
    (await Promise.all([...replicas, ...replicas].map((each) => each.startDue(log)))).flat();
  assert.deepEqual(await look(), []); // it was never due before
  for (const _ of ['the first day', 'the second']) {
    for (const world of [first, second]) world.clock.advance(hours(24));
    const [id = assert.fail(), ...others] = await look();
    assert.deepEqual(others, []);
    assert.partialDeepStrictEqual(await ended(id), { trigger: 'schedule', counts: allCounted });
    assert.deepEqual(await look(), []);
  }
  for (const world of [first, second]) world.clock.advance(hours(24 * 10));
  assert.equal((await look()).length, 1, 'what was missed is made up for once');
});

test('a job runs once at a time, by hand and by schedule', async () => {
  const { promise: until, resolve: goOn } = Promise.withResolvers<void>();
  const { promise: isReached, resolve: reached } = Promise.withResolvers<void>();
  heldUp = { at: '050', reached, until };
  const [replica = assert.fail()] = replicasWith('going');
  await replica.startDue(log);
  const id = await first.jobs.start(jobNamed('going'));
  await isReached;
  heldUp = undefined;
  await assert.rejects(second.jobs.start(jobNamed('going')), SubjectBusy);
  const dueAt = (await replica.schedules.all(pool)).find(({ job }) => job === 'going')?.next_due_at;
  const left = (dueAt?.getTime() ?? 0) - (await replica.schedules.now(pool)).getTime();
  for (const world of [first, second]) world.clock.advance(left);
  assert.deepEqual(await replica.startDue(log), []);
  goOn();
  assert.deepEqual((await ended(id)).counts, allCounted);
  assert.deepEqual(await replica.startDue(log), [], 'what was due meanwhile is left out');
});

test('a subject that cannot be done is on record, and the others are done', async () => {
  const run = await ended(await first.jobs.start(jobNamed('stumbling')));
  assert.deepEqual(run.counts, { ...allCounted, accepted: 99, failed: 1 });
  assert.deepEqual(run.entries[7], {
    subject: '007',
    outcome: 'failed',
    because: 'this one cannot be counted',
  });
  assert.ok(!seen.includes('stumbling 007'));
});

test('a job that breaks down fails its run, and the next one is not held up', async () => {
  for (const _ of [1, 2]) {
    const run = await ended(await first.jobs.start(jobNamed('broken')));
    assert.equal(run.state, 'failed');
    assert.match(run.summary, /there is nothing to be had/);
  }
});

test('a job that is switched off, or cannot run, is never due', async () => {
  for (const name of ['idle', 'impossible']) {
    const [replica = assert.fail()] = replicasWith(name);
    await replica.startDue(log);
    first.clock.advance(hours(24));
    assert.deepEqual(await replica.startDue(log), [], name);
  }
});

test('another schedule counts from now on', async () => {
  const often = { ...jobNamed('counting'), settings: { ...settings, schedule: '*/5 * * * *' } };
  const replica = new Jobs(first.services, first.clock, [often]);
  replica.use(first.engine);
  const dueAt = async () =>
    (await replica.schedules.all(pool)).find(({ job }) => job === 'counting')?.next_due_at;
  assert.deepEqual(await replica.startDue(log), []);
  const now = await replica.schedules.now(pool);
  const left = ((await dueAt())?.getTime() ?? 0) - now.getTime();
  assert.ok(left > 0 && left <= minutes(5));
});

test('due times are those of UTC, and never now', () => {
  const at = (text: string) => new Date(`2026-11-15T${text}Z`);
  assert.deepEqual(nextDue('0 2 * * *', at('01:59:59')), at('02:00:00'));
  assert.deepEqual(nextDue('0 2 * * *', at('02:00:00')), new Date('2026-11-16T02:00:00Z'));
  assert.deepEqual(nextDue('0,15,30,45 * * * *', at('02:16:00')), at('02:30:00'));
});

test('a replica looks by itself, and stops when it is told to', async () => {
  const [replica = assert.fail()] = replicasWith('counting');
  const stop = new AbortController();
  const looking = replica.run(stop.signal, log);
  const scheduled = async () =>
    (await replica.schedules.all(pool)).map(({ job, schedule }) => `${job} ${schedule}`);
  const newest = async () => {
    const { runs, total } = await replica.runs.list(pool, 'counting', { page: 1, size: 1 });
    return { run: runs[0] ?? assert.fail(), total };
  };
  await eventually(async () => (await scheduled()).join() === `counting ${settings.schedule}`);
  const { total: before } = await newest();
  first.clock.advance(hours(24));
  await eventually(async () => (await newest()).total === before + 1);
  stop.abort();
  await looking;
  const { run } = await newest();
  assert.equal(run.trigger, 'schedule');
  assert.deepEqual((await ended(run.id)).counts, allCounted);
});

test(
  'a replica that is told to stop in the midst of a look stops then',
  { timeout: 5_000 },
  async () => {
    const [replica = assert.fail()] = replicasWith('counting');
    const stop = new AbortController();
    const looking = replica.run(stop.signal, log);
    stop.abort();
    await looking;
  },
);

// The last one: it takes a replica with it.
test('a run whose replica dies goes on in another one, and each subject counts once', async () => {
  const { promise: until, resolve: goOn } = Promise.withResolvers<void>();
  const { promise: isReached, resolve: reached } = Promise.withResolvers<void>();
  await second.stop();
  heldUp = { at: '073', reached, until };
  const id = await first.jobs.start(jobNamed('dying'));
  await isReached;
  heldUp = undefined;
  const before = (await first.jobs.runs.get(pool, id)) ?? assert.fail();
  assert.deepEqual(before.counts, { accepted: 48, skipped: 25 });

  const stopping = first.stop();
  const third = await startBroker({ jobs, database: first.database, landscape: first.landscape });
  third.clock.advance(first.clock.offset);
  // As whoever finds it dead does.
  await pool.query(
    'update operations set claimed_by = null, epoch = epoch + 1, due_at = now() where id = $1',
    [id],
  );
  await third.engine.wake(id);
  assert.deepEqual((await ended(id)).counts, allCounted);
  goOn(); // it was not dead at all, only slow
  await stopping;
  assert.deepEqual((await ended(id)).counts, allCounted);
  const counted = seen.filter((each) => each.startsWith('dying '));
  assert.equal(counted.length, ids.length);
  assert.equal(new Set(counted).size, ids.length);
  await third[Symbol.asyncDispose]();
});
