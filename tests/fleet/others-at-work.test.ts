// What others do meanwhile: operators with single upgrades, jobs with old records, and whoever stops the database's work.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { pino } from 'pino';
import { days, hours } from '#time';
import { eventually } from '../../src/database/testing.ts';
import { removed } from '../../src/broker/operations/testing.ts';
import { of, startFleet, timesUpgraded, withRuntimes } from './fleet-world.ts';

const said: string[] = [];
const log = pino({ level: 'warn' }, { write: (line: string) => void said.push(line) });
const world = await startFleet({ log });
after(() => world[Symbol.asyncDispose]());
const { pool } = world.database;

/** Runtimes, of which the provisioner does not find one until that is mended. */
async function oneLost(account: string, count: number) {
  const ids = await withRuntimes(world, count, { account });
  const [lost = ''] = ids;
  const { runtimeId } = (await world.instance(lost)) ?? assert.fail();
  const point = (to: string | undefined) =>
    pool.query('update instances set runtime_id = $2 where id = $1', [lost, to]);
  await point('00000000-0000-4000-8000-000000000000');
  return { ids, lost, mend: () => point(runtimeId) };
}

const upgradeOf = async (id: string, instanceId: string, attempt = 1) => {
  const all = await world.operations(id, '?page_size=100');
  return (
    all.find((each) => each.instanceID === instanceId && each.attempt === attempt) ?? assert.fail()
  );
};
const retryByHand = async (operationId: string) => {
  const body = { because: 'it was mended' };
  const { status, text } = await world.call('POST', `/operations/${operationId}/retry`, { body });
  assert.equal(status, 202, text);
};
const allAtOnce = { parallel: { workers: 3 } };

test('an upgrade that an operator retries by hand counts as it ends, and once', async () => {
  const account = 'by-hand';
  const { ids, lost, mend } = await oneLost(account, 3);
  const id = await world.orchestrate('cluster', { targets: of(account), strategy: allAtOnce });
  const underWay = await world.until(id, /^2 of 3 under way/);
  assert.partialDeepStrictEqual(underWay.progress, { failed: 1, inProgress: 2 });
  await mend();
  const { operationID } = await upgradeOf(id, lost);
  await retryByHand(operationID);
  const { state, progress, report } = await world.ended(id);
  assert.equal(state, 'succeeded');
  assert.partialDeepStrictEqual(progress, { total: 3, succeeded: 3, failed: 0 });
  assert.deepEqual([report.touched, report.failures], [3, []]);
  assert.deepEqual(
    (await world.operations(id)).map((each) => each.attempt),
    [1, 1, 1],
  );
  const times = await timesUpgraded(world);
  assert.deepEqual(
    ids.map((each) => times.get(each)),
    [1, 1, 1],
  );
});

test('a new attempt waits for one that an operator has had go on, and the runtime counts once', async () => {
  const account = 'both-ways';
  const { lost, mend } = await oneLost(account, 2);
  const id = await world.orchestrate('cluster', { targets: of(account), strategy: allAtOnce });
  await world.until(id, /^1 of 3 under way/);
  await world.put(id, 'pause');
  await mend();
  assert.equal((await world.retry(id)).status, 202);
  await retryByHand((await upgradeOf(id, lost)).operationID);
  await world.put(id, 'resume');
  const { state, progress } = await world.ended(id);
  assert.equal(state, 'succeeded');
  assert.partialDeepStrictEqual(progress, { total: 2, succeeded: 2, failed: 0 });
  const [byHand, anew] = await Promise.all([1, 2].map((each) => upgradeOf(id, lost, each)));
  assert.deepEqual([byHand?.state, anew?.state], ['succeeded', 'succeeded']);
  const { rows } = await pool.query<{ apart: boolean }>(
    `select second.started_at >= first.ended_at as apart from operations first, operations second
      where first.id = $1 and second.id = $2`,
    [byHand?.operationID, anew?.operationID],
  );
  assert.deepEqual(rows, [{ apart: true }]);
});

test('a failure still counts when the instance is gone and its operations are archived', async () => {
  const account = 'archived';
  const { lost } = await oneLost(account, 3);
  const id = await world.orchestrate('cluster', { targets: of(account), strategy: allAtOnce });
  await world.until(id, /^2 of 3 under way/);
  await world.put(id, 'pause');
  const { operationID, description } = await upgradeOf(id, lost);
  await removed(world, lost);
  world.advance(days(31));
  const run = await world.jobs.start(world.jobs.find('archiving') ?? assert.fail());
  await world.pass(run);
  assert.equal(await world.engine.get(operationID), undefined, 'it is on record');

  await world.put(id, 'resume');
  const { state, progress, report } = await world.ended(id);
  assert.equal(state, 'failed');
  assert.partialDeepStrictEqual(progress, { total: 3, succeeded: 2, failed: 1, canceled: 0 });
  assert.partialDeepStrictEqual(report, { touched: 3, untouched: 0 });
  assert.partialDeepStrictEqual(report.failures, [{ count: 1, runtimes: [lost] }]);
  const { state: itsState, description: known } = await upgradeOf(id, lost);
  assert.deepEqual([itsState, known], ['failed', description]);
});

test('targets that take the database too long are refused by name; an orchestration that has begun waits', async () => {
  const [instanceID] = await withRuntimes(world, 1);
  const now = await world.services.fleet.orchestrations.now(pool);
  const schedule = new Date(now.getTime() + hours(1)).toISOString();
  const body = { targets: { include: [{ instanceID }] }, strategy: { schedule } };
  const id = await world.orchestrate('cluster', body);
  const { operationID } = await world.until(id, /^it is scheduled for/);
  said.length = 0;
  const tooLong = /^targets: the runtimes that are meant could not be found within 20 s:/;

  const answers = await whileNobodyCanRead(() => [
    world.call('POST', '/orchestrations/preview', { body }),
    world.call('POST', '/upgrade/cluster', { body }),
  ]);
  for (const { status, body: answer, text } of answers) {
    assert.equal(status, 400, text);
    assert.match(String(answer['error']), tooLong);
  }
  const [looked] = await whileNobodyCanRead(() => [
    world.engine.wake(operationID).then(() => world.until(id, tooLong)),
  ]);
  assert.equal(looked?.state, 'pending');
  assert.match(said.join(), /upgrades cannot be planned/);
  assert.equal((await world.ended(id)).state, 'succeeded');
});

/** The database ends every statement that chooses runtimes, as it does at the limit of its time. */
async function whileNobodyCanRead<Result>(work: () => Promise<Result>[]): Promise<Result[]> {
  const blocker = await pool.connect();
  try {
    await blocker.query('begin');
    await blocker.query('lock table instances in access exclusive mode');
    const begun = work();
    const canceled = new Set<number>();
    await eventually(async () => {
      const { rows } = await pool.query<{ pid: number }>(
        `select pid, pg_cancel_backend(pid) from pg_stat_activity
          where datname = current_database() and wait_event_type = 'Lock' and query like '%as last_type%'`,
      );
      for (const { pid } of rows) canceled.add(pid);
      return canceled.size >= begun.length;
    });
    await blocker.query('rollback');
    return await Promise.all(begun);
  } finally {
    await blocker.query('rollback');
    blocker.release();
  }
}
