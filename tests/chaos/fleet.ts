// A fleet is upgraded in its maintenance windows while the processes that do it are killed, one after the other. At the
// end each runtime was upgraded once, in its window, and the counts are exact.
import assert from 'node:assert/strict';
import { setTimeout as pause } from 'node:timers/promises';
import { kubernetesConnection } from '#clients';
import { hours, minutes, seconds } from '#time';
import { testDatabase, type TestDatabase } from '../../src/database/testing.ts';
import { startLandscape, type Landscape } from '../../src/landscape/testing.ts';
import { plantRuntimes } from '../fleet/plant-runtimes.ts';
import { seedInstances } from '../fleet/seed-instances.ts';
import { startBrokerProcess, type BrokerProcess } from './broker-processes.ts';
import { randomOf } from './random.ts';

export type FleetChaos = {
  readonly runtimes: number;
  readonly kills: number;
  readonly replicas: number;
  readonly seed: number;
};

const { signal } = new AbortController();
/** Time passes so many times faster, here and out there. */
const pace = 60;
const late = seconds(60);

export async function fleetChaos(options: FleetChaos, say: (line: string) => void): Promise<void> {
  const { runtimes, kills, replicas, seed } = options;
  say(`${runtimes} runtimes, ${replicas} replicas, ${kills} kills, seed ${seed}`);
  const random = randomOf(seed);
  await using landscape = await startLandscape({ speed: pace });
  await using database = await testDatabase({ migrations: ['engine', 'audit', 'broker'] });
  await seedFleet(landscape, database, runtimes, say);
  await setPolicy(landscape);

  const start = () => startBrokerProcess(database.url, landscape.url, String(pace));
  const brokers = await Promise.all(Array.from({ length: replicas }, start));
  const replacements = new Set<Promise<void>>();
  /** The next one takes its time to come; meanwhile the others go on. */
  const replace = async (which: number) => {
    const [killed] = brokers.splice(which, 1);
    await killed?.kill('SIGKILL');
    const replacement: Promise<void> = start().then((broker) => {
      brokers.push(broker);
      replacements.delete(replacement);
    });
    replacements.add(replacement);
  };
  try {
    const any = () => brokers[Math.floor(random() * brokers.length)] ?? assert.fail('all are dead');
    const id = await order(any(), runtimes);
    // Somewhere between the first upgrade and the last.
    const killAt = Array.from({ length: kills }, () => Math.floor(random() * runtimes * 0.8));
    killAt.sort((a, b) => a - b);
    const startedAt = performance.now();
    let killed = 0;
    for (;;) {
      const { state, progress, explanation } = await statusFrom(any, id);
      const ended = (progress['succeeded'] ?? 0) + (progress['failed'] ?? 0);
      if (['succeeded', 'failed', 'canceled'].includes(state)) break;
      const isTime = (killAt[killed] ?? Infinity) <= ended && Boolean(progress['inProgress']);
      if (isTime && brokers.length > 1) {
        await replace(await victim(database, brokers, killed, random));
        killed += 1;
      }
      const time = Math.round((performance.now() - startedAt) / 1_000);
      say(`${time} s: ${ended} of ${runtimes}, ${killed} kills; ${explanation?.because ?? state}`);
      await pause(isTime ? 100 : 1_000);
    }
    assert.equal(killed, kills, 'not all kills came in time');
    await check(landscape, database, await statusFrom(any, id), runtimes);
    const time = Math.round((performance.now() - startedAt) / 1_000);
    const rate = Math.round(runtimes / Math.max(1, time));
    say(`each of ${runtimes} runtimes was upgraded once, in its window, and all counts are exact`);
    say(`${kills} kills among ${replicas} replicas, ${time} s, ${rate} upgrades/s, seed ${seed}`);
  } finally {
    await Promise.all(replacements);
    await Promise.all(brokers.map((broker) => broker.kill('SIGTERM')));
  }
}

/** Runtimes in two accounts, whose windows are not the same. */
async function seedFleet(
  landscape: Landscape,
  database: TestDatabase,
  count: number,
  say: (line: string) => void,
): Promise<void> {
  const seeds = Array.from({ length: count }, (_each, number) => ({
    id: `chaos-${number}`,
    shoot: `c-${number}`,
    account: number % 2 === 0 ? 'early' : 'late',
  }));
  const runtimeIds = await plantRuntimes(landscape, seeds);
  await seedInstances(
    database.pool,
    seeds.map((each, index) => ({ ...each, runtimeId: runtimeIds[index] ?? null })),
  );
  landscape.time.advance(hours(1));
  say(`${count} runtimes are there`);
}

