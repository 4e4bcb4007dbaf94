import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { alike, of, seed, startFleet, withRuntimes, type Item } from './fleet-world.ts';

const world = await startFleet();
after(() => world[Symbol.asyncDispose]());

test('a bad version reaches no more than the first wave of 2,000 runtimes before the orchestration halts', async () => {
  const account = 'two-thousand';
  const version = world.services.settings.kymaVersion;
  const all = await withRuntimes(world, 2_000, { account });
  await stageVersion(version, { isBroken: true });
  const body = {
    targets: of(account),
    strategy: {
      parallel: { workers: 20 },
      waves: [{ size: 10 }, { size: 20 }],
      errorBudget: { percent: 20 },
    },
    kyma: { version },
  };
  const { body: preview } = await world.call('POST', '/orchestrations/preview?page_size=30', {
    body,
  });
  assert.equal(preview['totalCount'], 2_000);
  const planned = preview['data'] as Item[];
  const inWave = (number: number) =>
    planned.filter(({ wave }) => wave === number).map(({ instanceID }) => instanceID);
  const canaries = inWave(1).toSorted();
  assert.equal(canaries.length, 10);
  const asked = world.landscape.requests.length;

  const id = await world.orchestrate('kyma', body);
  const halted = await world.until(id, /^paused: .*; 0 under way/);
  assert.equal(halted.state, 'paused');
  assert.match(
    halted.pausedBecause ?? '',
    /^the error budget is used up: \d+ failed, allowed: 20% of 10 runtimes$/,
  );
  assert.partialDeepStrictEqual(halted.report, {
    touched: 10,
    untouched: 1_990,
    failures: [{ count: 10, step: 'Check_Cluster_Configuration', runtimes: canaries }],
  });
  // What the others out there say: nobody has heard of any runtime but these.
  assert.deepEqual(await withKyma(version, 'error'), canaries);
  assert.equal(reconciled().length, 10);
  const changed = world.landscape.requests
    .slice(asked)
    .filter(({ system, method }) => system === 'reconciler' && method !== 'GET');
  assert.equal(changed.length, 10);
  assert.deepEqual(await upgradesBegun(), canaries);

  // It stays so until somebody has mended the version and says so; then the others follow.
  await stageVersion(version, { isBroken: false });
  assert.equal((await world.retry(id)).status, 202);
  assert.equal((await world.status(id)).state, 'paused');
  assert.deepEqual(await upgradesBegun(), canaries);
  await world.put(id, 'resume');
  await world.until(id, /^wave 3 of 3: 20 of 20 under way/);
  await world.put(id, 'cancel');
  const { state, description, progress, report } = await world.ended(id);
  assert.equal(state, 'canceled');
  const good = await withKyma(version, 'ready');
  const touched = good.length;
  assert.ok(touched >= 50 && touched < 100, `${touched} were upgraded`);
  assert.deepEqual(
    [...canaries, ...inWave(2)].filter((each) => !good.includes(each)),
    [],
  );
  assert.deepEqual(
    good.filter((each) => !all.includes(each)),
    [],
  );
  assert.deepEqual(await upgradesBegun(), good);
  assert.partialDeepStrictEqual(report, {
    touched,
    untouched: 2_000 - touched,
    waves: [
      { wave: 1, total: 10, succeeded: 10 },
      { wave: 2, total: 20, succeeded: 20 },
      { wave: 3, total: 1_970, succeeded: touched - 30, canceled: 2_000 - touched },
    ],
  });
  assert.deepEqual(report.failures, []);
  assert.partialDeepStrictEqual(progress, {
    total: 2_000,
    succeeded: touched,
    canceled: 2_000 - touched,
    failed: 0,
  });
  assert.equal(description, `${touched} of 2000 upgrades succeeded, ${2_000 - touched} canceled`);
});

test('with waves and no error budget, a single failure is enough', async () => {
  const account = 'careful';
  await seed(world, alike(3, { account }));
  const strategy = { waves: [{ size: 1 }] };
  const id = await world.orchestrate('cluster', { targets: of(account), strategy });
  const halted = await world.until(
    id,
    /^paused: the error budget is used up: 1 failed, allowed: 0/,
  );
  assert.deepEqual(halted.parameters.strategy['errorBudget'], { failures: 0 });
  assert.equal(halted.report.touched, 1);
  await world.put(id, 'cancel');
  assert.equal((await world.ended(id)).state, 'canceled');
});

test('without either, every runtime has its turn', async () => {
  const account = 'careless';
  await seed(world, alike(3, { account }));
  const id = await world.orchestrate('cluster', { targets: of(account) });
  const { state, progress } = await world.ended(id);
  assert.equal(state, 'failed');
  assert.partialDeepStrictEqual(progress, { total: 3, failed: 3 });
});

async function stageVersion(version: string, body: object): Promise<void> {
  const { status } = await fetch(`${world.landscape.url}/reconciler/versions/${version}`, {
    method: 'PUT',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  assert.equal(status, 204);
}

const reconciled = () =>
  (world.landscape.inventory()['reconciler']?.['clusters'] ?? []) as {
    runtimeID: string;
    kymaVersion: string;
    status: string;
  }[]; // as the Reconciler lists them

/** The instances whose clusters have it, as the Reconciler sees it. */
async function withKyma(version: string, status: string): Promise<string[]> {
  const found = reconciled().filter((each) => each.kymaVersion === version);
  assert.deepEqual([...new Set(found.map((each) => each.status))], [status]);
  const { rows } = await world.database.pool.query<{ id: string }>(
    'select id from instances where runtime_id = any($1)',
    [found.map(({ runtimeID }) => runtimeID)],
  );
  return rows.map(({ id }) => id).toSorted();
}

async function upgradesBegun(): Promise<string[]> {
  const { rows } = await world.database.pool.query<{ subject: string }>(
    `select distinct subject from operations where type = 'upgradeKyma'`,
  );
  return rows.map(({ subject }) => subject).toSorted();
}
