import assert from 'node:assert/strict';
import { test } from 'node:test';
import { buildSchema } from 'graphql';
import { documentReader } from './read-document.ts';

const schema = buildSchema(
  'type Query { a(id: String): Int } type Mutation { b(id: String): Int }',
);
const reader = (introspection = true) => documentReader(schema, { introspection });
const refusalOf = (query: string, introspection?: boolean) => {
  const read = reader(introspection)({ query });
  assert.ok('refused' in read, query);
  return read.refused.message;
};

test('brackets are counted before anything is parsed', () => {
  for (const [open, close] of [
    ['{', '}'],
    ['[', ']'],
    ['(', ')'],
  ] as const)
    assert.match(
      refusalOf(`{ a(id: ${open.repeat(40_000)}1${close.repeat(40_000)}) }`),
      /nested too deeply: at most 50 brackets/,
    );
});

test('brackets in texts and comments are none', () => {
  const read = reader()({ query: `{ a(id: "${'['.repeat(100)}") #${'{'.repeat(100)}\n}` });
  assert.ok('document' in read);
});

test('a text of too many tokens is refused', () => {
  assert.match(refusalOf(`{ ${'a '.repeat(50_001)} }`), /at most 50000 tokens/);
});

test('fields of fragments count wherever they are used, at the root too', () => {
  const aliases = Array.from({ length: 21 }, (_, index) => `a${index}: a`).join(' ');
  const complaint = /has 21 root fields: at most 20/;
  assert.match(refusalOf(`{ ... { ${aliases} } }`), complaint);
  assert.match(refusalOf(`{ ...F } fragment F on Query { ${aliases} }`), complaint);
});

test('what the schema has no root for is refused', () => {
  assert.equal(refusalOf('subscription { a }'), 'there is no subscription in the schema');
});

test('introspection is refused where it is switched off', () => {
  const query = '{ __schema { types { name } } }';
  assert.ok('document' in reader(true)({ query }));
  assert.match(refusalOf(query, false), /introspection/i);
});

test('a query is read once, a mutation each time', () => {
  const read = reader();
  const twice = (query: string) =>
    [read({ query }), read({ query })].map((each) => 'document' in each && each.document);
  const [first, second] = twice('{ a(id: "1") }');
  assert.equal(first, second);
  const [one, other] = twice('mutation { b(id: "1") }');
  assert.notEqual(one, other);
});

test('a known query does not make its variables known', () => {
  const read = reader();
  const query = 'query($id: String) { a(id: $id) }';
  assert.ok('document' in read({ query, variables: { id: '1' } }));
  assert.ok('refused' in read({ query, variables: { id: '\u0000' } }));
});

test('of a thousand known queries the one asked for longest ago makes room', () => {
  const read = reader();
  const documentOf = (index: number) => {
    const found = read({ query: `{ a(id: "${index}") }` });
    return 'document' in found ? found.document : undefined;
  };
  const [first, second] = [documentOf(0), documentOf(1)];
  for (let index = 2; index < 1_000; index += 1) documentOf(index);
  assert.equal(documentOf(0), first);
  documentOf(1_000);
  assert.equal(documentOf(0), first);
  assert.notEqual(documentOf(1), second);
});
