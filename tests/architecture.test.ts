import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { glob, readFile } from 'node:fs/promises';
import { basename, join, posix } from 'node:path';
import { test } from 'node:test';

/** Through which doors each module may go. */
const modules: Readonly<Record<string, readonly string[]>> = {
  time: [],
  access: ['time'],
  certificates: ['time'],
  config: ['time'],
  database: ['time'],
  clients: ['certificates', 'time'],
  engine: ['database', 'time'],
  audit: ['database', 'time'],
  broker: ['access', 'audit', 'engine', 'database', 'clients', 'time'],
  provisioner: ['access', 'audit', 'engine', 'database', 'clients', 'time'],
  landscape: ['certificates', 'clients', 'time'],
  cli: ['time'],
  console: ['clients', 'time'],
};
const everyModule = Object.keys(modules);
const allButConfig = everyModule.filter((name) => name !== 'config');

/** The same for what stands outside of src. */
const programs: Readonly<Record<string, readonly string[]>> = {
  bin: everyModule,
  tests: allButConfig,
  bench: allButConfig,
  examples: allButConfig,
  scripts: allButConfig,
};

/** Relative imports stay in their module, or program, but for these: who may import what. */
const exceptions: readonly (readonly [who: RegExp, what: RegExp])[] = [
  [/^src\/.+\.test\.ts$/, /^src\/(?:[^/]+\/)+testing\.ts$/],
  [/^src\/.+\/testing\.ts$/, /^src\/(?:[^/]+\/)+testing\.ts$/],
  [/^(?:tests|bench|examples|scripts)\//, /^src\/(?:[^/]+\/)+testing\.ts$/],
  [/^(?:tests|bench|examples|scripts)\//, /^src\/database\/describe-schema\.ts$/],
  [/^scripts\/dump-schema\.ts$/, /^tests\/migrated-schema\.ts$/],
  [/^scripts\/test\.ts$/, /^tests\/global-setup\.ts$/],
  [/^scripts\/write-systems-table\.ts$/, /^tests\/systems\//],
  [/^scripts\/write-operations-table\.ts$/, /^tests\/operations-table\.ts$/],
  [/^scripts\/write-settings-table\.ts$/, /^src\/config\/settings-table\.ts$/],
  [/^scripts\/take-screenshots\.ts$/, /^tests\/console\//],
  [/^scripts\/write-access-table\.ts$/, /^tests\/security\/access-table\.ts$/],
  [/^scripts\/write-metrics-table\.ts$/, /^tests\/metrics-table\.ts$/],
  [/^tests\/rolling-restart\.test\.ts$/, /^bin\/wiring\//],
  [/^bench\//, /^bin\/wiring\//],
  [/^bench\/console\.ts$/, /^tests\/console\/world\.ts$/],
  [/^bin\//, /^package\.json$/],
];

const readsEnvironment = /^(?:bin|tests|bench|examples|scripts)\/|\/testing\.ts$/;
const namesThatSayNothing = ['utils', 'common', 'lib', 'helpers'];
const longestFile = 500;
const saysWhyItIsLong = /^\s*(?:\/\/|\/?\*).*\b(?:long|longer|lines)\b/im;
const pathsInDocuments = /`((?:src|bin)\/[\w./-]+\.ts|migrations\/[\w./-]+)`/g;

const root = join(import.meta.dirname, '..');
const read = (path: string) => readFile(join(root, path), 'utf8');

const notOurs = ['bench/peers/node_modules', 'tests/does-not-compile'];
const files = new Map<string, string>();
for await (const path of glob('{bin,src,examples,tests,bench,scripts}/**/*.{ts,tsx}', {
  cwd: root,
  exclude: (path) => notOurs.includes(path) || basename(path) === 'node_modules',
})) {
  files.set(path, await read(path));
}
const under = (...folders: string[]) =>
  [...files].filter(([path]) => folders.some((folder) => path.startsWith(`${folder}/`)));
const doors = under('src').filter(([path]) => /^src\/[^/]+\/index\.ts$/.test(path));

/** Fails with one line for everything that is wrong. */
const none = (complaints: Iterable<string>) => {
  const all = [...complaints];
  assert.ok(all.length === 0, all.join('\n'));
};

test('this test has found the sources', () => {
  for (const path of ['src/engine/index.ts', 'src/time/clock.test.ts', 'tests/global-setup.ts']) {
    assert.ok(files.has(path), path);
  }
});

test('modules import each other by their doors alone, and in one direction', () => {
  none(
    [...files].flatMap(([path, text]) =>
      importsOf(text).flatMap((specifier) => complaintAbout(path, specifier) ?? []),
    ),
  );
});

test('package.json has a door for each module, and for nothing else', async () => {
  const { imports } = JSON.parse(await read('package.json')) as { imports: object };
  const expected = doors.map(([path]) => [`#${path.split('/')[1]}`, `./${path}`]);
  assert.deepEqual(imports, Object.fromEntries(expected));
});

test('the door of a module begins with a comment: what it is for, and what it leaves to others', () => {
  none(doors.filter(([, text]) => !/^\/[/*]/.test(text)).map(([path]) => path));
});

test('no file or folder of src has a name that says nothing', () => {
  none(
    under('src')
      .map(([path]) => path)
      .filter((path) =>
        path.split('/').some((name) => namesThatSayNothing.includes(name.replace(/\..*$/, ''))),
      ),
  );
});

test('the environment is read at the edge of the system alone', () => {
  none(
    [...files]
      .filter(([path, text]) => mentionsEnvironment(text) && !readsEnvironment.test(path))
      .map(([path]) => `${path} reads process.env`),
  );
});

test(`no file of src and bin is longer than ${longestFile} lines, unless it begins with the reason`, () => {
  none(
    under('src', 'bin')
      .filter(([, text]) => isTooLong(text))
      .map(([path, text]) => `${path} has ${lineCount(text)} lines`),
  );
});

test('every path that ARCHITECTURE.md names exists', async (t) => {
  if (!existsSync(join(root, 'ARCHITECTURE.md'))) {
    t.skip('it is not written yet');
    return;
  }
  const paths = [...(await read('ARCHITECTURE.md')).matchAll(pathsInDocuments)].map(
    ([, path = '']) => path,
  );
  assert.notEqual(paths.length, 0, 'ARCHITECTURE.md names no file at all');
  none(paths.filter((path) => !existsSync(join(root, path))));
});

/** What is wrong with this import, if anything. */
function complaintAbout(path: string, specifier: string): string | undefined {
  const [top = '', folder = ''] = path.split('/');
  const home = top === 'src' ? folder : top;
  const allowed = top === 'src' ? modules[home] : programs[home];
  const complain = (why: string) => `${path} imports '${specifier}': ${why}`;
  if (!allowed) return complain(`${top}/${folder} is in no table of tests/architecture.test.ts`);

  if (specifier.startsWith('#')) {
    const door = specifier.slice(1);
    if (!everyModule.includes(door)) return complain('there is no such door');
    if (door === home) return complain('within a module imports are relative');
    if (!allowed.includes(door)) {
      return complain(`${home} may import ${allowed.join(', ') || 'no module'}`);
    }
  } else if (specifier.startsWith('.')) {
    const target = posix.join(posix.dirname(path), specifier);
    const base = top === 'src' ? `src/${home}/` : `${home}/`;
    if (target.startsWith(base)) return undefined;
    if (exceptions.some(([who, what]) => who.test(path) && what.test(target))) return undefined;
    return complain(`relative imports stay in ${base}; other modules have doors`);
  } else if (/^(?:\/|file:)/.test(specifier)) {
    return complain('it holds on one machine only');
  }
  return undefined;
}

/** Whatever a source imports, types included; not what it only mentions in a comment. */
function importsOf(text: string): string[] {
  const code = withoutComments(text);
  return [
    ...code.matchAll(/^(?:import|export)\s(?:[\w\s{},*$]*?\bfrom\s*)?['"]([^'"]+)['"]/gm),
    ...code.matchAll(/\b(?:import|import\.meta\.resolve|require)\(\s*['"`]([^'"`]+)['"`]/g),
  ].map(([, specifier = '']) => specifier);
}

const mentionsEnvironment = (text: string) =>
  /\bprocess\??\.env\b|\bprocess\[['"]env['"]\]|\benv\b[^;]*from 'node:process'/.test(
    withoutComments(text),
  );

/** Only comments that begin a line, or stand after code: a pattern of files, for one, is none. */
const withoutComments = (text: string) =>
  text.replace(/^\s*\/\*[\s\S]*?\*\//gm, '').replace(/(?:^|\s)\/\/.*$/gm, '');

const lineCount = (text: string) => text.split('\n').length - 1;
const isTooLong = (text: string) =>
  lineCount(text) > longestFile && !saysWhyItIsLong.test(text.split('\n', 5).join('\n'));

// What follows makes sure that the rules would find what they are there to find.

for (const [path, specifier, complaint] of [
  ['src/engine/step.ts', '#time', undefined],
  ['src/engine/step.ts', './outcome.ts', undefined],
  ['src/broker/steps/check.ts', '../tables/instances.ts', undefined],
  ['src/broker/steps/check.ts', '#clients', undefined],
  ['src/engine/step.ts', 'node:fs', undefined],
  ['src/engine/step.ts', 'pino', undefined],
  ['bin/broker.ts', '#config', undefined],
  ['bin/broker.ts', '#broker', undefined],
  ['tests/story.test.ts', '#landscape', undefined],
  ['tests/crash/replica.ts', '../global-setup.ts', undefined],
  ['tests/crash/replica.ts', '../../src/engine/testing.ts', undefined],
  ['tests/migrated-schema.ts', '../src/database/describe-schema.ts', undefined],
  ['scripts/dump-schema.ts', '../tests/migrated-schema.ts', undefined],
  ['src/engine/queue.test.ts', '../database/testing.ts', undefined],
  ['src/broker/api/provision.test.ts', '../../engine/testing.ts', undefined],
  ['src/engine/testing.ts', '../database/testing.ts', undefined],

  ['src/time/clock.ts', '#database', 'time may import no module'],
  ['src/config/index.ts', '#database', 'config may import time'],
  ['src/database/pool.ts', '#engine', 'database may import time'],
  ['src/clients/edp.ts', '#database', 'clients may import certificates, time'],
  ['src/engine/step.ts', '#clients', 'engine may import database, time'],
  ['src/engine/step.ts', '#config', 'engine may import database, time'],
  [
    'src/broker/index.ts',
    '#provisioner',
    'broker may import access, audit, engine, database, clients, time',
  ],
  [
    'src/provisioner/index.ts',
    '#broker',
    'provisioner may import access, audit, engine, database, clients, time',
  ],
  ['src/landscape/index.ts', '#engine', 'landscape may import certificates, clients, time'],
  ['src/cli/index.ts', '#broker', 'cli may import time'],
  ['src/console/index.ts', '#database', 'console may import clients, time'],
  ['tests/story.test.ts', '#config', `tests may import ${allButConfig.join(', ')}`],
  ['src/engine/engine.test.ts', '#engine', 'within a module imports are relative'],
  ['src/engine/engine.ts', '#enigne', 'there is no such door'],
  ['src/broker/index.ts', '#engine/step.ts', 'there is no such door'],
  [
    'src/engine/step.ts',
    '../time/clock.ts',
    'relative imports stay in src/engine/; other modules have doors',
  ],
  [
    'src/engine/step.ts',
    '../database/testing.ts',
    'relative imports stay in src/engine/; other modules have doors',
  ],
  [
    'src/engine/queue.test.ts',
    '../database/secret.ts',
    'relative imports stay in src/engine/; other modules have doors',
  ],
  [
    'src/engine/testing.ts',
    '../database/describe-schema.ts',
    'relative imports stay in src/engine/; other modules have doors',
  ],
  [
    'src/engine/engine.ts',
    '../engine-parts/step.ts',
    'relative imports stay in src/engine/; other modules have doors',
  ],
  [
    'tests/story.test.ts',
    '../src/engine/step.ts',
    'relative imports stay in tests/; other modules have doors',
  ],
  [
    'tests/story.test.ts',
    '../bench/report.ts',
    'relative imports stay in tests/; other modules have doors',
  ],
  [
    'bin/broker.ts',
    '../src/engine/testing.ts',
    'relative imports stay in bin/; other modules have doors',
  ],
  ['src/engine/step.ts', '/opt/step.ts', 'it holds on one machine only'],
  ['src/shared/text.ts', '#time', 'src/shared is in no table of tests/architecture.test.ts'],
] as const) {
  const sentence = complaint ? 'is refused' : 'is allowed';
  test(`an import of ${specifier} in ${path} ${sentence}`, () => {
    assert.equal(
      complaintAbout(path, specifier),
      complaint && `${path} imports '${specifier}': ${complaint}`,
    );
  });
}

test('imports are found in every form that they have', () => {
  const source = [
    `import './a.ts';`,
    `import b, { type B } from './b.ts';`,
    `import * as c from "./c.ts";`,
    'import {\n  d1,\n  d2,\n} from',
    `  './d.ts';`,
    `export * from './e.ts';`,
    `export { type F } from './f.ts';`,
    `import type { G } from './g.ts';`,
    `const h = await import('./h.ts');`,
    `type I = import('./i.ts').I;`,
    `export const from = 'no import';`,
    `  import j from './in-a-text.ts';`,
    `// import('./in-a-comment.ts')`,
  ];
  assert.deepEqual(
    importsOf(source.join('\n')),
    'abcdefghi'.split('').map((name) => `./${name}.ts`),
  );
});

test('the environment is found in code, and not in comments', () => {
  for (const code of ['process.env.A', `process['env']`, `import { env } from 'node:process';`]) {
    assert.ok(mentionsEnvironment(code), code);
  }
  for (const code of ['// process.env', '/** From process.env. */', 'processEnvironment']) {
    assert.ok(!mentionsEnvironment(code), code);
  }
});

test('a long file is one of more than 500 lines that does not begin with the reason', () => {
  const lines = 'code\n'.repeat(longestFile);
  assert.equal(isTooLong(lines), false);
  assert.equal(isTooLong(`${lines}more\n`), true);
  assert.equal(isTooLong(`// So long because it is a table.\n${lines}`), false);
  assert.equal(isTooLong(`${lines}// So long because it is a table.\n`), true);
});
