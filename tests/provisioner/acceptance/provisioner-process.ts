import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

/** `bin/provisioner.ts` as a process of its own, to be killed. */
export class ProvisionerProcess {
  readonly #child: ChildProcess;
  readonly exited: Promise<unknown>;
  /** Where it listens. */
  readonly url: Promise<string>;

  constructor(environment: Readonly<Record<string, string>>) {
    const program = join(import.meta.dirname, '../../../bin/provisioner.ts');
    this.#child = spawn(process.execPath, [program], {
      env: environment,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    this.exited = once(this.#child, 'exit');
    const { promise, resolve, reject } = Promise.withResolvers<string>();
    this.url = promise;
    createInterface(this.#child.stdout!).on('line', (line) => {
      const { msg, address } = JSON.parse(line) as { msg: string; address?: string }; // pino's lines
      if (msg === 'ready' && address) resolve(address);
    });
    void this.exited.then(() => reject(new Error('the provisioner has ended before it was ready')));
    promise.catch(() => undefined); // whoever waits for it hears of it
  }

  kill(signal: NodeJS.Signals = 'SIGKILL'): void {
    this.#child.kill(signal);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.kill();
    await this.exited;
  }
}
