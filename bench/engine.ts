// The engine beside three others, and beside what the database allows: the same work, on the same PostgreSQL, one after
// the other and round after round, so that what disturbs the machine disturbs all of them.
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { onServer, withDatabase } from './databases.ts';
import { median, percentile, type Figure } from './report.ts';
import { serverCost, untilDeserted } from './server-cost.ts';
import { burst, trickle, type SubjectResult, type Workload } from './workload.ts';

const subjects = {
  ours: 'subjects/ours.ts',
  'pg-boss': 'peers/pg-boss.ts',
  'pg-boss-batch': 'peers/pg-boss-batch.ts',
  'graphile-worker': 'peers/graphile-worker.ts',
  dbos: 'peers/dbos.ts',
} as const;

/** Each finished stage and each wait: what an operation waits for before it goes on. */
const savesPerOperation = burst.stages + burst.waits;

type Measured = SubjectResult & {
  readonly transactions: number;
  readonly serverCpu: number | null;
};

export async function benchEngine(url: string, rounds: number): Promise<Figure[]> {
  const runs = new Map<string, { burst: Measured[]; trickle: Measured[] }>();
  const limits: number[] = [];
  const programs = Object.entries(subjects).filter(([, program]) => existsSync(here(program)));
  for (let round = 1; round <= rounds; round += 1) {
    const updates = { ...burst, operations: 20_000 };
    progress(`round ${round} of ${rounds}: limit`);
    limits.push(updates.operations / (await measure(url, 'subjects/limit.ts', updates)).seconds);
    for (const [subject, program] of programs) {
      progress(`round ${round} of ${rounds}: ${subject}`);
      const measured = runs.get(subject) ?? { burst: [], trickle: [] };
      measured.burst.push(await measure(url, program, burst));
      measured.trickle.push(await measure(url, program, trickle));
      runs.set(subject, measured);
    }
  }
  return figuresOf(runs, median(limits));
}

function figuresOf(
  runs: ReadonlyMap<string, { burst: Measured[]; trickle: Measured[] }>,
  updatesPerSecond: number,
): Figure[] {
  const figures: Figure[] = [];
  const add = (subject: string, metric: string, value: number, unit: string) =>
    figures.push({ bench: 'engine', subject, metric, value, unit });
  const rates = new Map<string, number>();
  for (const [subject, measured] of runs) {
    const per = (value: (run: Measured) => number | null) =>
      median(measured.burst.map((run) => (value(run) ?? NaN) / burst.operations));
    const rate = 1 / per(({ seconds }) => seconds);
    rates.set(subject, rate);
    const transactions = per((run) => run.transactions);
    const lateness = measured.trickle.flatMap((run) => run.lateness);
    add(subject, 'operations_per_second', rate, 'operations/s');
    add(subject, 'transactions_per_operation', transactions, 'transactions');
    add(subject, 'postgres_cpu_per_operation', per((run) => run.serverCpu) * 1_000, 'ms');
    add(subject, 'process_cpu_per_operation', per((run) => run.cpu) * 1_000, 'ms');
    add(subject, 'wake_up_lateness_p50', percentile(lateness, 0.5), 'ms');
    add(subject, 'wake_up_lateness_p99', percentile(lateness, 0.99), 'ms');
  }
  const ours = rates.get('ours') ?? NaN;
  const best = (others: readonly string[]) =>
    Math.max(...others.map((subject) => rates.get(subject) ?? NaN));
  // What the database would allow if each time an operation stores something were a transaction of its own.
  const limit = updatesPerSecond / savesPerOperation;
  add('limit', 'operations_per_second', limit, 'operations/s');
  add('limit', 'transactions_per_operation', savesPerOperation, 'transactions');
  add('limit', 'updates_per_second', updatesPerSecond, 'updates/s');
  add('ours', 'saves_per_operation', savesPerOperation, 'saves');
  if (rates.size > 1) {
    const atomic = best(['pg-boss', 'graphile-worker', 'dbos']);
    add('ours', 'times_the_best_other', ours / atomic, 'target: at least 3');
    add('ours', 'times_pg_boss_batch', ours / best(['pg-boss-batch']), 'without a target');
  }
  add('ours', 'share_of_the_limit', ours / limit, 'target: at least 0.5');
  return figures;
}

const measure = (url: string, program: string, workload: Workload): Promise<Measured> =>
  withDatabase(url, async (address, name) => {
    const child = spawn(process.execPath, [here(program), address, JSON.stringify(workload)], {
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    const exited = once(child, 'exit');
    const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
    const line = async (what: string) => {
      const { value, done } = await lines.next();
      if (done) throw new Error(`${program} has ended without a ${what}`);
      return value;
    };
    await line('word that it is ready');
    // The planner knows the tables as autovacuum lets it know them in a database that lives longer than a benchmark.
    await onServer(address, 'analyze');
    const before = await serverCost(url);
    child.stdin.write('go\n');
    const result = JSON.parse(await line('result')) as SubjectResult; // printed by runSubject
    await exited;
    await untilDeserted(url, name);
    const after = await serverCost(url);
    return {
      ...result,
      transactions: after.transactions - before.transactions,
      serverCpu: after.cpu === null || before.cpu === null ? null : after.cpu - before.cpu,
    };
  });

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));
const progress = (what: string) => process.stderr.write(`${what}\n`);
