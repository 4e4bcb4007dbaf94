// What ten thousand waiting operations cost a replica, and how soon another one takes over when it is killed.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { setTimeout as sleep } from 'node:timers/promises';
import { pino } from 'pino';
import { createKeyring, openDatabase, type Database } from '#database';
import { done, Engine, operation } from '#engine';
import { withDatabase } from './databases.ts';
import { percentile, type Figure } from './report.ts';

const waitingOperations = 10_000;
const runningOperations = 500;

export const benchWaiting = (url: string): Promise<Figure[]> =>
  withDatabase(url, async (address) => {
    await using replica = new Replica(address);
    await replica.hears('ready');
    await using database = await openDatabase({ url: address, schema: 'ours' });
    const { engine, start } = callerOf(database);
    await start('waiting', 1); // everything that is loaded late is loaded now
    await sleep(500);
    const idle = await replica.asks();
    await start('waiting', waitingOperations);
    await untilCount(database, `due_at > now() and claimed_by is null`, waitingOperations + 1);
    await sleep(1_000);
    const busy = await replica.asks();
    const [sample] = await engine.ofSubject('waiting-7');
    if (!sample || engine.explain(sample).activity !== 'waiting')
      throw new Error('it does not wait');
    const figure = (metric: string, value: number, unit: string) => ({
      bench: 'waiting',
      subject: 'ours',
      metric,
      value,
      unit,
    });
    return [
      figure('operations_waiting', waitingOperations, 'operations'),
      figure('rss_idle', idle.rss / 2 ** 20, 'MiB'),
      figure('rss_with_all_waiting', busy.rss / 2 ** 20, 'MiB'),
      figure('rss_growth', (busy.rss - idle.rss) / 2 ** 20, 'MiB, target: below 100'),
      figure('workers_held', busy.running, 'target: 0'),
    ];
  });

export const benchTakeover = (url: string, rounds: number): Promise<Figure[]> =>
  withDatabase(url, async (address) => {
    const delays: number[] = [];
    for (let round = 1; round <= rounds; round += 1) {
      await using victim = new Replica(address, '1000');
      await victim.hears('ready');
      await using database = await openDatabase({ url: address, schema: 'ours' });
      const { start } = callerOf(database);
      await start('running', runningOperations, round);
      await victim.holds(runningOperations);
      await using survivor = new Replica(address, '1000');
      await survivor.hears('ready');
      await sleep(Math.random() * 4_000); // anywhere between two looks of the survivor
      const killedAt = Date.now();
      victim.kill();
      const taken = await survivor.holds(runningOperations);
      delays.push(...taken.map((at) => at - killedAt));
      await database.pool.query(
        `update operations set state = 'canceled', claimed_by = null, due_at = null, ended_at = now(), epoch = epoch + 1
          where state = 'in progress'`,
      );
    }
    const figure = (metric: string, value: number, unit: string) => ({
      bench: 'takeover',
      subject: 'ours',
      metric,
      value,
      unit,
    });
    return [
      figure('operations_running', runningOperations, 'operations'),
      figure('takeover_p50', percentile(delays, 0.5), 'ms'),
      figure('takeover_p99', percentile(delays, 0.99), 'ms, target: at most 5000'),
      figure('takeover_max', Math.max(...delays), 'ms'),
    ];
  });

/** Accepts operations, and runs none. */
function callerOf(database: Database) {
  const names = ['waiting', 'running'].map((type) =>
    operation(type).stage('one', { name: 'Elsewhere', run: async () => done() }),
  );
  const keyring = createKeyring({ current: 'bench', keys: { bench: new Uint8Array(32) } });
  const engine = new Engine({
    database,
    operations: names,
    keyring,
    log: pino({ level: 'error' }),
  });
  const start = async (type: string, count: number, round = 0) => {
    for (let first = 0; first < count; first += 50) {
      const some = Array.from({ length: Math.min(50, count - first) }, (_, index) => first + index);
      await Promise.all(
        some.map((n) =>
          engine.start(
            type,
            `${type}-${round ? `${round}-` : ''}${n}${count === 1 ? '-first' : ''}`,
            {},
          ),
        ),
      );
    }
  };
  return { engine, start };
}

async function untilCount(database: Database, condition: string, wanted: number): Promise<void> {
  for (;;) {
    const { rows } = await database.pool.query<{ count: number }>(
      `select count(*)::int as count from operations where ${condition}`,
    );
    if (rows[0]?.count === wanted) return;
    await sleep(50);
  }
}

class Replica {
  readonly #child;
  readonly #exited;
  readonly #heard: string[] = [];
  #onLine = () => {};

  constructor(...words: string[]) {
    const program = fileURLToPath(new URL('subjects/replica.ts', import.meta.url));
    this.#child = spawn(process.execPath, [program, ...words], {
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    this.#exited = once(this.#child, 'exit');
    createInterface(this.#child.stdout).on('line', (line) => {
      this.#heard.push(line);
      this.#onLine();
    });
  }

  async hears(word: string, count = 1): Promise<string[]> {
    for (;;) {
      const lines = this.#heard.filter((line) => line.includes(`"${word}"`));
      if (lines.length >= count) return lines;
      await new Promise<void>((resolve) => {
        this.#onLine = resolve;
      });
    }
  }

  async asks(): Promise<{ rss: number; running: number }> {
    const before = this.#heard.filter((line) => line.includes('"rss"')).length;
    this.#child.stdin.write('\n');
    const answers = await this.hears('rss', before + 1);
    return JSON.parse(answers.at(-1) ?? '') as { rss: number; running: number }; // as subjects/replica.ts says it
  }

  /** When it took up each of them. */
  async holds(count: number): Promise<number[]> {
    const lines = await this.hears('holds', count);
    return lines.map((line) => (JSON.parse(line) as { at: number }).at); // as subjects/replica.ts says it
  }

  kill(): void {
    this.#child.kill('SIGKILL');
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.kill();
    await this.#exited;
  }
}
