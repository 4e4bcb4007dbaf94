import assert from 'node:assert/strict';
import { test } from 'node:test';
import { accessNameOf } from './binding.ts';

const dnsLabel = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;

test('the account of a binding has its id in the name', () => {
  const id = '1f8a2d6c-0000-4000-8000-000000000001';
  assert.equal(accessNameOf(id), `kyma-binding-${id}`);
});

test('ids that are no names in a cluster get one of their own', () => {
  const ids = ['UPPER', 'upper', 'a/b', 'a_b', 'ä', '-a', 'a-', 'x'.repeat(51), 'x'.repeat(255)];
  const names = ids.map(accessNameOf);
  for (const name of names) assert.match(name, dnsLabel);
  assert.equal(new Set(names).size, ids.length);
});
