import { pino, type Logger } from 'pino';
import type { z } from 'zod';
import { BadSettings, readSettings } from '#config';

/** One service as a process: settings from the environment, SIGTERM and SIGINT end it, a bad setting stops it by name. */
export async function runService<Schema extends z.ZodType<{ readonly LOG_LEVEL: string }>>(
  name: string,
  schema: Schema,
  run: (
    config: z.output<Schema>,
    log: Logger,
    shutdown: AbortSignal,
    onReady: (address: string) => void,
  ) => Promise<void>,
): Promise<void> {
  try {
    const config = readSettings(schema, process.env);
    const log = pino({ level: config.LOG_LEVEL, base: { service: name } });
    const shutdown = new AbortController();
    for (const signal of ['SIGINT', 'SIGTERM'] as const)
      process.once(signal, () => shutdown.abort());
    await run(config, log, shutdown.signal, (address) => log.info({ address }, 'ready'));
  } catch (error) {
    const message = inWords(error);
    if (message === undefined) throw error;
    console.error(message);
    process.exitCode = error instanceof BadSettings ? 2 : 1;
  }
}

/** What people can mend needs no stack. */
export function inWords(error: unknown): string | undefined {
  if (error instanceof BadSettings) return error.message;
  const { code, port } = error as { readonly code?: string; readonly port?: number };
  if (code === 'EADDRINUSE')
    return `port ${port} is in use: stop what listens there, or choose another one`;
  return undefined;
}
