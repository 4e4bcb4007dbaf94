import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

export type BrokerProcess = AsyncDisposable & {
  readonly pid: number;
  readonly url: string;
  readonly kill: (signal: NodeJS.Signals) => Promise<void>;
};

const program = join(import.meta.dirname, 'replica.ts');
/** Modules that need not be compiled again: it is there the sooner. */
const compiled = join(import.meta.dirname, '../../node_modules/.cache/node');

/** A broker in a process of its own, as soon as it answers. */
export async function startBrokerProcess(...options: readonly string[]): Promise<BrokerProcess> {
  const child: ChildProcess = spawn(process.execPath, [program, ...options], {
    env: { ...process.env, NODE_COMPILE_CACHE: compiled },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const exited = once(child, 'exit');
  const { stdout } = child;
  if (!stdout) throw new Error('a broker without a voice');
  const [line] = (await Promise.race([
    once(createInterface(stdout), 'line'),
    exited.then(() => {
      throw new Error('a broker has ended before it began');
    }),
  ])) as [string];
  const { url } = JSON.parse(line) as { url: string };
  const kill = async (signal: NodeJS.Signals) => {
    child.kill(signal);
    await exited;
  };
  return { pid: child.pid ?? 0, url, kill, [Symbol.asyncDispose]: () => kill('SIGKILL') };
}
