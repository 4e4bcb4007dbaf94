import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';

export type TaskOptions = {
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly signal: AbortSignal;
  readonly onOutput: (line: string) => void;
  readonly onNote: (line: string) => void;
};

/** Runs a program, tells its lines as they come, and gives its exit code. */
export async function runTask(
  program: string,
  args: readonly string[],
  { environment, signal, onOutput, onNote }: TaskOptions,
): Promise<number> {
  const child = spawn(program, args, {
    env: { ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
    signal,
  });
  const told = [tell(child.stdout, onOutput), tell(child.stderr, onNote)];
  // `once` throws what cannot be started.
  const [code] = (await once(child, 'close')) as [number | null];
  await Promise.all(told);
  return code ?? 1;
}

async function tell(stream: Readable, line: (text: string) => void): Promise<void> {
  for await (const text of createInterface({ input: stream })) line(text);
}
