import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parse } from 'graphql';
import { excessOf, queryLimits } from './query-limits.ts';

const repeated = (count: number, each: (index: number) => string) =>
  Array.from({ length: count }, (_, index) => each(index)).join(' ');
const nested = (levels: number) => `${'{ a '.repeat(levels)}${'}'.repeat(levels)}`;
const { fields, depth, roots, spreads, directives } = queryLimits;

/** A document of just so many, and what is said about one more. */
const documents: readonly (readonly [string, number, (count: number) => string])[] = [
  ['fields', fields, (count) => `{ a { ${repeated(count - 1, (index) => `b${index}: b`)} } }`],
  ['levels', depth, nested],
  ['root fields', roots, (count) => `{ ${repeated(count, (index) => `a${index}: a`)} }`],
  [
    'uses of fragments',
    spreads,
    (count) => `{ a { ${repeated(count, () => '...F')} } } fragment F on T { c }`,
  ],
  ['directives', directives, (count) => `{ a ${repeated(count, () => '@include(if: true)')} }`],
];

for (const [what, limit, documentOf] of documents) {
  test(`a request may have ${limit} ${what}, and not one more`, () => {
    assert.equal(excessOf(parse(documentOf(limit))), undefined);
    const told = excessOf(parse(documentOf(limit + 1))) ?? '';
    assert.ok(told.startsWith(`the request has ${limit + 1} ${what}`), told);
    assert.ok(told.endsWith(`at most ${limit} are allowed`), told);
  });
}
