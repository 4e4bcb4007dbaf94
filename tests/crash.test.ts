// Real processes, real PostgreSQL, real signals: whatever dies on the way, an accepted operation is finished, once.
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { isConnectionError, openDatabase, startEmbeddedPostgres, type Database } from '#database';
import { Engine, type StoredOperation } from '#engine';
import { eventually, temporaryDirectory, testDatabase } from '../src/database/testing.ts';
import { silent, testKeyring } from '../src/engine/testing.ts';
import { OutsideWorld } from './crash/outside-world.ts';
import { ReplicaProcess } from './crash/processes.ts';
import { sampleOperation } from './crash/sample-operation.ts';

/** What must be the same in every run, however it was disturbed. */
async function outcomeOf(engine: Engine, world: OutsideWorld, { id }: StoredOperation) {
  const { state, facts, finished_stages: stages } = (await engine.get(id))!;
  const done = (await engine.timeline(id))
    .filter(({ outcome }) => outcome === 'done')
    .map(({ step }) => step);
  return { state, facts, stages, done, created: [...world.created] };
}

const undisturbed = {
  state: 'succeeded',
  facts: { runtime: 'runtime-s1', ready: true, tenant: 'tenant-s1' },
  stages: ['start', 'create', 'check', 'configure'],
  done: ['Pass_Gate', 'Create_Runtime', 'Check_Runtime', 'Get_Token', 'Register', 'Announce'],
  created: [
    ['runtime-s1', 1],
    ['tenant-s1', 1],
    ['announcement-s1', 1],
  ],
};

/** An engine that accepts and asks, but runs nothing: that is left to the processes. */
const callerOf = (database: Database, world: OutsideWorld) =>
  new Engine({
    database,
    operations: [sampleOperation(world.url)],
    keyring: testKeyring,
    log: silent,
  });

const allEnded = (engine: Engine, operations: readonly StoredOperation[]) =>
  eventually(async () => {
    for (const { id } of operations) if (!(await engine.get(id))?.ended_at) return undefined;
    return true;
  });

/** SIGKILL at the n-th effect on the outside world, or the n-th transaction. */
type Disturbance = {
  readonly at: 'effect' | 'commit';
  readonly number: number;
  readonly moment: 'before' | 'after';
};

/** The first replica holds the operation, a second one is there, and then they go on. */
async function run(world: OutsideWorld, disturbance?: Disturbance) {
  await using database = await testDatabase({ migrations: ['engine'], connections: 3 });
  const engine = callerOf(database, world);
  const gate = world.gate('s1');
  const { at, number, moment } = disturbance ?? {};
  const killItself = at === 'commit' ? [String(number), String(moment)] : [];
  await using victim = new ReplicaProcess(database.url, world.url, ...killItself);
  await victim.says('ready');
  const operation = await engine.start('sample', 's1', {});
  await Promise.race([gate.reached, victim.exited]);
  await using survivor = new ReplicaProcess(database.url, world.url);
  await survivor.says('ready');
  world.onEffect = (effect, when) => {
    if (at === 'effect' && effect === number && when === moment) victim.kill('SIGKILL');
  };
  gate.open();
  await allEnded(engine, [operation]);
  if (disturbance && survivor.hasSaid('claimed') && !victim.isDead) return 'the other was quicker';
  if (disturbance) await victim.exited;
  return await outcomeOf(engine, world, operation); // before all of this goes
}

test('undisturbed, the sample operation ends as every disturbed run must', async () => {
  await using world = await OutsideWorld.open();
  assert.deepEqual(await run(world), undisturbed);
  assert.equal(world.effects, 3);
});

const disturbances: Disturbance[] = (['before', 'after'] as const).flatMap((moment) => [
  ...[1, 2, 3].map((number) => ({ at: 'effect' as const, number, moment })),
  ...[1, 2, 3, 4, 5, 6, 7, 8, 9, 10].map((number) => ({ at: 'commit' as const, number, moment })),
]);
for (const { at, number, moment } of disturbances) {
  test(`SIGKILL ${moment} ${at} ${number}: nothing is lost and no effect happens twice`, async () => {
    for (;;) {
      await using world = await OutsideWorld.open();
      const outcome = await run(world, { at, number, moment });
      // While the operation waits either replica may take it up, and then the victim does not get that far.
      if (outcome === 'the other was quicker') continue;
      return assert.deepEqual(outcome, undisturbed);
    }
  });
}

