import { resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { seconds } from '#time';
import { prepareDataDirectory } from './data-directory.ts';
import { embeddedBinaries } from './embedded-binaries.ts';
import { launchPostgres } from './launch-postgres.ts';
import { runningPostmaster } from './postmaster-file.ts';
import { serverUser } from './server-user.ts';
import { socketDirectory } from './temporary-directory.ts';

export type EmbeddedPostgres = {
  /** Of its unix socket: it listens nowhere else. */
  readonly url: string;
  /** False for a guest of a server that another process started, which will also stop it. */
  readonly ownedByUs: boolean;
  /** Stops the server once all in this process who started it have called this. */
  readonly stop: () => Promise<void>;
};

type Options = {
  readonly dataDirectory: string;
  /** More settings of the server: `{ fsync: 'off' }`. A guest takes the server as it is. */
  readonly settings?: Readonly<Record<string, string>>;
};

// A process has one server per data directory, however many parts of it ask for one.
const servers = new Map<string, { readonly server: Promise<EmbeddedPostgres>; users: number }>();

/**
 * PostgreSQL from npm packages, for those who have no server: started on its data directory, or joined where it already
 * runs. It ends with the process that started it, even with one that is killed.
 */
export async function startEmbeddedPostgres(options: Options): Promise<EmbeddedPostgres> {
  if (process.platform === 'win32') {
    throw new Error('embedded PostgreSQL does not run on Windows: set DATABASE_URL, or use WSL');
  }
  const dataDirectory = resolve(options.dataDirectory);
  const shared = servers.get(dataDirectory) ?? {
    server: startOrJoin({ ...options, dataDirectory }),
    users: 0,
  };
  servers.set(dataDirectory, shared);
  shared.users += 1;
  let isStopped = false;
  const stop = async () => {
    if (isStopped) return;
    isStopped = true;
    shared.users -= 1;
    if (shared.users > 0) return;
    if (servers.get(dataDirectory) === shared) servers.delete(dataDirectory);
    await (await shared.server).stop();
  };
  try {
    const { url, ownedByUs } = await shared.server;
    return { url, ownedByUs, stop };
  } catch (error) {
    servers.delete(dataDirectory);
    throw error;
  }
}

async function startOrJoin({ dataDirectory, settings = {} }: Options): Promise<EmbeddedPostgres> {
  const user = await serverUser(dataDirectory);
  const deadline = performance.now() + seconds(60);
  let postmaster;
  while (performance.now() < deadline) {
    postmaster = await runningPostmaster(dataDirectory);
    if (postmaster?.status === 'ready') {
      return { url: postmaster.url, ownedByUs: false, stop: async () => {} };
    }
    if (postmaster) {
      await sleep(5); // It is starting, or stopping with a process that was killed just before.
      continue;
    }
    const binaries = await embeddedBinaries(user);
    await prepareDataDirectory(dataDirectory, user, binaries);
    const socket = await socketDirectory(dataDirectory, user);
    const launch = await launchPostgres({
      dataDirectory,
      socketDirectory: socket,
      binaries,
      user,
      settings,
    });
    if (launch.kind === 'running') return { url: launch.url, ownedByUs: true, stop: launch.stop };
    if (await runningPostmaster(dataDirectory)) continue; // Another process was faster.
    if (launch.log.includes('pre-existing shared memory block')) {
      await sleep(50); // The last processes of a server that was killed are still leaving.
      continue;
    }
    const lastLines = launch.log.split('\n').slice(-8).join('\n');
    throw new Error(`embedded PostgreSQL did not start in ${dataDirectory}:\n${lastLines}`);
  }
  const state = postmaster
    ? `process ${postmaster.pid} is still ${postmaster.status}`
    : 'it keeps ending';
  throw new Error(
    `embedded PostgreSQL is not ready in ${dataDirectory}: ${state}; see server.log there`,
  );
}
