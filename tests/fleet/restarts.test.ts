import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { OperationDefinition, StoredOperation } from '#engine';
import { hours, minutes } from '#time';
import { eventually, testDatabase } from '../../src/database/testing.ts';
import { startLandscape } from '../../src/landscape/testing.ts';
import { startBrokerProcess } from '../chaos/broker-processes.ts';
import { of, startFleet, timesUpgraded, withRuntimes, type FleetWorld } from './fleet-world.ts';
import { seedInstances } from './seed-instances.ts';

const landscape = await startLandscape();
after(() => landscape[Symbol.asyncDispose]());
const database = await testDatabase({ migrations: ['engine', 'audit', 'broker'] });
after(() => database[Symbol.asyncDispose]());

const timesOf = async (world: FleetWorld, ids: readonly string[]) => {
  const times = await timesUpgraded(world);
  return ids.map((each) => times.get(each));
};

/** Another process takes over when this one has stopped. */
async function restarted(world: FleetWorld, operationId: string): Promise<FleetWorld> {
  const { offset } = world.clock;
  await world[Symbol.asyncDispose]();
  const next = await startFleet({ landscape, database });
  next.clock.advance(offset);
  await next.engine.wake(operationId);
  return next;
}

type Told = {
  orchestrationId: string;
  isCanceled: boolean;
  tenants: { announced: number; eventState?: string }[];
};

/** What customers were told of it. */
const eventOf = (id: string) =>
  ((landscape.inventory()['spc']?.['maintenanceEvents'] ?? []) as Told[]) // as the inventory lists them
    .find(({ orchestrationId }) => orchestrationId === id);

test('an orchestration goes on in a new process whenever the one that carried it has stopped, and upgrades nobody twice', async () => {
  let world = await startFleet({ landscape, database });
  try {
    const ids = await withRuntimes(world, 4, { account: 'restarts' });
    const { orchestrations } = world.services.fleet;
    const now = await orchestrations.now(database.pool);
    const id = await world.orchestrate('cluster', {
      targets: of('restarts'),
      strategy: {
        schedule: new Date(now.getTime() + hours(1)).toISOString(),
        parallel: { workers: 2 },
        waves: [{ size: 1 }],
        waveSoak: '30m',
      },
      notification: true,
    });
    const { operationID } = await world.status(id);
    const seen: string[] = [];
    for (;;) {
      const last = seen.at(-1);
      const { ended_at, because } = await world.pass(
        operationID,
        (each) => each.because !== null && each.because.replace(/ at .*/, '') !== last,
      );
      if (ended_at !== null) break;
      seen.push(because?.replace(/ at .*/, '') ?? '');
      world = await restarted(world, operationID);
    }
    const stages = [
      'it is scheduled for',
      'wave 1 of 2: 1 of 2',
      'wave 2 of 2: begins',
      'wave 2 of 2: 2 of 2',
    ];
    for (const stage of stages)
      assert.ok(
        seen.some((each) => each.startsWith(stage)),
        `${stage}: ${seen.join('; ')}`,
      );
    const { state, progress } = await world.status(id);
    assert.equal(state, 'succeeded');
    assert.partialDeepStrictEqual(progress, { total: 4, succeeded: 4 });
    assert.deepEqual(await timesOf(world, ids), [1, 1, 1, 1]);
    assert.deepEqual(
      eventOf(id)?.tenants.map(({ announced }) => announced),
      [1, 1, 1, 1],
    );
  } finally {
    await world[Symbol.asyncDispose]();
  }
});

