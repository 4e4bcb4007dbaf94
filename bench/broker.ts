// The broker as operators run it, with the landscape as the world outside: what its API costs beside a bare route, how long
// an order takes to be accepted while a hundred callers order, and a thousand runtimes at once.
import { mkdtempDisposable, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { demoSettings } from '../bin/wiring/demo-settings.ts';
import { Callers, type Load } from './callers.ts';
import { withDatabase } from './databases.ts';
import { median, type Figure } from './report.ts';
import { serverCost } from './server-cost.ts';
import { ServiceProcess } from './service-process.ts';

const asPlatform = { 'x-broker-api-version': '2.17' };
const readers = 20;
const reads = 5_000;
const orderers = 100;
const orders = 1_000;
const runtimes = 1_000;
const serviceId = '47c9dcbf-ff30-448e-ab36-d3bad66ba281';
const azure = '4deee563-e5ec-4731-b9b1-53b42d855f0c';

type Measured = Load & { readonly cpu: number };
type Reads = { readonly catalog: Measured; readonly lastOperation: Measured };
type Round = {
  readonly bare: Reads;
  readonly ours: Reads & { readonly provision: Measured };
  readonly fleet: Awaited<ReturnType<typeof measureFleet>>;
};

export async function benchBroker(url: string, rounds: number): Promise<Figure[]> {
  const measured: Round[] = [];
  for (let round = 1; round <= rounds; round += 1) {
    process.stderr.write(`round ${round} of ${rounds}: broker\n`);
    const { catalog, ...ours } = await withDatabase(url, measureApi);
    const bare = await measureBare(catalog.text);
    const fleet = await withDatabase(url, (address) => measureFleet(url, address));
    measured.push({ bare, ours: { ...ours, catalog: catalog.load }, fleet });
  }
  return figuresOf(measured);
}

/** The same answers, by nobody who thinks. */
async function measureBare(catalog: string): Promise<Reads> {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'kyma-bench-'));
  const file = join(folder.path, 'catalog.json');
  await writeFile(file, catalog);
  await using service = new ServiceProcess('subjects/bare-osb.ts', {}, file);
  const at = await service.address;
  using all = new Callers(readers);
  return {
    catalog: await reading(all, service, () => `${at}/catalog`),
    lastOperation: await reading(all, service, () => `${at}/last_operation`),
  };
}

async function reading(
  all: Callers,
  service: ServiceProcess,
  url: (index: number) => string,
): Promise<Measured> {
  const question = (index: number) => ({ method: 'GET', url: url(index) });
  await all.ask(reads / 5, question); // all code is compiled then
  return measured(service, reads, () => all.ask(reads, question));
}

type Service = {
  readonly landscape: ServiceProcess;
  readonly broker: ServiceProcess;
  readonly osb: string;
};

/** The broker on this database, with a landscape of its own, for as long as `use` takes. */
export async function withService<Result>(
  address: string,
  { speed, ...settings }: Readonly<Record<string, string>> & { readonly speed: string },
  use: (service: Service) => Promise<Result>,
): Promise<Result> {
  await using landscape = new ServiceProcess('../bin/landscape.ts', {
    LANDSCAPE_PORT: '0',
    LANDSCAPE_SPEED: speed,
  });
  await using folder = await mkdtempDisposable(join(tmpdir(), 'kyma-bench-'));
  const world = await landscape.address;
  const demo = await demoSettings({
    databaseUrl: address,
    landscapeUrl: world,
    directory: folder.path,
  });
  await using broker = new ServiceProcess('../bin/broker.ts', {
    ...demo.broker,
    AUTHENTICATION: 'off',
    BROKER_PORT: '0',
    PACE: speed,
    PROVISIONER_URL: `${world}/provisioner/graphql`, // the landscape's own: this is about the broker
    DIRECTOR_URL: '', // where that one registers nothing
    ...settings,
  });
  const osb = `${await broker.address}/oauth/cf-eu20/v2`;
  return await use({ landscape, broker, osb });
}

/** Requests alone: clusters take minutes here, and one worker keeps the engine from taking the CPU that requests need. */
const measureApi = (address: string) =>
  withService(address, { speed: '1', BROKER_WORKERS: '1' }, async ({ broker, osb }) => {
    using many = new Callers(orderers, asPlatform);
    await many.ask(orderers, (index) => order(osb, `first-${index}`)); // all code is loaded then
    await until(address, orderers, `step = 'Check_Runtime' and waiting_since is not null`);
    using few = new Callers(readers, asPlatform);
    let text = '';
    await few.ask(
      1,
      () => ({ method: 'GET', url: `${osb}/catalog` }),
      (answer) => {
        text = answer;
      },
    );
    const load = await reading(few, broker, () => `${osb}/catalog`);
    const lastOperation = await reading(few, broker, (index) => {
      const id = `first-${(index % orderers) + 1}`;
      return `${osb}/service_instances/${id}/last_operation`;
    });
    const provision = await measured(broker, orders, () =>
      many.ask(orders, (index) => order(osb, `i-${index}`)),
    );
    return { provision, catalog: { text, load }, lastOperation };
  });

