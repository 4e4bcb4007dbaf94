// The mistakes that the originals are known for, made once more on purpose: in a copy of the sources, one at a time. The
// engine's own tests must find each of them. A plant that no longer fits the sources fails as well: bring it up to date.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { cp, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { promisify } from 'node:util';
import { testDatabase } from '../src/database/testing.ts';

type Plant = {
  readonly bug: string;
  readonly file: string;
  readonly right: string;
  readonly wrong: string;
  /** The test that finds it. */
  readonly found: { readonly in: string; readonly by: string };
};

const plants: readonly Plant[] = [
  {
    bug: "a step's error is overwritten by the result of the save",
    file: 'src/engine/operation-run.ts',
    right: `return this.#fail(next.failure.message, next.failure);`,
    wrong: `await this.#save({ kind: 'keep' }); return 'go on';`,
    found: { in: 'engine.test.ts', by: 'any other error fails the operation at once' },
  },
  {
    bug: 'the time limit of a retried step starts anew after a restart',
    file: 'src/engine/ledger.ts',
    right: `since: since ?? age`,
    wrong: `since: age`,
    found: {
      in: 'retries-and-limits.test.ts',
      by: 'the time limit of a step goes on over a restart',
    },
  },
  {
    bug: 'success is announced before it is stored',
    file: 'src/engine/operation-run.ts',
    right: `const saved = await this.#services.save({`,
    wrong: `this.#tell(next, runs); const saved = await this.#services.save({`,
    found: { in: 'replica.test.ts', by: 'nobody hears that an operation has succeeded before' },
  },
  {
    bug: 'a retried step sees the facts of its first run',
    file: 'src/engine/replica.ts',
    right: `const facts = openSecrets(claimed.facts, keyring, id) as Facts;`,
    wrong: `const seen = ((globalThis as { seen?: Map<string, Facts> }).seen ??= new Map());
            const facts = seen.get(id) ?? (openSecrets(claimed.facts, keyring, id) as Facts);
            seen.set(id, facts);`,
    found: { in: 'engine.test.ts', by: 'a retried step sees the facts that were given since' },
  },
  {
    bug: 'a finished stage is processed again',
    file: 'src/engine/operation-run.ts',
    right: `!this.#ledger.hasFinished(name)`,
    wrong: `name !== ''`,
    found: { in: 'engine.test.ts', by: 'a stage that waits starts over' },
  },
  {
    bug: 'a finished operation is processed again',
    file: 'src/engine/operations-table.ts',
    right: 'where id = $1 and due_at > ${nowAt(offset)} and claimed_by is null`',
    wrong: 'where id = $1`',
    found: { in: 'queue.test.ts', by: 'waking a waiting operation ends its pause' },
  },
  {
    bug: 'an operation whose progress could not be stored is forgotten: no owner, no timer, no wait',
    file: 'src/engine/replica.ts',
    right: `await run.untilItRests().catch((error: unknown) => this.#putOff(claimed, error));`,
    wrong: `await run.untilItRests().catch((): Rest => 'lost');`,
    found: { in: 'replica.test.ts', by: 'an operation whose progress the database refuses' },
  },
  {
    bug: 'what a dead replica held stays claimed',
    file: 'src/engine/replicas-table.ts',
    right: `where state = 'in progress' and claimed_by is not null`,
    wrong: `where false and claimed_by is not null`,
    found: { in: 'replica.test.ts', by: 'what is claimed by a replica that does not exist' },
  },
];

const root = join(import.meta.dirname, '..');
const copy = await mkdtemp(join(tmpdir(), 'kyma-planted-'));
after(() => rm(copy, { recursive: true }));
for (const part of ['src/engine', 'src/database', 'src/time', 'migrations', 'package.json'])
  await cp(join(root, part), join(copy, part), { recursive: true });
await symlink(join(root, 'node_modules'), join(copy, 'node_modules'));

test('as long as nothing is planted, nothing is found', async () => {
  const { tests, passed } = await run(plants.map(({ found }) => found));
  assert.deepEqual({ tests, passed }, { tests: plants.length, passed: plants.length });
});

for (const { bug, file, right, wrong, found } of plants) {
  test(`it is found when ${bug}`, async () => {
    const source = await readFile(join(copy, file), 'utf8');
    assert.equal(
      source.split(right).length,
      2,
      `the plant does not fit: '${right}' must stand once in ${file}`,
    );
    const planted = source.replace(right, () => wrong);
    await writeFile(join(copy, file), planted);
    try {
      const { tests, passed } = await run([found]);
      assert.equal(tests, 1, `exactly one test of ${found.in} must be named '${found.by}'`);
      assert.equal(passed, 0, `'${found.by}' has not noticed it`);
    } finally {
      await writeFile(join(copy, file), source);
    }
  });
}

/** Runs these tests of the copy, in a database of their own. */
async function run(wanted: readonly Plant['found'][]) {
  await using database = await testDatabase();
  const files = new Set(wanted.map((each) => join(copy, 'src/engine', each.in)));
  const words = [
    '--test',
    '--test-isolation=none',
    '--test-timeout=6000',
    '--test-force-exit',
    '--test-reporter=tap',
    ...wanted.map(({ by }) => `--test-name-pattern=${by}`),
    ...files,
  ];
  const env = { ...process.env, TEST_DATABASE_URL: database.url, NODE_TEST_CONTEXT: undefined };
  const running = promisify(execFile)(process.execPath, words, { env, timeout: 60_000 });
  const { stdout } = await running.catch((error: { stdout: string }) => error);
  const count = (what: string) => Number(new RegExp(`^# ${what} (\\d+)$`, 'm').exec(stdout)?.[1]);
  return { tests: count('tests'), passed: count('pass') };
}