test('a pause, a cancellation and the way it ended outlive every process', async () => {
  let world = await startFleet({ landscape, database });
  try {
    const ids = await withRuntimes(world, 6, { account: 'stopped' });
    const id = await world.orchestrate('cluster', {
      targets: of('stopped'),
      strategy: { parallel: { workers: 2 } },
      notification: true,
    });
    const { operationID } = await world.status(id);
    const begun = async () => {
      const { total = 0, pending = 0, canceled = 0 } = (await world.status(id)).progress;
      return total - pending - canceled;
    };

    await world.until(id, /^2 of 2 under way/);
    await world.put(id, 'pause');
    const { pausedBecause } = await world.until(id, /^paused: .*; 2 under way$/);
    world = await restarted(world, operationID);
    await world.until(id, /^paused: .*; 0 under way$/);
    world = await restarted(world, operationID);
    world.advance(hours(5));
    const paused = await world.until(id, /^paused: .*; 0 under way$/);
    assert.deepEqual([paused.state, paused.pausedBecause], ['paused', pausedBecause]);
    assert.equal(await begun(), 2);

    await world.put(id, 'resume');
    world = await restarted(world, operationID);
    await world.until(id, /^2 of 2 under way/);
    await world.put(id, 'cancel');
    await world.until(id, /^canceling: 2 under way$/);
    world = await restarted(world, operationID);
    assert.equal((await world.status(id)).state, 'canceling');
    assert.equal(await begun(), 4);

    // It has ended, but for the customers who are yet to be told.
    const silent = landscape.faults.add({
      system: 'spc',
      path: '/cancelMaintenanceEvent$',
      action: { kind: 'answer', status: 503 },
    });
    const isClosing = (each: StoredOperation) => each.finished_stages.includes('upgrade');
    await world.pass(operationID, isClosing);
    world = await restarted(world, operationID);
    assert.equal((await world.status(id)).state, 'canceled');
    assert.equal((await world.pass(operationID, isClosing)).ended_at, null);
    assert.equal(eventOf(id)?.isCanceled, false);
    landscape.faults.remove(silent);
    const { state, description } = await world.pass(operationID);
    const told = 'canceled: 4 of 6 upgrades succeeded, 2 canceled';
    assert.deepEqual([state, description], ['succeeded', told]);
    assert.equal(eventOf(id)?.isCanceled, true);
    const { progress } = await world.status(id);
    assert.partialDeepStrictEqual(progress, { total: 6, succeeded: 4, canceled: 2, failed: 0 });
    const times = (await timesOf(world, ids)).filter((each) => each !== undefined);
    assert.deepEqual(times, [1, 1, 1, 1]);
    const states = (await world.operations(id)).map((each) => each.notificationState).toSorted();
    assert.deepEqual(states, ['cancelled', 'cancelled', ...Array<string>(4).fill('created')]);
  } finally {
    await world[Symbol.asyncDispose]();
  }
});

class NotStored extends Error {
  readonly temporary = true;
}

/** Every other run of each step of an orchestration does its work, and is forgotten: as if the process had died then. */
const forgetful = (operations: readonly { readonly definition: OperationDefinition }[]) =>
  operations.map(({ definition }) => {
    if (definition.type !== 'orchestration') return { definition };
    const stages = definition.stages.map((stage) => ({
      ...stage,
      steps: stage.steps.map((step) => ({
        ...step,
        run: async (context: Parameters<typeof step.run>[0]) => {
          const outcome = await step.run(context);
          if (context.attempt % 2 === 1) throw new NotStored('what it did was not stored');
          return outcome;
        },
      })),
    }));
    return { definition: { ...definition, stages } };
  });

test('two processes that both believe to carry it, and forget half of what they do, upgrade each runtime once', async () => {
  await using one = await startFleet({ landscape, database, disturb: forgetful });
  await using two = await startFleet({ landscape, database, disturb: forgetful });
  two.clock.advance(one.clock.offset);
  const advance = one.clock.advance.bind(one.clock);
  one.clock.advance = (by) => {
    advance(by);
    two.clock.advance(by);
  };
  const ids = await withRuntimes(one, 12, { account: 'replicas' });
  const id = await one.orchestrate('cluster', {
    targets: of('replicas'),
    strategy: { parallel: { workers: 4 }, waves: [{ size: 2 }] },
  });
  const other = await two.engine.start('orchestration', 'a second belief', { orchestrationId: id });
  const { state, progress } = await one.ended(id);
  await one.pass(other.id);
  assert.equal(state, 'succeeded');
  assert.partialDeepStrictEqual(progress, { total: 12, succeeded: 12 });
  assert.deepEqual(await timesOf(one, ids), Array(12).fill(1));
  const { rows } = await database.pool.query<{ replica: string }>(
    `select distinct r.replica from step_runs r join operations o on o.id = r.operation_id
      where o.facts ->> 'orchestrationId' = $1`,
    [id],
  );
  assert.equal(rows.length, 2, 'both have worked');
});

const startProcess = () =>
  startBrokerProcess(database.url, landscape.url, '1', 'edp,ias,avs,reconciler,lifecycleManager');

async function posted(url: string, body: object): Promise<Record<string, string>> {
  const headers = { 'content-type': 'application/json' };
  const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) });
  assert.equal(response.status, 202, url);
  return (await response.json()) as Record<string, string>; // as the API answers
}