export const order = (osb: string, id: string) => ({
  method: 'PUT',
  url: `${osb}/service_instances/${id}?accepts_incomplete=true`,
  body: {
    service_id: serviceId,
    plan_id: azure,
    context: { globalaccount_id: 'ga-bench', subaccount_id: `sa-${id}`, user_id: 'me@example.com' },
    parameters: { name: id, region: 'westeurope' },
  },
});

async function measured(process: ServiceProcess, requests: number, work: () => Promise<Load>) {
  const before = await process.used();
  const load = await work();
  return { ...load, cpu: ((await process.used()).cpu - before.cpu) / requests };
}

const measureFleet = (url: string, address: string) =>
  withService(address, { speed: '60' }, async ({ landscape, broker, osb }) => {
    using all = new Callers(orderers, asPlatform);
    await all.ask(orderers, (index) => order(osb, `first-${index}`)); // all code is loaded then
    await until(address, orderers, succeeded);
    const idle = await broker.used();
    const outside = await landscape.used();
    const cost = await serverCost(url);
    const began = performance.now();
    await all.ask(runtimes, (index) => order(osb, `r-${index}`));
    await until(address, orderers + runtimes, succeeded);
    const seconds = (performance.now() - began) / 1_000;
    const { peak, cpu } = await broker.used();
    const after = await serverCost(url);
    return {
      seconds,
      peak,
      idle: idle.peak,
      transactions: (after.transactions - cost.transactions) / runtimes,
      cpu: cpu - idle.cpu,
      landscape: (await landscape.used()).cpu - outside.cpu,
      postgres: (after.cpu ?? NaN) - (cost.cpu ?? NaN),
    };
  });

const succeeded = `state = 'succeeded'`;

/** So many operations are as the condition says, and none has failed. */
async function until(address: string, wanted: number, condition: string): Promise<void> {
  const client = new pg.Client({ connectionString: address });
  await client.connect();
  for (;;) {
    const { rows } = await client.query<{ there: number; failed: number }>(
      `select count(*) filter (where ${condition})::int as there,
              count(*) filter (where state = 'failed')::int as failed
         from broker.operations`,
    );
    const { there = 0, failed = 0 } = rows[0] ?? {};
    if (failed > 0) throw new Error(`${failed} runtimes have failed`);
    if (there === wanted) break;
    await sleep(100);
  }
  await client.end();
}

function figuresOf(rounds: readonly Round[]): Figure[] {
  const figures: Figure[] = [];
  const add = (subject: string, metric: string, value: (round: Round) => number, unit: string) =>
    figures.push({ bench: 'broker', subject, metric, value: median(rounds.map(value)), unit });
  const addLoad = (subject: string, name: string, load: (round: Round) => Measured) => {
    add(subject, `${name}_per_second`, (round) => load(round).perSecond, 'requests/s');
    add(subject, `${name}_p50`, (round) => load(round).p50, 'ms');
    add(subject, `${name}_p99`, (round) => load(round).p99, 'ms');
    add(subject, `${name}_process_cpu`, (round) => load(round).cpu * 1_000, 'ms per request');
  };
  for (const subject of ['ours', 'bare'] as const) {
    addLoad(subject, 'catalog', (round) => round[subject].catalog);
    addLoad(subject, 'last_operation', (round) => round[subject].lastOperation);
  }
  addLoad('ours', 'provision_accepted', ({ ours }) => ours.provision);
  const beside = (mine: Measured, other: Measured) => mine.perSecond / other.perSecond;
  add(
    'ours',
    'catalog_share',
    ({ ours, bare }) => beside(ours.catalog, bare.catalog),
    'of the bare route; target: at least 0.5',
  );
  add(
    'ours',
    'last_operation_share',
    ({ ours, bare }) => beside(ours.lastOperation, bare.lastOperation),
    'of the bare route, which reads no database; target: at least 0.33',
  );
  add('ours', 'runtimes_at_once', () => runtimes, 'runtimes');
  add('ours', 'all_ready_after', ({ fleet }) => fleet.seconds, 's');
  add('ours', 'transactions_per_operation', ({ fleet }) => fleet.transactions, 'transactions');
  add('ours', 'rss_before', ({ fleet }) => fleet.idle, 'MiB');
  add('ours', 'rss_peak', ({ fleet }) => fleet.peak, 'MiB');
  const per = (seconds: number) => (seconds / runtimes) * 1_000;
  add('ours', 'process_cpu_per_runtime', ({ fleet }) => per(fleet.cpu), 'ms');
  add('ours', 'postgres_cpu_per_runtime', ({ fleet }) => per(fleet.postgres), 'ms');
  add('ours', 'landscape_cpu_per_runtime', ({ fleet }) => per(fleet.landscape), 'ms');
  return figures;
}