/** One window is open, the other one opens soon. */
async function setPolicy({ url }: Landscape): Promise<void> {
  const time = (date: number) =>
    `${new Date(date).toISOString().slice(11, 19).replaceAll(':', '')}+0000`;
  const now = Date.now();
  const window = (begin: number) => ({ timeBegin: time(begin), timeEnd: time(begin + hours(6)) });
  const policy = {
    rules: [{ match: { globalAccountID: '^late$' }, ...window(now + late) }],
    default: window(now - minutes(1)),
  };
  const kubeconfig = await (await fetch(`${url}/control-plane/kubeconfig`)).text();
  await kubernetesConnection('chaos', { kubeconfig }).request({
    method: 'PATCH',
    path: '/api/v1/namespaces/kcp-system/configmaps/orchestration-config',
    contentType: 'application/merge-patch+json',
    body: { data: { maintenancePolicy: JSON.stringify(policy) } },
    what: 'change the policy',
    signal,
  });
}

async function order({ url }: BrokerProcess, runtimes: number): Promise<string> {
  const response = await fetch(`${url}/upgrade/cluster`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      targets: { include: [{ target: 'all' }] },
      strategy: {
        maintenanceWindow: true,
        parallel: { workers: Math.max(2, Math.min(500, Math.floor(runtimes / 20))) },
        waves: [{ percent: 5 }],
      },
      kubernetes: { kubernetesVersion: '1.27.4' },
    }),
  });
  assert.equal(response.status, 202);
  const { orchestrationID } = (await response.json()) as { orchestrationID: string };
  return orchestrationID;
}

type Status = {
  readonly state: string;
  readonly description: string;
  readonly progress: Readonly<Record<string, number>>;
  readonly explanation?: { readonly because?: string };
};

/** Whoever is asked may have been killed a moment ago. */
async function statusFrom(any: () => BrokerProcess, id: string): Promise<Status> {
  for (let tries = 1; ; tries += 1) {
    try {
      const response = await fetch(`${any().url}/orchestrations/${id}`);
      assert.equal(response.status, 200);
      return (await response.json()) as Status;
    } catch (error) {
      if (tries === 20) throw error;
      await pause(200);
    }
  }
}

/** In turns anybody, and the one that carries the orchestration at this moment. */
async function victim(
  { pool }: TestDatabase,
  brokers: readonly BrokerProcess[],
  number: number,
  random: () => number,
): Promise<number> {
  const anybody = Math.floor(random() * brokers.length);
  if (number % 2 === 0) return anybody;
  for (let tries = 0; tries < 200; tries += 1) {
    const { rows } = await pool.query<{ name: string }>(
      `select r.name from operations o join replicas r on r.id = o.claimed_by where o.type = 'orchestration'`,
    );
    const carrier = brokers.findIndex(({ pid }) => rows[0]?.name.includes(`-${pid}-`));
    if (carrier >= 0) return carrier;
    await pause(2);
  }
  return anybody;
}

async function check(
  landscape: Landscape,
  { pool }: TestDatabase,
  { state, description, progress }: Status,
  runtimes: number,
): Promise<void> {
  assert.deepEqual(
    [state, description],
    ['succeeded', `${runtimes} of ${runtimes} upgrades succeeded`],
  );
  assert.partialDeepStrictEqual(progress, {
    total: runtimes,
    succeeded: runtimes,
    failed: 0,
    inProgress: 0,
  });
  const all = landscape.inventory()['provisioner']?.['operations'] ?? [];
  const times = new Map<string, number>();
  for (const { operation, runtimeID } of all as { operation: string; runtimeID: string }[])
    if (operation === 'UpgradeShoot') times.set(runtimeID, (times.get(runtimeID) ?? 0) + 1);
  assert.equal(times.size, runtimes, 'runtimes whose cluster was upgraded');
  assert.deepEqual(
    [...times].filter(([, count]) => count !== 1),
    [],
    'upgraded more than once',
  );
  const { rows } = await pool.query<{ operations: number; subjects: number; outside: number }>(
    `select count(*)::integer as operations, count(distinct o.subject)::integer as subjects,
            count(*) filter (where o.created_at < u.window_begin or o.created_at >= u.window_end)::integer as outside
       from operations o join orchestration_operations u on u.operation_id = o.id where o.type = 'upgradeCluster'`,
  );
  assert.deepEqual(rows[0], { operations: runtimes, subjects: runtimes, outside: 0 });
}
