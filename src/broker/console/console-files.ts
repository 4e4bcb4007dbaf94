import { glob, readFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';

const compress = promisify(gzip);

export type ConsoleFile = {
  readonly type: string;
  readonly content: Buffer;
  readonly compressed: Buffer;
};

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
};

/** Where scripts/build-console.ts leaves it. */
export const builtConsole = join(import.meta.dirname, '../../../build/console');

/** All of the bundle, by path: it is small, and what is not in here cannot be asked for. Empty if it was never built. */
export async function readConsoleFiles(
  directory: string,
): Promise<ReadonlyMap<string, ConsoleFile>> {
  const files = new Map<string, ConsoleFile>();
  for await (const path of glob('**/*.*', { cwd: directory })) {
    const type = types[extname(path)];
    if (type === undefined) continue;
    const content = await readFile(join(directory, path));
    files.set(path.replaceAll('\\', '/'), { type, content, compressed: await compress(content) });
  }
  return files;
}
