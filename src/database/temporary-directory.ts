import { createHash } from 'node:crypto';
import { chmod, chown, lstat, mkdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { canReach, isRoot, type ServerUser } from './server-user.ts';

/**
 * Where the server's socket lies: in its data directory, which is as private as the socket must be. If that path is too
 * long for a socket, in a directory of its own, always the same for a data directory.
 */
export async function socketDirectory(dataDirectory: string, user: ServerUser): Promise<string> {
  if (canHoldSocket(dataDirectory)) return dataDirectory;
  const directory = join(
    await temporaryDirectory(user),
    `kyma-pg-${user.uid}-${shortHash(dataDirectory)}`,
  );
  await makeOwnDirectory(directory, 0o700, user);
  return directory;
}

// A socket's path has at most 103 bytes on macOS and 107 on Linux. A quote would end the path in PostgreSQL's setting.
const canHoldSocket = (directory: string): boolean =>
  Buffer.byteLength(join(directory, '.s.PGSQL.5432')) <= 103 && !directory.includes('"');

/** A directory of ours under the temporary one, which the server's user can enter but nobody else can change. */
export async function programsDirectory(user: ServerUser): Promise<string> {
  const directory = join(await temporaryDirectory(user), `kyma-pg-programs-${process.getuid?.()}`);
  await makeOwnDirectory(directory, 0o755);
  return directory;
}

async function temporaryDirectory(user: ServerUser): Promise<string> {
  for (const directory of [tmpdir(), '/tmp', '/var/tmp']) {
    const isFit = canHoldSocket(join(directory, 'kyma-pg-1234567890-123456789012'));
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
