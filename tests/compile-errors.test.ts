import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { before, test } from 'node:test';

const root = join(import.meta.dirname, '..');
const folder = 'tests/does-not-compile';

/** What the compiler says on a line that is marked `// error: <key>`. */
const messages: Readonly<Record<string, readonly string[]>> = {
  runtimeId: ['needs facts that no earlier step gives', `"runtimeId"`],
  'may not be left out': [
    `Type 'Skip' is not assignable to type 'Outcome<{ runtimeId: string; }>'`,
  ],
  'must fail': [`Type '"go on"' is not assignable to type '"fail"'`],
};

/** By place, 'file:line'. */
const marked = new Map<string, string>();
const reported = new Map<string, string>();
const exported: { name: string; file: string; from: number; to: number }[] = [];

before(async () => {
  for (const name of await readdir(join(root, folder))) {
    if (!name.endsWith('.ts')) continue;
    const file = `${folder}/${name}`;
    const lines = (await readFile(join(root, file), 'utf8')).split('\n');
    for (const [index, line] of lines.entries()) {
      const mark = /\/\/ error(?:: (.*))?$/.exec(line);
      if (mark) marked.set(`${file}:${index + 1}`, mark[1] ?? '');
      const name = /^export \w+ (\w+)/.exec(line)?.[1];
      const last = exported.at(-1);
      if (name && last?.file === file) last.to = index;
      if (name) exported.push({ name, file, from: index + 1, to: lines.length });
    }
  }
  // A report is a line, and further ones that are indented.
  const output = await compile();
  for (const report of output ? output.split(/\n(?=\S)/) : []) {
    const [, file, line] = /^(.+?)\((\d+),\d+\): error /.exec(report) ?? [];
    assert.ok(file && line, report);
    const place = `${file}:${line}`;
    reported.set(place, `${reported.get(place) ?? ''}${report}`);
  }
});

function compile(): Promise<string> {
  const tsc = join(root, 'node_modules/typescript/bin/tsc');
  return new Promise((resolve) => {
    execFile(
      process.execPath,
      [tsc, '-p', folder, '--pretty', 'false', '--noErrorTruncation'],
      { cwd: root },
      (_, stdout, stderr) => resolve(stdout.trim() || stderr),
    );
  });
}

test('exactly the lines that are marked as errors do not compile', () => {
  assert.notEqual(marked.size, 0);
  assert.deepEqual(
    [...reported.keys()].toSorted(),
    [...marked.keys()].toSorted(),
    ['the compiler says:', ...reported.values()].join('\n'),
  );
});

test('the compiler says what is wrong with each of them', () => {
  for (const [place, key] of marked) {
    const expected = messages[key];
    assert.ok(expected, `${place}: no message is documented for '// error: ${key}'`);
    for (const text of expected) {
      assert.ok(reported.get(place)?.includes(text), `${place}: ${text}\n${reported.get(place)}`);
    }
  }
});

test('steps in the right order compile, in one stage as in several', () => {
  const compiles = exported.filter(
    ({ file, from, to }) => !lines(from, to).some((line) => reported.has(`${file}:${line}`)),
  );
  const names = compiles.map(({ name }) => name);
  for (const name of ['rightOrder', 'rightOrderInOneStage']) assert.ok(names.includes(name), name);
  assert.ok(names.length < exported.length);
});

const lines = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, index) => from + index);
