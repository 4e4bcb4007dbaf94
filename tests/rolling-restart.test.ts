// Two replicas of the broker as operators run them, behind something that does what a load balancer does: sends requests to
// whoever says it is ready, in turns. Both are replaced, one after the other, while platforms go on asking.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { test } from 'node:test';
import { seconds } from '#time';
import { demoSettings } from '../bin/wiring/demo-settings.ts';
import { eventually, temporaryDirectory, testDatabase } from '../src/database/testing.ts';
import { startLandscape } from '../src/landscape/testing.ts';

const speed = 2_000;
const patience = seconds(60);
/** Modules that need not be compiled again: a replica is there the sooner. */
const compiled = join(import.meta.dirname, '../node_modules/.cache/node');
const serviceId = '47c9dcbf-ff30-448e-ab36-d3bad66ba281';
const azure = '4deee563-e5ec-4731-b9b1-53b42d855f0c';

type Line = { readonly level: number; readonly msg: string; readonly address?: string };
const information = 30;

/** A broker that runs as a process of its own. `told`: its warnings, for those who wonder what went wrong. */
async function startReplica(settings: Readonly<Record<string, string>>, told: string[]) {
  const child = spawn(process.execPath, [join(import.meta.dirname, '../bin/broker.ts')], {
    env: { PATH: process.env['PATH'], NODE_COMPILE_CACHE: compiled, ...settings },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const exited = once(child, 'exit');
  const address = Promise.withResolvers<string>();
  createInterface(child.stdout).on('line', (line) => {
    const { msg, address: found, level } = JSON.parse(line) as Line;
    if (msg === 'ready' && found !== undefined) address.resolve(found);
    if (level > information) told.push(line);
  });
  void exited.then(() => address.reject(new Error('the broker has ended')));
  return {
    url: await address.promise,
    /** As a platform that replaces it does. */
    async stop(): Promise<number> {
      child.kill('SIGTERM');
      const [code] = (await exited) as [number];
      return code;
    },
    [Symbol.asyncDispose]: async () => {
      child.kill('SIGKILL');
      await exited;
    },
  };
}

/** Asks those who are ready, in turns, and looks ten times a second who that is: at each by itself, for one may be slow. */
class LoadBalancer implements AsyncDisposable {
  readonly #ready = new Map<string, boolean>();
  readonly #stop = new AbortController();
  readonly #looking: Promise<void>[] = [];
  #turn = 0;

  async add(url: string): Promise<void> {
    this.#ready.set(url, false);
    this.#looking.push(this.#lookAt(url));
    await eventually(async () => this.#ready.get(url), patience);
  }

  forget(url: string): void {
    this.#ready.delete(url);
  }

  pick(): string {
    const ready = [...this.#ready].filter(([, isReady]) => isReady);
    this.#turn += 1;
    return ready[this.#turn % ready.length]?.[0] ?? assert.fail('nobody is ready');
  }

  async #lookAt(url: string): Promise<void> {
    while (this.#ready.has(url) && !this.#stop.signal.aborted) {
      const answer = await fetch(`${url}/readyz`).catch(() => undefined);
      if (this.#ready.has(url)) this.#ready.set(url, answer?.ok === true);
      await answer?.body?.cancel();
      await sleep(100);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    await Promise.all(this.#looking);
  }
}

test('two replicas are replaced under load, and no request fails and no operation is lost', async (t) => {
  await using folder = await temporaryDirectory();
  await using landscape = await startLandscape({ speed });
  await using database = await testDatabase();
  const demo = await demoSettings({
    databaseUrl: database.url,
    landscapeUrl: landscape.url,
    directory: folder.path,
  });
  const settings = {
    ...demo.broker,
    AUTHENTICATION: 'off',
    BROKER_PORT: '0',
    // Steps look two thousand times as often as usual: they must not keep requests waiting for a connection.
    DATABASE_CONNECTIONS: '10',
    PACE: String(speed),
    PROVISIONER_URL: `${landscape.url}/provisioner/graphql`,
    DIRECTOR_URL: '', // where the landscape's own provisioner registers nothing
    SHUTDOWN_DRAIN: '2s',
  };
  const told: string[] = [];
  await using processes = new AsyncDisposableStack();
  await using balancer = new LoadBalancer();
  const start = async () => {
    const replica = processes.use(await startReplica(settings, told));
    await balancer.add(replica.url);
    return replica;
  };
  const [first, second] = await Promise.all([start(), start()]);

  const answers = new Map<string, number>();
  const failures: string[] = [];
  const ask = async (method: string, path: string, body?: object) => {
    let url = 'nobody';
    try {
      url = balancer.pick();
      const response = await fetch(`${url}/oauth/cf-eu20/v2${path}`, {
        method,
        headers: { 'x-broker-api-version': '2.17', 'content-type': 'application/json' },
        ...(body && { body: JSON.stringify(body) }),
      });
      answers.set(url, (answers.get(url) ?? 0) + 1);
      const text = await response.text();
      if (!response.ok) failures.push(`${method} ${path}: ${response.status} ${text}`);
      return JSON.parse(text) as Record<string, unknown>; // as the specification says
    } catch (error) {
      failures.push(`${method} ${path} at ${url}: ${String((error as Error).cause ?? error)}`);
      return {};
    }
  };

  const ordered: string[] = [];
  const over = new AbortController();
  processes.defer(() => over.abort()); // whatever becomes of the test
  const orderNext = async () => {
    const id = `i-${ordered.length}`;
    const { operation } = await ask('PUT', `/service_instances/${id}?accepts_incomplete=true`, {
      service_id: serviceId,
      plan_id: azure,
      context: {
        globalaccount_id: 'ga-1',
        subaccount_id: `sa-${id}`,
        user_id: 'me@example.com',
      },
      parameters: { name: id, region: 'westeurope' },
    });
    if (typeof operation === 'string') ordered.push(id);
  };
  const lastOf = async (id: string) =>
    (await ask('GET', `/service_instances/${id}/last_operation`))['state'];
  await orderNext();
  assert.deepEqual(failures, []);
  /** Some platforms, each of which asks again as soon as it has an answer. */
  const platforms = Array.from({ length: 4 }, async () => {
    while (!over.signal.aborted) {
      await ask('GET', '/catalog');
      await lastOf(ordered[Math.floor(ordered.length / 2)] ?? assert.fail());
      await sleep(20);
    }
  });
  const orders = (async () => {
    while (!over.signal.aborted) {
      await orderNext();
      await sleep(200);
    }
  })();

  const hasItsShare = ({ url }: { readonly url: string }) =>
    eventually(async () => (answers.get(url) ?? 0) > 20, patience);
  await Promise.all([first, second].map(hasItsShare));
  const [third, firstCode] = await Promise.all([start(), first.stop()]);
  balancer.forget(first.url);
  const [fourth, secondCode] = await Promise.all([start(), second.stop()]);
  balancer.forget(second.url);
  assert.deepEqual([firstCode, secondCode], [0, 0]);
  await Promise.all([third, fourth].map(hasItsShare));
  over.abort();
  await Promise.all([...platforms, orders]);

  assert.deepEqual(failures, [], told.join('\n'));
  const states = await eventually(async () => {
    const all = await Promise.all(ordered.map(lastOf));
    return !all.includes('in progress') && all;
  }, patience);
  assert.deepEqual(
    states,
    ordered.map(() => 'succeeded'),
    told.join('\n'),
  );
  const { runtimes } = landscape.inventory()['provisioner'] ?? assert.fail();
  assert.equal(runtimes?.length, ordered.length);
  const total = [...answers.values()].reduce((sum, count) => sum + count, 0);
  t.diagnostic(`${total} requests, ${ordered.length} of them orders`);
});
