import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

export type BrokerProcess = {
  readonly pid: number;
  readonly url: string;
  readonly kill: (signal: NodeJS.Signals) => Promise<void>;
};

const program = join(import.meta.dirname, 'replica.ts');

/** A broker in a process of its own, as soon as it answers. */
export async function startBrokerProcess(...options: readonly string[]): Promise<BrokerProcess> {
  const child: ChildProcess = spawn(process.execPath, [program, ...options], {
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
  return {
    pid: child.pid ?? 0,
    url,
    async kill(signal) {
      child.kill(signal);
      await exited;
    },
  };
}
