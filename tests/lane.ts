// One of the processes of npm test: runs a test file to its end, and takes the next one that no other lane has taken,
// until there is none left. What a file's own `after` has to close is closed before the next file is loaded.

import { open, readFile, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { after, suite, test } from 'node:test';
import { pathToFileURL } from 'node:url';

const [, , folder = ''] = process.argv;
const files = JSON.parse(await readFile(join(folder, 'files.json'), 'utf8')) as string[]; // as scripts/test.ts wrote it

for (const [number, file] of files.entries()) {
  if (await isTaken(number)) continue;
  await runToItsEnd(file);
  await writeFile(join(folder, `${number}.ended`), ''); // A process that ends by itself in between ends well, for Node.
}

/** Of all who try to create the mark, one succeeds. */
async function isTaken(number: number): Promise<boolean> {
  try {
    const mark = await open(join(folder, String(number)), 'wx');
    await mark.close();
    return false;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return true;
    throw error;
  }
}

async function runToItsEnd(file: string): Promise<void> {
  const { promise: ended, resolve } = Promise.withResolvers<void>();
  void suite(relative(process.cwd(), file), async () => {
    try {
      await import(pathToFileURL(file).href);
    } catch (error) {
      void test('can be loaded', () => Promise.reject(error)); // A suite that breaks is not counted as a failure.
    }
    after(() => resolve()); // The last of the file's own.
  });
  await ended;
}
