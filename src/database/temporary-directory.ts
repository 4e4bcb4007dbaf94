import { createHash } from 'node:crypto';
import { chmod, chown, lstat, mkdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { canReach, isRoot, type ServerUser } from './server-user.ts';

/** Where the server's socket lies: always the same place for a data directory, and short enough for a socket. */
export async function socketDirectory(dataDirectory: string, user: ServerUser): Promise<string> {
  const directory = join(
    await temporaryDirectory(user),
    `kyma-pg-${user.uid}-${shortHash(dataDirectory)}`,
  );
  await makeOwnDirectory(directory, 0o700, user);
  return directory;
}

/** A directory of ours under the temporary one, which the server's user can enter but nobody else can change. */
export async function programsDirectory(user: ServerUser): Promise<string> {
  const directory = join(await temporaryDirectory(user), `kyma-pg-programs-${process.getuid?.()}`);
  await makeOwnDirectory(directory, 0o755);
  return directory;
}

async function temporaryDirectory(user: ServerUser): Promise<string> {
  // A socket's path has at most 103 bytes on macOS and 107 on Linux, and PostgreSQL splits a list of paths at commas.
  const longest = 64;
  for (const directory of [tmpdir(), '/tmp', '/var/tmp']) {
    const isFit = Buffer.byteLength(directory) <= longest && !directory.includes(',');
    if (isFit && (await canReach(user, directory))) return directory;
  }
  throw new Error(`user ${user.uid}, as whom PostgreSQL runs, cannot enter /tmp: set DATABASE_URL`);
}

/** In a directory that all may write to, somebody else might have been there first. */
export async function makeOwnDirectory(
  directory: string,
  mode: number,
  user?: ServerUser,
): Promise<void> {
  await mkdir(directory, { mode }).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error;
  });
  const found = await lstat(directory);
  if (!found.isDirectory() || ![process.getuid?.(), user?.uid].includes(found.uid)) {
    throw new Error(`${directory} belongs to somebody else: remove it`);
  }
  if (found.uid === process.getuid?.()) await chmod(directory, mode);
  if (isRoot() && user) await chown(directory, user.uid, user.gid);
}

export const shortHash = (text: string): string =>
  createHash('sha256').update(text).digest('hex').slice(0, 12);
