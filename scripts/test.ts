// npm test: every test, or those of some files and folders: npm test -- src/engine tests/crash.test.ts
//
// A process per file would spend most of its time on loading the same modules, and then run them cold. So a few
// processes (tests/lane.ts) take one file after the other from a common list. Each file also runs by itself, with
// node --test <file>.

import { existsSync } from 'node:fs';
import { glob, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { availableParallelism, tmpdir } from 'node:os';
import { join, relative, sep } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { run } from 'node:test';
import { spec } from 'node:test/reporters';
import { globalSetup, globalTeardown } from '../tests/global-setup.ts';

const root = join(import.meta.dirname, '..');
const chosen = process.argv.slice(2).map((path) => relative(root, path));
const isChosen = (file: string) =>
  chosen.length === 0 || chosen.some((path) => file === path || file.startsWith(path + sep));

// The longest first, and stories before what is tested for itself: a long one begun at the end would run alone.
const longest = [
  'tests/provisioner/acceptance/restart.test.ts',
  'tests/every-step/provisioner.test.ts',
  'tests/every-step/broker.test.ts',
  'tests/systems.test.ts',
  'tests/start.test.ts',
  'tests/crash.test.ts',
];
const found = new Set(longest.filter(isChosen));
for (const folder of ['tests', 'src']) {
  for await (const file of glob(`${folder}/**/*.test.ts`, { cwd: root })) {
    if (isChosen(file)) found.add(file);
  }
}
const files = [...found].map((file) => join(root, file));
if (files.length === 0) throw new Error(`there are no tests in ${chosen.join(', ')}`);

// Stripped and compiled once for all processes, and for the next run.
process.env['NODE_COMPILE_CACHE'] ??= join(root, 'node_modules/.cache/node');
const folder = await mkdtemp(join(tmpdir(), 'kyma-tests-'));
await writeFile(join(folder, 'files.json'), JSON.stringify(files));
await globalSetup();

// One more than there are processors: now and then all that a test does is wait for another process.
const wanted = Number(process.env['TEST_LANES'] ?? availableParallelism() + 1);
const lanes = Math.min(wanted, files.length);
const stop = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stop.abort());
const reports = run({
  cwd: root,
  files: Array.from({ length: lanes }, () => join(root, 'tests/lane.ts')),
  concurrency: lanes,
  argv: [folder],
  signal: stop.signal,
});
reports.on('test:fail', () => (process.exitCode = 1));
await pipeline(reports, spec(), process.stdout, { end: false });

for (const [number, file] of files.entries()) {
  if (existsSync(join(folder, `${number}.ended`))) continue;
  console.log(`✖ not run to its end: ${relative(root, file)}`);
  process.exitCode = 1;
}
await globalTeardown();
await rm(folder, { recursive: true });