test('customers who were told by a process that was killed before it could note that hear what becomes of it', async () => {
  const accounts = ['told-and-canceled', 'told-and-upgraded'];
  {
    await using world = await startFleet({ landscape, database });
    for (const account of accounts) await withRuntimes(world, 2, { account });
  }
  await using killed = await startProcess();
  // SPC takes its time, and does what it was asked for when whoever asked has gone.
  landscape.faults.add({
    system: 'spc',
    method: 'POST',
    count: accounts.length,
    action: { kind: 'delay', for: minutes(10) },
  });
  const ids = await Promise.all(
    accounts.map(async (account) => {
      const { orchestrationID = '' } = await posted(`${killed.url}/upgrade/cluster`, {
        targets: of(account),
        strategy: { schedule: new Date(Date.now() + hours(1)).toISOString() },
        notification: true,
      });
      return orchestrationID;
    }),
  );
  await eventually(async () => landscape.faults.list().every(({ left }) => left === 0));
  assert.deepEqual(ids.map(eventOf), [undefined, undefined]);
  await killed.kill('SIGKILL');
  landscape.faults.remove();
  const timesTold = (id: string) => eventOf(id)?.tenants.map(({ announced }) => announced);
  await eventually(async () => ids.every((id) => timesTold(id)?.length === 2));

  await using world = await startFleet({ landscape, database });
  const [canceled = '', upgraded = ''] = ids;
  await world.put(canceled, 'cancel');
  await world.until(canceled, /^an announcement may be on its way$/);
  assert.equal((await world.ended(canceled)).state, 'canceled');
  assert.deepEqual([eventOf(canceled)?.isCanceled, timesTold(canceled)], [true, [1, 1]]);
  const states = (await world.operations(canceled)).map((each) => each.notificationState);
  assert.deepEqual(states, ['cancelled', 'cancelled']);

  const { state } = await world.ended(upgraded);
  assert.equal(state, 'succeeded');
  for (const { instanceID } of await world.operations(upgraded))
    for (const { id } of await world.engine.ofSubject(instanceID)) await world.pass(id);
  assert.deepEqual(
    eventOf(upgraded)?.tenants.map(({ announced, eventState }) => [announced, eventState]),
    [
      [2, '2'],
      [2, '2'],
    ],
  );
});

test('a job whose process is killed in the midst of a subject is ended by another process, and each subject counts once', async () => {
  const { pool } = database;
  const ids = await seedInstances(
    pool,
    [1, 2, 3, 4, 5].map((number) => ({ id: `expired-${number}`, plan: 'trial', runtimeId: null })),
  );
  await pool.query(
    `update instances set created_at = now() - interval '15 days' where id = any($1)`,
    [ids],
  );
  await using processes = new AsyncDisposableStack();
  const both = await Promise.all([startProcess(), startProcess()]);
  for (const each of both) processes.use(each);
  const carrierOf = async (run: string) => {
    const { rows } = await pool.query<{ name: string }>(
      'select r.name from operations o join replicas r on r.id = o.claimed_by where o.id = $1',
      [run],
    );
    return both.find(({ pid }) => rows[0]?.name.includes(`-${pid}-`));
  };
  const cursorOf = async (run: string) => {
    const { rows } = await pool.query<{ cursor: string | null }>(
      'select cursor from job_runs where id = $1',
      [run],
    );
    return rows[0]?.cursor;
  };

  // Somebody else works on the third.
  const holder = await pool.connect();
  processes.defer(() => holder.release());
  await holder.query('begin');
  await holder.query(`select from instances where id = 'expired-3' for update`);
  const { runID: run = '' } = await posted(`${both[0].url}/jobs/trial-expiration/run`, {});
  await eventually(async () => (await cursorOf(run)) === 'expired-2');
  const killed = (await carrierOf(run)) ?? assert.fail();
  await killed.kill('SIGKILL');
  const survivor = both.find((each) => each !== killed) ?? assert.fail();
  await eventually(async () => (await carrierOf(run)) === survivor);
  assert.equal(await cursorOf(run), 'expired-2');
  await holder.query('rollback');

  const ended = await eventually(async () => {
    const { rows } = await pool.query<{ state: string; description: string }>(
      'select state, description from operations where id = $1 and ended_at is not null',
      [run],
    );
    return rows[0];
  });
  assert.deepEqual(ended, { state: 'succeeded', description: '5 suspended' });
  const { rows } = await pool.query<{ counts: object; entries: object[] }>(
    'select counts, entries from job_runs where id = $1',
    [run],
  );
  assert.deepEqual(rows, [
    {
      counts: { suspended: 5 },
      entries: ids.map((subject) => ({ subject, outcome: 'suspended' })),
    },
  ]);
  const begun = await pool.query(
    `select subject, type, count(*)::int from operations where subject = any($1) group by 1, 2 order by 1`,
    [ids],
  );
  assert.deepEqual(
    begun.rows,
    ids.map((subject) => ({ subject, type: 'deprovision', count: 1 })),
  );
  const { rows: history } = await pool.query(
    'select step, outcome, replica like $2 as survived from step_runs where operation_id = $1',
    [run, `%-${survivor.pid}-%`],
  );
  assert.deepEqual(history, [{ step: 'Run_Job', outcome: 'done', survived: true }]);
});
