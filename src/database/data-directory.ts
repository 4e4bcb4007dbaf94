import { execFile } from 'node:child_process';
import { chmod, chown, mkdir, mkdtemp, readdir, readFile, rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import type { Binaries } from './embedded-binaries.ts';
import { canReach, isRoot, serverUser, spawnAs, type ServerUser } from './server-user.ts';
import { makeOwnDirectory, shortHash } from './temporary-directory.ts';

const projectRoot = join(import.meta.dirname, '../..');

/** `.data/<name>` in the project; or, where the server's user cannot get there, a place under /var/tmp of its own. */
export async function defaultDataDirectory(name: string): Promise<string> {
  const inProject = join(projectRoot, '.data', name);
  if (await canReach(await serverUser(inProject), dirname(inProject))) return inProject;
  const parent = join('/var/tmp', `kyma-control-plane-${shortHash(projectRoot)}`);
  await makeOwnDirectory(parent, 0o755);
  return join(parent, name);
}

/**
 * Makes sure that the directory holds a complete cluster of the programs' version. A new one is made beside it and
 * then renamed: a start that is killed leaves nothing half made, and of two starts at once one wins.
 */
export async function prepareDataDirectory(
  directory: string,
  user: ServerUser,
  binaries: Binaries,
): Promise<void> {
  if (!(await canReach(user, dirname(directory)))) {
    throw new Error(
      `user ${user.uid}, as whom PostgreSQL runs, cannot enter the parent directories of ${directory}`,
    );
  }
  if (await holdsCluster(directory, binaries.majorVersion)) return;
  await makeParents(directory);
  await removeUnfinished(directory);
  const unfinished = await mkdtemp(`${directory}${unfinishedMark}${process.pid}-`);
  try {
    if (isRoot()) await chown(unfinished, user.uid, user.gid);
    await initialise(unfinished, user, binaries);
    await rename(unfinished, directory);
  } catch (error) {
    await rm(unfinished, { recursive: true, force: true });
    if (!(await holdsCluster(directory, binaries.majorVersion))) throw error; // Otherwise another process was faster.
  }
}

async function holdsCluster(directory: string, majorVersion: string): Promise<boolean> {
  const none: string[] = [];
  const found = await readdir(directory).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return none;
    throw new Error(`cannot read the data directory ${directory}: ${error.message}`, {
      cause: error,
    });
  });
  if (found.length === 0) return false;
  if (!found.includes('PG_VERSION')) {
    throw new Error(
      `${directory} is not empty, and no data directory of PostgreSQL: remove it, or name another`,
    );
  }
  const version = (await readFile(join(directory, 'PG_VERSION'), 'utf8')).trim();
  if (version !== majorVersion) {
    throw new Error(
      `${directory} is of PostgreSQL ${version}, and this is ${majorVersion}: move the data with a dump, or remove it`,
    );
  }
  return true;
}

async function initialise(directory: string, user: ServerUser, binaries: Binaries): Promise<void> {
  const settings = ['--username=postgres', '--encoding=UTF8', '--locale=C'];
  // Whoever can enter the socket's directory is trusted, and only we and the server's user can.
  const flags = ['--auth=trust', '--no-instructions'];
  try {
    await promisify(execFile)(binaries.initdb, ['-D', directory, ...settings, ...flags], {
      ...spawnAs(user),
      cwd: '/',
      env: { LC_ALL: 'C' },
    });
  } catch (cause) {
    const output = cause instanceof Error && 'stderr' in cause ? String(cause.stderr).trim() : '';
    throw new Error(`cannot make the data directory ${directory}: ${output || String(cause)}`, {
      cause,
    });
  }
}

const unfinishedMark = '.unfinished-';

/** What starts left behind that were killed in the middle of it. */
async function removeUnfinished(directory: string): Promise<void> {
  const prefix = `${basename(directory)}${unfinishedMark}`;
  for (const name of await readdir(dirname(directory))) {
    if (!name.startsWith(prefix) || isAlive(Number.parseInt(name.slice(prefix.length), 10)))
      continue;
    const path = join(dirname(directory), name);
    await rm(path, { recursive: true, force: true, maxRetries: 10 }).catch(() => {}); // Its initdb may still write.
  }
}

export function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}

/** Whatever our umask is: the server's user must be able to enter the directories that we make on the way. */
async function makeParents(directory: string): Promise<void> {
  const first = await mkdir(dirname(directory), { recursive: true });
  if (!first) return;
  for (let made = dirname(directory); made.length >= first.length; made = dirname(made))
    await chmod(made, 0o755);
}
