// Clients of the original service work unchanged: its schema, kept beside this file, is part of ours.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { buildSchema, findBreakingChanges, findDangerousChanges } from 'graphql';
import { sdl } from '#provisioner';

const original = readFileSync(join(import.meta.dirname, 'original-schema.graphql'), 'utf8');
const changesOf = (schema: string) => {
  const [before, after] = [buildSchema(original), buildSchema(schema)];
  return [...findBreakingChanges(before, after), ...findDangerousChanges(before, after)];
};

test('nothing that the original schema has is missing, of another type, or newly mandatory', () => {
  assert.deepEqual(changesOf(sdl), []);
});

test('an addition is allowed', () => {
  assert.deepEqual(changesOf(`${sdl}\nextend type Query { runtimes: [String!] }`), []);
});

for (const [what, from, to, complaint] of [
  ['a field that is gone', '  compassRuntimeID: String\n', '', 'FIELD_REMOVED'],
  [
    'an operation of another type',
    'deprovisionRuntime(id: String!): String!',
    'deprovisionRuntime(id: String!): String',
    'FIELD_CHANGED_KIND',
  ],
  [
    'an argument that became mandatory',
    'upgradeShoot(id: String!',
    'upgradeShoot(key: String!, id: String!',
    'REQUIRED_ARG_ADDED',
  ],
  [
    'an input that became mandatory',
    '  purpose: String\n  licenceType: String\n  enable',
    '  purpose: String!\n  licenceType: String\n  enable',
    'FIELD_CHANGED_KIND',
  ],
  [
    'a state that old clients do not know',
    '  Pending\n  InProgress',
    '  Pending\n  Paused\n  InProgress',
    'VALUE_ADDED_TO_ENUM',
  ],
] as const) {
  test(`${what} would be noticed`, () => {
    // Where the text stands more than once, as of inputs and outputs, the last one is meant.
    const at = sdl.lastIndexOf(from);
    assert.notEqual(at, -1, `the schema has no ${from}`);
    const changed = sdl.slice(0, at) + to + sdl.slice(at + from.length);
    assert.deepEqual(
      changesOf(changed).map(({ type }) => type),
      [complaint],
    );
  });
}
