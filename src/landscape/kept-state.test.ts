import assert from 'node:assert/strict';
import { test } from 'node:test';
import { deserialize, serialize } from 'node:v8';
import { keeping } from './kept-state.ts';

const newParts = () => ({
  map: new Map([['a', { at: new Date(0), names: new Set(['x']) }]]),
  set: new Set(['a']),
  list: ['a'],
  fields: { last: 1, least: 0 },
});

test('all kinds of parts come back, also through a file, in the very same containers', () => {
  const parts = newParts();
  parts.map.set('b', { at: new Date(1), names: new Set(['y', 'z']) });
  parts.map.delete('a');
  parts.set.add('b');
  parts.list.push('b');
  parts.fields.last = 2;
  const inner = keeping(parts);
  const saved: unknown = deserialize(serialize(keeping({ inner: { state: inner } }).save()));
  const fresh = newParts();
  const { map } = fresh;
  keeping({ inner: { state: keeping(fresh) } }).restore(saved);
  assert.deepEqual(fresh, parts);
  assert.equal(fresh.map, map);
});

test('what was not known when it was saved is as at the start', () => {
  const parts = newParts();
  keeping(parts).restore({ list: ['z'] });
  assert.deepEqual(parts, { ...newParts(), list: ['z'] });
});

for (const [name, wrong] of [
  ['map', new Set()],
  ['set', []],
  ['list', new Map()],
  ['fields', 'text'],
] as const) {
  test(`a ${name} is not taken from something else`, () => {
    assert.throws(() => keeping(newParts()).restore({ [name]: wrong }), /another kind/);
  });
}
