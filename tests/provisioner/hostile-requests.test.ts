import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { buildSchema, getNamedType, isInputObjectType } from 'graphql';
import { sdl } from '#provisioner';
import { eventually, testDatabase, type TestDatabase } from '../../src/database/testing.ts';
import { startLandscape, type Landscape } from '../../src/landscape/testing.ts';
import { order, startProvisioner } from '../../src/provisioner/testing.ts';
import { hostileRequests, type Generated, type Wanted } from './hostile/families.ts';
import { asking } from './hostile/hostile-request.ts';
import { kymaUpgrade, orders, written } from './hostile/orders.ts';
import { startProvisionerProcess } from './hostile/provisioner-process.ts';
import { Caller } from './hostile/send.ts';
import { asLiteral } from './hostile/written-value.ts';
import { verdictOf } from './hostile/verdict.ts';

test('the inputs that are spoilt are valid, and name every input field of the schema', async () => {
  await using world = await startProvisioner({ withDirector: false });
  const { runtimeId } = await provisioned(world);
  const named = new Set<string>();
  for (const [name, make] of Object.entries(orders)) {
    const each = make(`h-${name}`);
    fieldsNamedIn(schema.getType(each.type), each.input, named);
    const begun: { id: string } = await world.result(written(each, runtimeId, '{ id }'));
    if (each.field !== 'provisionRuntime')
      assert.equal((await world.pass(begun.id)).state, 'succeeded', name);
  }
  const all = Object.values(schema.getTypeMap()).filter(isInputObjectType);
  const fields = all.flatMap((type) =>
    Object.keys(type.getFields()).map((name) => `${type.name}.${name}`),
  );
  assert.deepEqual([...named].toSorted(), fields.toSorted());
});

const schema = buildSchema(sdl);

function fieldsNamedIn(type: unknown, value: unknown, named: Set<string>): void {
  if (Array.isArray(value)) for (const each of value) fieldsNamedIn(type, each, named);
  if (!isInputObjectType(type)) return;
  for (const [name, member] of Object.entries(value as object)) {
    const field = type.getFields()[name];
    if (!field) continue;
    named.add(`${type.name}.${name}`);
    fieldsNamedIn(getNamedType(field.type), member, named);
  }
}

const seed = Number(process.env['HOSTILE_SEED'] ?? 20_261_115);
/** Of them, the first half comes with introspection and a Director. HOSTILE_REQUESTS=10000 takes minutes. */
const requests = Number(process.env['HOSTILE_REQUESTS'] ?? 2_000);
const half = requests / 2;
const concurrency = 16;
const heapMegabytes = 256;
/** Beside a plain query in the same process, in the same run. */
const mostOfOne = 150;
const mostOnAverage = 10;
const mostGrowth = 150 * 2 ** 20;

for (const { name, numbers, isIntrospectionOn, withDirector } of [
  {
    name: 'with introspection and a Director',
    numbers: { first: 1, last: half },
    isIntrospectionOn: true,
    withDirector: true,
  },
  {
    name: 'without both',
    numbers: { first: half + 1, last: requests },
    isIntrospectionOn: false,
    withDirector: false,
  },
]) {
  test(`${half} hostile requests (HOSTILE_REQUESTS=${requests} in all) are refused, cost little and leave nothing: ${name}`, async (t) => {
    await using landscape = await startLandscape();
    await using database = await testDatabase({ migrations: ['engine', 'audit', 'provisioner'] });
    const existing = await existingRuntime(database, landscape, withDirector);
    const director = {
      DIRECTOR_URL: `${landscape.url}/director/graphql`,
      DIRECTOR_TOKEN_URL: `${landscape.url}/director/oauth2/token`,
      DIRECTOR_CLIENT_ID: 'provisioner',
      DIRECTOR_CLIENT_SECRET: 'any',
    };
    await using provisioner = await startProvisionerProcess({
      database,
      landscape,
      heapMegabytes,
      settings: {
        PROVISIONER_INTROSPECTION: String(isIntrospectionOn),
        ...(withDirector && director),
      },
    });
    const wanted: Wanted = { ...existing, seed, numbers, isIntrospectionOn };
    const before = await rows(database);
    const outcome = await attack(t, provisioner, wanted);
    assert.ok(provisioner.isAlive());
    assert.deepEqual(provisioner.errors, []);
    const after = await rows(database);
    assert.equal(after.operations - before.operations, outcome.stored, 'operations');
    assert.equal(after.runtimes - before.runtimes, outcome.provisioned, 'runtimes');
    if (!withDirector) return;
    // What was registered for a request that was refused then is given back a moment later.
    await eventually(async () => registeredIn(landscape) === after.runtimes);
  });
}

/** The runtime that hostile requests may name, with its cluster. */
async function existingRuntime(
  database: TestDatabase,
  landscape: Landscape,
  withDirector: boolean,
) {
  await using world = await startProvisioner({
    database,
    landscape,
    withDirector,
    log: (await import('pino')).pino({ level: 'error' }),
  });
  return await provisioned(world);
}

/** A runtime with Kyma, so that all of it can be upgraded. */
async function provisioned(world: Awaited<ReturnType<typeof startProvisioner>>) {
  const whole = order('azure', {}, kymaUpgrade);
  const { id, runtimeID }: { id: string; runtimeID: string } = await world.result(
    `mutation { result: provisionRuntime(config: ${asLiteral(whole)}) { id runtimeID } }`,
  );
  const ended = await world.pass(id);
  assert.equal(ended.state, 'succeeded', JSON.stringify(ended.error));
  const takenName = whole.clusterConfig.gardenerConfig.name;
  return { runtimeId: runtimeID, operationId: id, takenName };
}