test('SIGSTOP past the lease, then SIGCONT: nothing that the zombie writes is accepted, and it goes on as a new replica', async () => {
  await using world = await OutsideWorld.open();
  await using database = await testDatabase({ migrations: ['engine'], connections: 3 });
  const engine = callerOf(database, world);
  await using zombie = new ReplicaProcess(database.url, world.url);
  await zombie.says('ready');
  const operation = await engine.start('sample', 's1', {});
  const gate = world.gate('s1');
  await gate.reached;
  zombie.kill('SIGSTOP');
  await using survivor = new ReplicaProcess(database.url, world.url);
  await survivor.says('took over from dead replicas');
  gate.open(); // the answer to the zombie's step lies ready, too
  await allEnded(engine, [operation]);
  assert.deepEqual(await outcomeOf(engine, world, operation), undisturbed);
  const stored = async () => {
    const { rows } = await database.pool.query(
      `select xmin::text, operations::text as row from operations union all select xmin::text, step_runs::text from step_runs`,
    );
    return rows;
  };
  const before = await stored();

  zombie.kill('SIGCONT');
  await zombie.says('another replica has taken over this operation');
  assert.deepEqual(await stored(), before);
  assert.deepEqual([...world.created.values()], [1, 1, 1]);

  survivor.kill('SIGKILL');
  await survivor.exited;
  world.gate('s2').open();
  const next = await engine.start('sample', 's2', {});
  await allEnded(engine, [next]);
  assert.equal((await engine.get(next.id))?.state, 'succeeded');
});

test('SIGTERM hands a running operation over at once, not when the lease ends', async () => {
  await using world = await OutsideWorld.open();
  await using database = await testDatabase({ migrations: ['engine'], connections: 3 });
  const engine = callerOf(database, world);
  await using leaving = new ReplicaProcess(database.url, world.url);
  await leaving.says('ready');
  const operation = await engine.start('sample', 's1', {});
  const gate = world.gate('s1');
  await gate.reached;
  leaving.kill('SIGTERM');
  await leaving.says('stopping');
  const { rows } = await database.pool.query('select count(*)::int as replicas from replicas');
  assert.deepEqual(rows, [{ replicas: 1 }]); // it lets its step finish
  gate.open();
  await leaving.exited;
  const handedBack = await engine.get(operation.id);
  assert.deepEqual([handedBack?.state, handedBack?.claimed_by], ['in progress', null]);
  assert.deepEqual(handedBack?.finished_stages, ['start']);
  assert.equal((await database.pool.query('select from replicas')).rowCount, 0);
  await using _next = new ReplicaProcess(database.url, world.url);
  await allEnded(engine, [operation]);
  assert.deepEqual(await outcomeOf(engine, world, operation), undisturbed);
});

for (const [how, signal] of [
  ['stopped', 'SIGINT'],
  ['crashed', 'SIGQUIT'],
] as const) {
  test(`PostgreSQL is ${how} and started again while 200 operations run: all of them finish, each effect happens once`, async () => {
    await using world = await OutsideWorld.open();
    await using directory = await temporaryDirectory();
    const dataDirectory = join(directory.path, 'postgres');
    const server = await startEmbeddedPostgres({ dataDirectory });
    await using database = await openDatabase({
      url: server.url,
      schema: 'test',
      migrations: ['engine'],
      connections: 3,
    });
    const engine = callerOf(database, world);
    const subjects = Array.from({ length: 200 }, (_, index) => `s${index}`);
    const operations: StoredOperation[] = [];
    for (const subject of subjects) operations.push(await engine.start('sample', subject, {}));
    await using _one = new ReplicaProcess(server.url, world.url);
    await using _two = new ReplicaProcess(server.url, world.url);
    for (const subject of subjects) await world.gate(subject).reached;
    // A third is let go on to be in the middle of something when it happens, the rest goes on while it is away.
    for (const subject of subjects.slice(0, 70)) world.gate(subject).open();
    await eventually(async () => world.created.size > 20);

    const [pid] = (await readFile(join(dataDirectory, 'postmaster.pid'), 'utf8')).split('\n');
    process.kill(Number(pid), signal);
    await eventually(async () => !(await isAlive(Number(pid))));
    for (const subject of subjects.slice(70)) world.gate(subject).open();
    await assert.rejects(engine.start('sample', 'meanwhile', {}), isConnectionError);
    await server.stop(); // it is gone already; this forgets it
    const restarted = await startEmbeddedPostgres({ dataDirectory });
    assert.equal(restarted.url, server.url);

    await eventually(async () => {
      const { rows } = await database.pool.query<{ open: number }>(
        'select count(*)::int as open from operations where ended_at is null',
      );
      return rows[0]?.open === 0;
    });
    for (const { id } of operations) assert.equal((await engine.get(id))?.state, 'succeeded');
    assert.equal(world.created.size, 600);
    assert.deepEqual(new Set(world.created.values()), new Set([1]));
    await database[Symbol.asyncDispose]();
    await restarted.stop();
  });
}

async function isAlive(pid: number): Promise<boolean> {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false; // no such process: that is the answer
  }
}
