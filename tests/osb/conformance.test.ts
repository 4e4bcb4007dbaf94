import assert from 'node:assert/strict';
import { glob, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';

const root = join(import.meta.dirname, '../..');

/** As many as the specification has. */
const obligations = { MUST: 151, 'MUST NOT': 15, REQUIRED: 10 };
/** Why something has no test here. */
const reasons = /^(?:with updates|deployment|deviation|not our way): \S/;

type Row = { readonly number: string; readonly keyword: string; readonly shownBy: string[] };

const document = await readFile(join(root, 'docs/osb-conformance.md'), 'utf8');
const rows: Row[] = [
  ...document.matchAll(/^\| (OSB-[A-Z]+-\d+) *\| ([A-Z ]+?) *\| .*? \| (.*?) *\|$/gm),
].map(([, number = '', keyword = '', shownBy = '']) => ({
  number,
  keyword,
  shownBy: shownBy.split('<br>').map((each) => each.trim()),
}));

/** The numbers that each test shows, by its sentence. */
const tests = new Map<string, readonly string[]>();
for await (const file of glob('tests/osb/*.test.ts', { cwd: root })) {
  const text = await readFile(join(root, file), 'utf8');
  const names = text.matchAll(/\btest\(\s*(['"`])(.+?)\1,/g);
  for (const [, , name = ''] of names) {
    const [, sentence = name, numbers = ''] = /^(.*?) \[(.*)\]$/.exec(name) ?? [];
    assert.ok(!numbers || !tests.has(sentence), `two tests of one name: ${sentence}`);
    tests.set(
      sentence.replaceAll(String.raw`\'`, "'"),
      numbers ? numbers.split(', ').map((each) => `OSB-${each}`) : [],
    );
  }
}

test('the list has every obligation of the specification, each once', () => {
  assert.equal(new Set(rows.map(({ number }) => number)).size, rows.length);
  for (const [keyword, count] of Object.entries(obligations))
    assert.equal(rows.filter((row) => row.keyword === keyword).length, count, keyword);
});

test('every obligation is shown by a test that says so, or there is a reason', () => {
  for (const { number, shownBy } of rows)
    for (const each of shownBy)
      assert.ok(reasons.test(each) || tests.get(each)?.includes(number), `${number}: ${each}`);
});

test('what a test says that it shows is in the list', () => {
  const told = [...tests].flatMap(([sentence, numbers]) =>
    numbers.map((number) => `${number}: ${sentence}`),
  );
  assert.ok(told.length > obligations['MUST NOT']);
  const listed = new Set(
    rows.flatMap(({ number, shownBy }) => shownBy.map((each) => `${number}: ${each}`)),
  );
  assert.deepEqual(
    told.filter((each) => !listed.has(each)),
    [],
  );
});
