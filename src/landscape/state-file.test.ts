import assert from 'node:assert/strict';
import { mkdirSync, mkdtempDisposableSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { deserialize, serialize } from 'node:v8';
import { startLandscape } from './landscape.ts';
import { spc } from './spc/spc.ts';
import { StateFileError, type SavedLandscape } from './state-file.ts';

const newFolder = () => mkdtempDisposableSync(join(tmpdir(), 'landscape-'));
const start = (stateFile: string) => startLandscape({ systems: [spc], stateFile });
const contentOf = (stateFile: string) =>
  deserialize(readFileSync(stateFile)) as SavedLandscape & { format: number };

/** A file as a landscape that was started and ended leaves it. */
async function leftIn(folder: string): Promise<string> {
  const stateFile = join(folder, 'state');
  await (await start(stateFile))[Symbol.asyncDispose]();
  return stateFile;
}

test('the state is for its owner alone, and nothing else is left beside it', async () => {
  using folder = newFolder();
  writeFileSync(join(folder.path, 'state.new'), 'left by a landscape that was killed');
  const stateFile = await leftIn(folder.path);
  assert.equal(statSync(stateFile).mode & 0o777, 0o600);
  assert.deepEqual(readdirSync(folder.path), ['state']);
});

test('the certificate stays the same', async () => {
  using folder = newFolder();
  const stateFile = await leftIn(folder.path);
  const { identity } = contentOf(stateFile);
  await leftIn(folder.path);
  assert.deepEqual(contentOf(stateFile).identity, identity);
});

test('a system that the state does not know is as at its start', async () => {
  using folder = newFolder();
  const stateFile = await leftIn(folder.path);
  writeFileSync(stateFile, serialize({ ...contentOf(stateFile), systems: { other: {} } }));
  await using landscape = await start(stateFile);
  assert.deepEqual(landscape.inventory(), { spc: { maintenanceEvents: [] } });
});

for (const [what, broken, reason] of [
  ['no state at all', () => Buffer.from('something else'), /deserialize/],
  ['cut off', (whole: Buffer) => whole.subarray(0, 100), /deserialize/],
  [
    'of another format',
    (whole: Buffer) => serialize({ ...deserialize(whole), format: 0 }),
    /expected 1[^]*at format/,
  ],
  [
    'with parts of another kind',
    (whole: Buffer) => serialize({ ...deserialize(whole), systems: { spc: { events: [] } } }),
    /events is of another kind/,
  ],
] as const) {
  test(`a file that is ${what} stops the start, and stays as it is`, async () => {
    using folder = newFolder();
    const stateFile = await leftIn(folder.path);
    writeFileSync(stateFile, broken(readFileSync(stateFile)));
    const before = readFileSync(stateFile);
    await assert.rejects(start(stateFile), (error) => {
      assert.ok(error instanceof StateFileError);
      assert.ok(error.message.includes(stateFile));
      assert.match(error.message, reason);
      return true;
    });
    assert.deepEqual(readFileSync(stateFile), before);
  });
}

test('a place where nothing can be written stops the start', async () => {
  using folder = newFolder();
  const stateFile = join(folder.path, 'missing', 'state');
  await assert.rejects(start(stateFile), {
    name: 'StateFileError',
    message: new RegExp(`cannot be written to ${RegExp.escape(stateFile)} `),
  });
  mkdirSync(stateFile, { recursive: true });
  await assert.rejects(start(stateFile), {
    name: 'StateFileError',
    message: new RegExp(`the state in ${RegExp.escape(stateFile)} cannot be read`),
  });
});
