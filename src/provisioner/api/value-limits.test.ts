import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseValue } from 'graphql';
import { excessInValue, excessInVariables, valueLimits } from './value-limits.ts';

const { length, zones, depth, values } = valueLimits;
const list = (count: number, element: string) => `[${Array(count).fill(element).join(',')}]`;
const nested = (levels: number) => `${'['.repeat(levels)}1${']'.repeat(levels)}`;

/** Of a variable, and of the same value in the text. */
const refused: readonly (readonly [name: string, json: string, literal: string, why: string])[] = [
  ['the character U+0000', '"a\\u0000"', '"a\\u0000"', 'cannot be stored'],
  ['an endless number', '1e999', '1e999', 'cannot be stored as it is written'],
  [
    'a number that none holds',
    '9007199254740993',
    '9007199254740993',
    'cannot be stored as it is written',
  ],
  ['a long list', list(length + 1, '1'), list(length + 1, '1'), `has ${length + 1} elements`],
  ['a deep list', nested(depth + 1), nested(depth + 1), `at most ${depth} levels`],
  [
    'many zones',
    `{"awsZones":${list(zones + 1, '1')}}`,
    `{awsZones: ${list(zones + 1, '1')}}`,
    `.awsZones has ${zones + 1} elements: at most ${zones} are allowed`,
  ],
  [
    'something within',
    '{"a":[{"b":"\\u0000"}]}',
    '{a: [{b: "\\u0000"}]}',
    '.a[0].b has a character',
  ],
];

for (const [name, json, literal, why] of refused) {
  test(`${name} is refused in variables, and in the text`, () => {
    const inVariables = excessInVariables({ given: JSON.parse(json) as unknown }) ?? '';
    assert.ok(inVariables.startsWith('variables.given'), inVariables);
    assert.ok(inVariables.includes(why), inVariables);
    const inText = excessInValue(parseValue(literal), 'given') ?? '';
    assert.ok(inText.includes(why), inText);
  });
}

for (const [name, json, literal] of [
  ['a list', list(length, '1'), list(length, '1')],
  ['a depth', nested(depth), nested(depth)],
  ['zones', `{"zones":${list(zones, '"a"')}}`, `{zones: ${list(zones, '"a"')}}`],
  ['a text', '"äöü 😀 \\u2028"', '"äöü 😀 \\u2028"'],
  ['a number', '9007199254740991', '9007199254740991'],
  ['nothing', 'null', 'null'],
] as const) {
  test(`${name} within the limits is taken, in variables and in the text`, () => {
    assert.equal(excessInVariables({ given: JSON.parse(json) as unknown }), undefined);
    assert.equal(excessInValue(parseValue(literal), 'given'), undefined);
  });
}

test('half of a pair is refused, also in a name', () => {
  assert.match(excessInVariables({ a: '\ud800' }) ?? '', /^variables\.a has a character/);
  assert.match(excessInVariables({ a: { '\ud800': 1 } }) ?? '', /^variables\.a has a name that/);
});

test('many short lists are too many values in all', () => {
  const lists = Array.from({ length: values / length + 1 }, () => Array(length).fill(1));
  assert.match(excessInVariables({ lists }) ?? '', /too many values: at most 50000/);
});
