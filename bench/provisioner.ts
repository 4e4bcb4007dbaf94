// The provisioner as operators run it, with the landscape as the world outside: what its API costs beside a bare route and
// beside the database alone, and a thousand clusters at once. Without a Director: clusters, not agents.
import { randomUUID } from 'node:crypto';
import { mkdtempDisposable, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { literal, operationFields, order } from '../src/provisioner/testing.ts';
import { Callers, type Load } from './callers.ts';
import { withDatabase } from './databases.ts';
import { median, type Figure } from './report.ts';
import { serverCost } from './server-cost.ts';
import { ServiceProcess } from './service-process.ts';

const callers = 50;
const connections = 20;
const accepted = 500;
const runtimes = 1_000;
const queries = 5_000;
const inserts = 5_000;

type Measured = Load & { readonly cpu: number };
type Round = {
  /** Inserts per second. */
  readonly limit: number;
  readonly bare: { readonly insert: Measured; readonly select: Measured };
  readonly ours: { readonly provision: Measured; readonly status: Measured };
  readonly fleet: Awaited<ReturnType<typeof measureFleet>>;
};

export async function benchProvisioner(url: string, rounds: number): Promise<Figure[]> {
  const measured: Round[] = [];
  for (let round = 1; round <= rounds; round += 1) {
    process.stderr.write(`round ${round} of ${rounds}: provisioner\n`);
    const { limit, ...bare } = await withDatabase(url, measureBare);
    const ours = await withDatabase(url, measureApi);
    const fleet = await withDatabase(url, (address) => measureFleet(url, address));
    measured.push({ limit, bare, ours, fleet });
  }
  return figuresOf(measured);
}

async function measureBare(address: string) {
  await using service = new ServiceProcess(
    'subjects/bare-routes.ts',
    {},
    address,
    `${connections}`,
  );
  const at = await service.address;
  using all = new Callers(callers);
  const body = provisioning(0);
  let id = '';
  const keep = (answer: string) => {
    ({ id } = JSON.parse(answer) as { id: string }); // as the route answers
  };
  await all.call(`${at}/insert`, 500, () => body, keep);
  const insert = await measured(service, inserts, () =>
    all.call(`${at}/insert`, inserts, () => body),
  );
  const select = await measured(service, queries, () =>
    all.call(`${at}/select`, queries, () => ({ id })),
  );
  return { insert, select, limit: await insertsPerSecond(address, body) };
}

/** What the database allows at best: single rows, a transaction each, over the same number of connections. */
async function insertsPerSecond(address: string, body: object): Promise<number> {
  const pool = new pg.Pool({ connectionString: address, max: connections });
  let left = inserts;
  const began = performance.now();
  await Promise.all(
    Array.from({ length: connections }, async () => {
      const client = await pool.connect();
      for (; left > 0; left -= 1)
        await client.query({
          name: 'insert',
          text: 'insert into bare (id, body) values ($1, $2)',
          values: [randomUUID(), body],
        });
      client.release();
    }),
  );
  await pool.end();
  return inserts / ((performance.now() - began) / 1_000);
}

/** The service on this database, with a landscape of its own, for as long as `use` takes. */
async function withService<Result>(
  address: string,
  settings: Readonly<Record<string, string>>,
  use: (service: Service) => Promise<Result>,
): Promise<Result> {
  await using landscape = new ServiceProcess('../bin/landscape.ts', {
    LANDSCAPE_PORT: '0',
    LANDSCAPE_SPEED: '60',
  });
  await using folder = await mkdtempDisposable(join(tmpdir(), 'kyma-bench-'));
  const kubeconfig = join(folder.path, 'kubeconfig');
  const world = await landscape.address;
  await writeFile(kubeconfig, await (await fetch(`${world}/gardener/kubeconfig`)).text());
  await using provisioner = new ServiceProcess('../bin/provisioner.ts', {
    DATABASE_URL: address,
    DATABASE_CONNECTIONS: `${connections}`,
    ENCRYPTION_KEYS: `bench:${Buffer.alloc(32).toString('base64')}`,
    AUTHENTICATION: 'off',
    PROVISIONER_PORT: '0',
    GARDENER_PROJECT: 'kyma',
    GARDENER_KUBECONFIG_PATH: kubeconfig,
    ...settings,
  });
  const graphql = `${await provisioner.address}/graphql`;
  using all = new Callers(callers);
  return await use({ landscape, provisioner, graphql, all });
}

type Service = {
  readonly landscape: ServiceProcess;
  readonly provisioner: ServiceProcess;
  readonly graphql: string;
  readonly all: Callers;
};

/** Requests alone: one worker keeps the engine from taking the CPU that they need. */
const measureApi = (address: string) =>
  withService(address, { PROVISIONER_WORKERS: '1' }, async ({ provisioner, graphql, all }) => {
    const ids: string[] = [];
    const keep = (answer: string) => ids.push(operationIn(answer));
    const first = 100;
    await all.call(graphql, first, (index) => provisioning(index), keep);
    const provision = await measured(provisioner, accepted, () =>
      all.call(graphql, accepted, (index) => provisioning(first + index), keep),
    );
    const question = (index: number) => ({
      query: `{ result: runtimeOperationStatus(id: "${ids[index % ids.length]}") ${operationFields} }`,
    });
    await all.call(graphql, 1_000, question, operationIn);
    const status = await measured(provisioner, queries, () =>
      all.call(graphql, queries, question, operationIn),
    );
    return { provision, status };
  });

async function measured(process: ServiceProcess, requests: number, work: () => Promise<Load>) {
  const before = await process.used();
  const load = await work();
  return { ...load, cpu: ((await process.used()).cpu - before.cpu) / requests };
}

/** Throws if it was refused. */
function operationIn(answer: string): string {
  const { data, errors } = JSON.parse(answer) as { data?: Answer; errors?: object }; // as GraphQL answers
  if (errors || !data) throw new Error(answer.slice(0, 500));
  return data.result.id;
}

type Answer = { readonly result: { readonly id: string } };

const measureFleet = (url: string, address: string) =>
  withService(address, {}, async ({ landscape, provisioner, graphql, all }) => {
    await all.call(graphql, 100, (index) => provisioning(runtimes + index), operationIn); // all code is loaded then
    await untilAllSucceeded(address, 100);
    const idle = await provisioner.used();
    const outside = await landscape.used();
    const cost = await serverCost(url);
    const began = performance.now();
    await all.call(graphql, runtimes, provisioning, operationIn);
    await untilAllSucceeded(address, 100 + runtimes);
    const seconds = (performance.now() - began) / 1_000;
    const { peak, cpu } = await provisioner.used();
    const after = await serverCost(url);
    return {
      seconds,
      peak,
      idle: idle.peak,
      cpu: cpu - idle.cpu,
      landscape: (await landscape.used()).cpu - outside.cpu,
      postgres: (after.cpu ?? NaN) - (cost.cpu ?? NaN),
    };
  });

const provisioning = (index: number) => ({
  query: `mutation { result: provisionRuntime(config: ${literal(order('azure', { name: `p-${index}` }))}) ${operationFields} }`,
});

async function untilAllSucceeded(address: string, wanted: number): Promise<void> {
  const client = new pg.Client({ connectionString: address });
  await client.connect();
  for (;;) {
    const { rows } = await client.query<{ state: string; count: number }>(
      'select state, count(*)::int as count from provisioner.operations group by state',
    );
    const count = (state: string) => rows.find((row) => row.state === state)?.count ?? 0;
    if (count('failed') > 0) throw new Error(`${count('failed')} runtimes have failed`);
    if (count('succeeded') === wanted) break;
    await sleep(100);
  }
  await client.end();
}

function figuresOf(rounds: readonly Round[]): Figure[] {
  const figures: Figure[] = [];
  const add = (subject: string, metric: string, value: (round: Round) => number, unit: string) =>
    figures.push({ bench: 'provisioner', subject, metric, value: median(rounds.map(value)), unit });
  const addLoad = (subject: string, name: string, load: (round: Round) => Measured) => {
    add(subject, `${name}_per_second`, (round) => load(round).perSecond, 'requests/s');
    add(subject, `${name}_p50`, (round) => load(round).p50, 'ms');
    add(subject, `${name}_p99`, (round) => load(round).p99, 'ms');
    add(subject, `${name}_process_cpu`, (round) => load(round).cpu * 1_000, 'ms per request');
  };
  addLoad('ours', 'provisionRuntime', ({ ours }) => ours.provision);
  addLoad('ours', 'runtimeOperationStatus', ({ ours }) => ours.status);
  addLoad('bare route', 'provisionRuntime', ({ bare }) => bare.insert);
  addLoad('bare route', 'runtimeOperationStatus', ({ bare }) => bare.select);
  add('limit', 'provisionRuntime_per_second', ({ limit }) => limit, 'requests/s');
  const beside = (mine: Measured, other: Measured) => mine.perSecond / other.perSecond;
  const share = 'of the bare route';
  add(
    'ours',
    'provisionRuntime_share',
    ({ ours, bare }) => beside(ours.provision, bare.insert),
    share,
  );
  add(
    'ours',
    'runtimeOperationStatus_share',
    ({ ours, bare }) => beside(ours.status, bare.select),
    share,
  );
  add('ours', 'runtimes_at_once', () => runtimes, 'runtimes');
  add('ours', 'all_ready_after', ({ fleet }) => fleet.seconds, 's');
  add('ours', 'rss_before', ({ fleet }) => fleet.idle, 'MiB');
  add('ours', 'rss_peak', ({ fleet }) => fleet.peak, 'MiB');
  const per = (seconds: number) => (seconds / runtimes) * 1_000;
  add('ours', 'process_cpu_per_runtime', ({ fleet }) => per(fleet.cpu), 'ms');
  add('ours', 'postgres_cpu_per_runtime', ({ fleet }) => per(fleet.postgres), 'ms');
  add('ours', 'landscape_cpu_per_runtime', ({ fleet }) => per(fleet.landscape), 'ms');
  return figures;
}
