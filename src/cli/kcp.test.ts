import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { promisify } from 'node:util';
import type { Command } from 'commander';
import { kcpCommand } from './kcp.ts';
import { exitCodes } from './problem.ts';
import { settingNames } from './settings/setting-names.ts';
import { startMachine } from './testing.ts';

const run = promisify(execFile);
const root = join(import.meta.dirname, '..', '..');
const manual = await readFile(join(root, 'docs', 'how-to', 'use-kcp.md'), 'utf8');

const own = await startMachine();
after(() => own[Symbol.asyncDispose]());
const help = (path: readonly string[]) => own.kcp([...path, '--help']);

/** Every command, by its path. */
const all: (readonly [path: readonly string[], command: Command])[] = [];
const kcp = await kcpCommand(own.surroundings());
const walk = (command: Command, path: readonly string[]): void => {
  all.push([path, command]);
  for (const each of command.commands) walk(each, [...path, each.name()]);
};
walk(kcp, []);

test('every command says what it does, and the manual names it', async () => {
  for (const [path, command] of all) {
    const { code, output } = await help(path);
    assert.equal(code, 0, path.join(' '));
    assert.match(output, /^Usage: kcp/);
    assert.notEqual(command.description(), '');
    assert.ok(
      manual.includes(['kcp', ...path].join(' ')),
      `the manual lacks kcp ${path.join(' ')}`,
    );
  }
});

test('a command is found by its name and each of its aliases, without the others', async () => {
  for (const command of kcp.commands)
    for (const word of [command.name(), ...command.aliases()]) {
      const { commands } = await kcpCommand(own.surroundings(), ['--context', 'x', word]);
      assert.ok(
        commands.some((each) => each.name() === command.name()),
        word,
      );
      if (word !== 'completion') assert.equal(commands.length, 1, word);
    }
});

test('every command of the first level shows examples', async () => {
  for (const [path] of all.filter(([{ length }]) => length === 1)) {
    const { output } = await help(path);
    const leaves = all.filter(([each]) => each.length === 2 && each[0] === path[0]);
    const texts = [
      output,
      ...(await Promise.all(leaves.map(async ([each]) => (await help(each)).output))),
    ];
    assert.ok(
      texts.some((text) => text.includes('Examples:')),
      path.join(' '),
    );
  }
});

test('all that the manual and the help show can be typed: commands and flags are there', async () => {
  const helps = await Promise.all(all.map(async ([path]) => (await help(path)).output));
  const lines = [manual, ...helps].flatMap((text) =>
    [...text.matchAll(/^(?:\s{2}|\$ )?(kcp [^\n]*)$/gm)].map(([, line = '']) => line),
  );
  assert.ok(lines.length > 60, `only ${lines.length} examples`);
  for (const line of lines) {
    const words = line
      .split(/\s(?:\||--\s|#|>)/)[0]!
      .split(/\s+/)
      .slice(1);
    let at = kcp;
    for (const word of words) {
      if (word.startsWith('-')) {
        const flag = word.split('=')[0]!;
        const known = [at, kcp].some(({ options }) =>
          options.some(
            ({ long, short, negate }) =>
              flag === long || flag === short || (negate && flag === long),
          ),
        );
        assert.ok(known || flag === '-' || flag === '--help', `${line}: ${flag}`);
      } else {
        const next = at.commands.find(
          (each) => each.name() === word || each.aliases().includes(word),
        );
        assert.ok(next ?? at !== kcp, `${line}: ${word}`);
        at = next ?? at;
      }
    }
  }
});

test('the manual has the exit codes and the settings as they are', () => {
  for (const [code, meaning] of Object.values(exitCodes))
    assert.ok(
      new RegExp(`^\\| ${code} +\\| ${meaning} +\\|$`, 'm').test(manual),
      `${code} ${meaning}`,
    );
  for (const name of settingNames) assert.ok(manual.includes(`\`${name}\``), name);
});

for (const [line, complaint] of [
  [['runtimse'], /unknown command 'runtimse'.*Did you mean.*See kcp --help/],
  [['runtimes', '--stat', 'failed'], /unknown option '--stat'.*--state/],
  [['retry'], /missing required argument 'operation-id'/],
  [['completion', 'tcsh'], /Allowed choices are bash, zsh, fish, powershell/],
  [['-v', '9', 'token'], /--verbose is 9: allowed are 0 to 6/],
] as const)
  test(`kcp ${line.join(' ')} is refused in one line, with exit code 2`, async () => {
    const { code, notes, output } = await own.kcp(line);
    assert.equal(code, 2);
    assert.match(notes, complaint);
    assert.equal(notes.trimEnd().split('\n').length, 1);
    assert.equal(output, '');
  });

test('kcp --version says it, and kcp alone helps', async () => {
  assert.equal((await own.kcp(['--version'])).output, '1.2.3\n');
  const { code, notes } = await own.kcp([]);
  assert.equal(code, 2);
  assert.match(notes, /Usage: kcp/);
});

test('completion for bash completes commands, aliases, subcommands, words and flags', async () => {
  const file = own.path('kcp.bash');
  assert.equal((await own.kcp(['completion', 'bash', '--o', file])).code, 0);
  await run('bash', ['-n', file]);
  const complete = async (...words: readonly string[]) => {
    const script = `source "$0"; COMP_WORDS=(kcp "$@"); COMP_CWORD=$#; _kcp; printf '%s\\n' "\${COMPREPLY[@]}"`;
    const { stdout } = await run('bash', ['-c', script, file, ...words]);
    return stdout.trimEnd().split('\n');
  };
  assert.deepEqual(await complete('orch'), ['orchestrations']);
  assert.deepEqual(await complete('upgrade', 'k'), ['kyma']);
  assert.deepEqual(await complete('u', 'cl'), ['cluster']);
  assert.deepEqual(await complete('rt', '--att'), ['--attention']);
  assert.deepEqual(await complete('--keb-api-url', 'jobs', 'jobs', 'run'), ['runs', 'run']);
  assert.deepEqual(await complete('o', '0708', 'pa'), ['pause']);
  assert.deepEqual(await complete('completion', 'po'), ['powershell']);
});

for (const shell of ['zsh', 'fish', 'powershell'] as const)
  test(`completion for ${shell} names every command, and ${shell} can read it where it is installed`, async (t) => {
    const { output } = await own.kcp(['completion', shell]);
    for (const [path] of all.filter(([{ length }]) => length > 0))
      assert.ok(output.includes(path.at(-1)!), path.join(' '));
    const program = shell === 'powershell' ? 'pwsh' : shell;
    const file = own.path(`kcp.${shell}`);
    await writeFile(file, output);
    try {
      if (shell === 'powershell')
        await run(program, [
          '-NoProfile',
          '-Command',
          `[scriptblock]::Create((Get-Content -Raw '${file}')) | Out-Null`,
        ]);
      else await run(program, ['-n', file]);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
      t.diagnostic(`${program} is not installed: its syntax is not checked`);
    }
  });
