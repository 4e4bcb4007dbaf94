import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Binaries } from './embedded-binaries.ts';
import { readPostmasterFile } from './postmaster-file.ts';
import { spawnAs, type ServerUser } from './server-user.ts';

export type Launch =
  | { readonly kind: 'running'; readonly url: string; readonly stop: () => Promise<void> }
  | { readonly kind: 'ended'; readonly log: string };

// Our end of the supervisor's input closes when we close it, and also when we are killed: then the server is told to
// shut down (SIGINT: without waiting for clients). A plain child would live on.
const supervisor = `
log=$1; shift
exec 3<&0 </dev/null 2>>"$log"
"$@" 3<&- >>"$log" & server=$!
echo $server; exec >&-
{ read -r _ <&3; kill -INT $server; } & watcher=$!
exec 3<&-
wait $server
kill $watcher 2>/dev/null
`;

/** Starts the server and waits until it takes connections, or has ended (another one may have the directory). */
export async function launchPostgres(options: {
  readonly dataDirectory: string;
  readonly socketDirectory: string;
  readonly binaries: Binaries;
  readonly user: ServerUser;
  readonly settings: Readonly<Record<string, string>>;
}): Promise<Launch> {
  const { dataDirectory } = options;
  const log = join(dataDirectory, 'server.log');
  const oldLogSize = await sizeOf(log);
  const child = spawn(
    '/bin/sh',
    ['-c', supervisor, 'sh', log, options.binaries.postgres, ...serverArguments(options)],
    {
      ...spawnAs(options.user),
      cwd: '/',
      env: { PATH: '/usr/bin:/bin', LC_ALL: 'C' },
      stdio: ['pipe', 'pipe', 'ignore'],
      // Ctrl-C in the terminal reaches us alone: our pool is closed before the server.
      detached: true,
    },
  );
  const ended = once(child, 'exit');
  ended.catch(() => {}); // Whoever waits for it is told as well.
  child.stdin.on('error', () => {}); // It ended by itself.
  const firstLine = once(createInterface(child.stdout), 'line');
  const [pid] = (await Promise.race([firstLine, ended])) as unknown[];

  while (child.exitCode === null && child.signalCode === null) {
    const postmaster = await readPostmasterFile(dataDirectory);
    if (postmaster?.status === 'ready' && postmaster.pid === Number(pid)) {
      // The server never keeps us from exiting.
      child.unref();
      const stop = async () => {
        child.ref();
        child.stdin.destroy();
        await ended;
      };
      return { kind: 'running', url: postmaster.url, stop };
    }
    await sleep(5);
  }
  await ended;
  return { kind: 'ended', log: await readFrom(log, oldLogSize) };
}

function serverArguments({
  dataDirectory,
  socketDirectory,
  settings,
}: Parameters<typeof launchPostgres>[0]): string[] {
  const all = {
    listen_addresses: '',
    unix_socket_directories: `"${socketDirectory}"`,
    unix_socket_permissions: '0700',
    port: '5432',
    timezone: 'UTC',
    log_timezone: 'UTC',
    log_checkpoints: 'off',
    ...settings,
  };
  return [
    '-D',
    dataDirectory,
    ...Object.entries(all).flatMap(([name, value]) => ['-c', `${name}=${value}`]),
  ];
}

async function sizeOf(path: string): Promise<number> {
  return (await stat(path).catch(() => undefined))?.size ?? 0;
}

async function readFrom(path: string, position: number): Promise<string> {
  const text = await readFile(path).catch(() => Buffer.alloc(0));
  return text.subarray(position).toString('utf8').trim();
}
