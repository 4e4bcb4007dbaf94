import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

/** A replica that runs as a process of its own, and what it says. */
export class ReplicaProcess {
  readonly #child: ChildProcess;
  readonly #said: string[] = [];
  readonly #waiting = new Set<() => void>();
  readonly exited: Promise<unknown>;

  constructor(database: string, world: string, ...killAt: string[]) {
    const program = join(import.meta.dirname, 'replica.ts');
    this.#child = spawn(process.execPath, [program, database, world, ...killAt], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    this.exited = once(this.#child, 'exit');
    createInterface(this.#child.stdout!).on('line', (line) => {
      this.#said.push(line);
      for (const look of this.#waiting) look();
    });
  }

  get isDead(): boolean {
    return this.#child.exitCode !== null || this.#child.signalCode !== null;
  }

  kill(signal: NodeJS.Signals): void {
    this.#child.kill(signal);
  }

  hasSaid(text: string): boolean {
    return this.#said.some((line) => line.includes(text));
  }

  async says(text: string): Promise<void> {
    while (!this.hasSaid(text)) {
      await new Promise<void>((resolve) => {
        const look = () => {
          this.#waiting.delete(look);
          resolve();
        };
        this.#waiting.add(look);
      });
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#child.kill('SIGCONT');
    this.#child.kill('SIGKILL');
    await this.exited;
  }
}
