import { execFile } from 'node:child_process';
import { readFile, rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import { isAlive } from './data-directory.ts';

/** What a running server says about itself in postmaster.pid, in its data directory. */
export type Postmaster = {
  readonly pid: number;
  /** Of its unix socket. */
  readonly url: string;
  /** 'starting', 'ready' or 'stopping' */
  readonly status: string;
};

export async function readPostmasterFile(dataDirectory: string): Promise<Postmaster | undefined> {
  const text = await readFile(postmasterFile(dataDirectory), 'utf8').catch(
    (error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return '';
      throw new Error(`cannot read the data directory ${dataDirectory}: ${error.message}`, {
        cause: error,
      });
    },
  );
  const [pid, , , port = '', socketDirectory = '', , , status = ''] = text.split('\n');
  if (!pid) return undefined;
  const query = new URLSearchParams({ host: socketDirectory, port, user: 'postgres' });
  return {
    pid: Number(pid),
    url: `postgresql:///postgres?${query.toString()}`,
    status: status.trim() || 'starting',
  };
}

/** The server that runs on this directory, if there is one. */
export async function runningPostmaster(dataDirectory: string): Promise<Postmaster | undefined> {
  const found = await readPostmasterFile(dataDirectory);
  if (!found || !isAlive(found.pid)) return undefined; // PostgreSQL itself copes with the file of a dead server.
  if ((await programOf(found.pid)) === 'postgres') return found;
  // After a reboot, or in a new container, the number may belong to another program; PostgreSQL would refuse to start.
  if ((await readPostmasterFile(dataDirectory))?.pid === found.pid)
    await rm(postmasterFile(dataDirectory));
  return undefined;
}

const postmasterFile = (dataDirectory: string): string => join(dataDirectory, 'postmaster.pid');

async function programOf(pid: number): Promise<string> {
  const name =
    process.platform === 'linux'
      ? readFile(`/proc/${pid}/comm`, 'utf8')
      : promisify(execFile)('ps', ['-p', String(pid), '-o', 'comm=']).then(({ stdout }) => stdout);
  return basename((await name.catch(() => '')).trim());
}
