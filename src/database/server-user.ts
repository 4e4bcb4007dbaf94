import { stat } from 'node:fs/promises';
import { dirname } from 'node:path';

/** Who runs the embedded server and owns its files. */
export type ServerUser = { readonly uid: number; readonly gid: number };

const nobody: ServerUser = { uid: 65534, gid: 65534 };

export const isRoot = (): boolean => process.getuid?.() === 0;

/**
 * We ourselves; but PostgreSQL refuses to run as root, so for root it is whoever owns the data directory, and nobody
 * in particular if there is none yet.
 */
export async function serverUser(dataDirectory?: string): Promise<ServerUser> {
  if (!isRoot()) return { uid: process.getuid?.() ?? -1, gid: process.getgid?.() ?? -1 };
  const owner = dataDirectory && (await stat(dataDirectory).catch(() => undefined));
  return owner && owner.uid !== 0 ? { uid: owner.uid, gid: owner.gid } : nobody;
}

/** What to spawn with. Only root may, and must, name another user. */
export const spawnAs = (user: ServerUser): Partial<ServerUser> => (isRoot() ? user : {});

/** Whether the user can pass through every directory on the way down to this path, as far as it exists. */
export async function canReach(user: ServerUser, path: string): Promise<boolean> {
  const parent = dirname(path);
  return (await mayEnter(user, path)) && (parent === path || (await canReach(user, parent)));
}

async function mayEnter(user: ServerUser, path: string): Promise<boolean> {
  const found = await stat(path).catch(() => undefined);
  if (!found) return true;
  if (found.uid === user.uid) return (found.mode & 0o100) !== 0;
  if (found.gid === user.gid) return (found.mode & 0o010) !== 0;
  return (found.mode & 0o001) !== 0;
}
