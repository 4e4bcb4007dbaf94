import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { OperationDefinition, StoredOperation } from '#engine';
import { hours } from '#time';
import { testDatabase } from '../../src/database/testing.ts';
import { startLandscape } from '../../src/landscape/testing.ts';
import { of, startFleet, timesUpgraded, withRuntimes, type FleetWorld } from './fleet-world.ts';

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

type Told = { orchestrationId: string; isCanceled: boolean; tenants: { announced: number }[] };

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
