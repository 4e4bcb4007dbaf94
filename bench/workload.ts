import { once } from 'node:events';

// What every engine is asked to do, and what it reports. A subject is a program of its own, so that none shares a
// process, a heap or a connection with another.

export type Workload = {
  readonly operations: number;
  /** State is stored durably after each. */
  readonly stages: number;
  /** The stages from the second on wait once each before they go on, this many in all. */
  readonly waits: number;
  readonly pause: number;
  /** Milliseconds between two new operations; 0 means all are there before the work begins. */
  readonly pace: number;
  readonly connections: number;
};

export const burst: Workload = {
  operations: 2_000,
  stages: 5,
  waits: 3,
  pause: 50,
  pace: 0,
  connections: 10,
};
/** Near idle: a late wake-up is then the engine's doing, not the queue's. */
export const trickle: Workload = { ...burst, operations: 30, pace: 210 };

export const waitsAt = (workload: Workload, stage: number) => stage >= 1 && stage <= workload.waits;

/** About what an operation learns in a stage. */
export const learned = (stage: number) => ({
  stage,
  resource: `resource-of-stage-${stage}`,
  note: 'x'.repeat(100),
});

export type SubjectResult = {
  readonly seconds: number;
  /** Milliseconds by which each wait was longer than asked for, as the subject's own code saw it. */
  readonly lateness: readonly number[];
  /** CPU seconds of the subject's process during the work. */
  readonly cpu: number;
};

/** Measures from the moment the engine may work until the last operation is done. */
export class Stopwatch {
  readonly #due = new Map<string, number>();
  readonly #lateness: number[] = [];
  readonly #workload: Workload;
  readonly #finished = Promise.withResolvers<void>();
  #left: number;
  #begun = 0;
  #cpu = process.cpuUsage();

  constructor(workload: Workload) {
    this.#workload = workload;
    this.#left = workload.operations;
  }

  begin(): void {
    this.#begun = performance.now();
    this.#cpu = process.cpuUsage();
  }

  waiting(operation: string): void {
    this.#due.set(operation, performance.now() + this.#workload.pause);
  }

  woken(operation: string): void {
    const due = this.#due.get(operation);
    if (due === undefined) return;
    this.#lateness.push(performance.now() - due);
    this.#due.delete(operation);
  }

  ended(): void {
    this.#left -= 1;
    if (this.#left === 0) this.#finished.resolve();
  }

  async result(): Promise<SubjectResult> {
    await this.#finished.promise;
    const seconds = (performance.now() - this.#begun) / 1_000;
    const { user, system } = process.cpuUsage(this.#cpu);
    return { seconds, lateness: this.#lateness, cpu: (user + system) / 1e6 };
  }
}

/** Calls `create` for each operation, at the workload's pace. */
export async function createAll(
  workload: Workload,
  create: (index: number) => Promise<unknown>,
): Promise<void> {
  if (workload.pace === 0) {
    for (let index = 0; index < workload.operations; index += 100) {
      const some = Math.min(100, workload.operations - index);
      await Promise.all(Array.from({ length: some }, (_, offset) => create(index + offset)));
    }
    return;
  }
  for (let index = 0; index < workload.operations; index += 1) {
    await create(index);
    await new Promise((resolve) => setTimeout(resolve, workload.pace));
  }
}

/** What a subject does once everything is in place. */
export type Prepared = {
  readonly begin: () => void | Promise<void>;
  readonly stop: () => Promise<void>;
};

/**
 * The main program of a subject, `node subject.ts <url> <workload>`: gets everything ready, says so, begins when it is
 * told to, and prints its result as one line of JSON.
 */
export async function runSubject(
  prepare: (url: string, workload: Workload, stopwatch: Stopwatch) => Promise<Prepared>,
): Promise<void> {
  const [url = '', words = ''] = process.argv.slice(2);
  const workload = JSON.parse(words) as Workload; // from bench/engine.ts
  const stopwatch = new Stopwatch(workload);
  const { begin, stop } = await prepare(url, workload, stopwatch);
  console.log('ready');
  await once(process.stdin, 'data');
  stopwatch.begin();
  await begin();
  console.log(JSON.stringify(await stopwatch.result()));
  await stop();
  process.exit(0);
}
