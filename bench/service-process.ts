// A service as operators run it, in a process of its own, seen from outside.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

export class ServiceProcess {
  readonly #child;
  readonly #exited;
  readonly #address = Promise.withResolvers<string>();

  /** The program of this path, seen from here. */
  constructor(
    program: string,
    settings: Readonly<Record<string, string>>,
    ...words: readonly string[]
  ) {
    const path = fileURLToPath(new URL(program, import.meta.url));
    this.#child = spawn(process.execPath, [...flags, path, ...words], {
      env: { PATH: process.env['PATH'], ...settings },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    this.#exited = once(this.#child, 'exit');
    void this.#exited.then(() => this.#address.reject(new Error(`${program} has ended`)));
    createInterface(this.#child.stdout).on('line', (line) => {
      const [address] = /http:\/\/[\w.:]+\d/.exec(line) ?? [];
      if (address !== undefined) this.#address.resolve(address);
    });
  }

  /** The first one that it has told. */
  get address(): Promise<string> {
    return this.#address.promise;
  }

  /** Megabytes and seconds, by the kernel's count (Linux only). */
  async used(): Promise<{ readonly peak: number; readonly cpu: number }> {
    if (process.platform !== 'linux') return { peak: NaN, cpu: NaN };
    const read = (file: string) => readFile(`/proc/${this.#child.pid}/${file}`, 'utf8');
    const [status, stat] = await Promise.all([read('status'), read('stat')]);
    const [user, system] = stat
      .slice(stat.lastIndexOf(')') + 2)
      .split(' ')
      .slice(11, 13)
      .map(Number);
    const peak = Number(/VmHWM:\s+(\d+) kB/.exec(status)?.[1]) / 1_024;
    return { peak, cpu: ((user ?? NaN) + (system ?? NaN)) / 100 };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#child.kill('SIGTERM');
    await this.#exited;
  }
}

/** NODE_FLAGS='--cpu-prof --cpu-prof-dir=…' shows where a service spends its time. */
const flags = (process.env['NODE_FLAGS'] ?? '').split(' ').filter((flag) => flag !== '');