function registeredIn(landscape: Landscape): number {
  const runtimes = landscape.inventory()['director']?.['runtimes'];
  assert.ok(Array.isArray(runtimes));
  return runtimes.length;
}

/** Operations that callers know of: the guards of registrations are nobody's. */
async function rows({ pool }: TestDatabase) {
  const { rows } = await pool.query<{ operations: number; runtimes: number }>(
    `select (select count(*) from operations where account <> '')::int as operations,
            (select count(*) from runtimes)::int as runtimes`,
  );
  return rows[0] ?? assert.fail('no counts');
}

type Process = Awaited<ReturnType<typeof startProvisionerProcess>>;

async function attack(t: TestContext, provisioner: Process, wanted: Wanted) {
  const caller = new Caller(provisioner.url);
  t.after(() => caller.close());
  const complaints: string[] = [];
  const slow: (Generated & { readonly took: number })[] = [];
  const counts = new Map<string, { refused: number; accepted: number }>();
  let [stored, provisioned] = [0, 0];

  const one = async (generated: Generated) => {
    const { number, family, mayBeValid, request } = generated;
    const complain = (what: string) => complaints.push(`${family}, number ${number}: ${what}`);
    try {
      const answer = await caller.send(request);
      const verdict = verdictOf(request, answer);
      if (verdict.complaint !== undefined) complain(verdict.complaint);
      if (!verdict.isRefused && !mayBeValid)
        complain(`it was accepted: ${answer.body.slice(0, 300)}`);
      stored += verdict.stored;
      if (verdict.stored > 0 && request.body?.includes('provisionRuntime'))
        provisioned += verdict.stored;
      const count = counts.get(family) ?? { refused: 0, accepted: 0 };
      count[verdict.isRefused ? 'refused' : 'accepted'] += 1;
      counts.set(family, count);
      // One that was refused because others were before it may be accepted when it is asked again.
      if (!mayBeValid) slow.push({ ...generated, took: answer.took });
    } catch (error) {
      complain(`no answer: ${String(error)}`);
    }
  };

  const plain = asking(`{ runtimeOperationStatus(id: "${wanted.operationId}") { id state } }`);
  const plainly = async (count: number) => {
    const { cpu } = await provisioner.metrics();
    const took = [];
    for (let n = 0; n < count; n += 1) took.push((await caller.send(plain)).took);
    return { took: median(took), cpu: ((await provisioner.metrics()).cpu - cpu) / count };
  };

  await plainly(500); // the compiler has seen the path then
  const usual = await plainly(500);
  const generator = hostileRequests(wanted);
  const { first, last } = wanted.numbers;
  const count = last - first + 1;
  const start = await provisioner.metrics();
  let middle = start;
  let sent = 0;
  await Promise.all(
    Array.from({ length: concurrency }, async () => {
      for (const generated of generator) {
        await one(generated);
        sent += 1;
        if (sent === Math.floor(count * 0.3)) middle = await provisioner.metrics();
      }
    }),
  );
  const end = await provisioner.metrics();
  assert.equal(sent, count);

  // Others were waiting at the same time: what seemed slow is asked again, alone.
  slow.sort((a, b) => b.took - a.took);
  const worst = { times: 0, family: '' };
  for (const { family, number, request } of slow.slice(0, 25)) {
    const took = [];
    try {
      for (let n = 0; n < 3; n += 1) took.push((await caller.send(request)).took);
    } catch (error) {
      complaints.push(`${family}, number ${number}: no answer, alone: ${String(error)}`);
    }
    const times = Math.min(...took) / usual.took;
    if (times > worst.times) Object.assign(worst, { times, family: `${family}, number ${number}` });
  }
  const average = (end.cpu - start.cpu) / sent / usual.cpu;
  const growth = end.memory - middle.memory;
  const told = [...counts].map(
    ([family, { refused, accepted }]) => `${family} ${refused}+${accepted}`,
  );
  t.diagnostic(
    `a plain query: ${usual.took.toFixed(2)} ms, ${(usual.cpu * 1_000).toFixed(2)} ms of CPU`,
  );
  t.diagnostic(`the dearest: ${worst.times.toFixed(0)} times that (${worst.family})`);
  t.diagnostic(`on average: ${average.toFixed(1)} times its CPU`);
  t.diagnostic(`memory: ${mib(end.memory)} MiB, ${mib(growth)} MiB more than before`);
  t.diagnostic(`refused+accepted: ${told.join(', ')}`);
  const complaint = `seed ${wanted.seed}: ${complaints.length} complaints\n${complaints.slice(0, 40).join('\n')}`;
  assert.ok(complaints.length === 0, complaint);
  assert.ok(worst.times < mostOfOne, `${worst.family}: ${worst.times} times a plain query`);
  assert.ok(average < mostOnAverage, `${average} times the CPU of a plain query`);
  assert.ok(growth < mostGrowth, `the process has grown by ${mib(growth)} MiB`);
  return { stored, provisioned };
}

const mib = (bytes: number) => Math.round(bytes / 2 ** 20);
const median = (values: readonly number[]) =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? NaN;
