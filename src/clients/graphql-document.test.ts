import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parse, valueFromASTUntyped, visit } from 'graphql';
import { enumName, graphql, type Literal } from './graphql-document.ts';

/** What a server would read out of the document. */
function readBack(document: string): unknown {
  let value: unknown;
  visit(parse(document), {
    Argument(node) {
      value = valueFromASTUntyped(node.value);
    },
  });
  return value;
}

for (const value of [
  'demo',
  'say "hello"\n\\ } { injected } #',
  'ümläut 🚀 \u0000 \u2028',
  '$variable ${not.one}',
  42,
  -0.5,
  true,
  null,
  ['a', 1, []],
  { name: 'demo', labels: { broker_instance_id: '1', nested: { list: [{ a: 1 }] } } },
] satisfies Literal[]) {
  test(`${JSON.stringify(value)} arrives as it was put in`, () => {
    const read = readBack(graphql`mutation { result: register(in: ${value}) { id } }`);
    assert.equal(JSON.stringify(read), JSON.stringify(value));
  });
}

test('a member that is undefined is left out, and the value of an enum has no quotes', () => {
  assert.equal(
    graphql`{ result: f(in: ${{ a: undefined, b: enumName('PROVISIONING') }}) }`,
    '{ result: f(in: {b: PROVISIONING}) }',
  );
});

test('half of a surrogate pair, which no GraphQL server reads, is replaced', () => {
  assert.equal(readBack(graphql`{ result: f(in: ${'a\ud800b'}) }`), 'a\ufffdb');
});

test('what cannot be a name, or a number, gets into no document', () => {
  for (const name of ['', 'a-b', '1a', 'a:1}){id}', 'ä']) {
    assert.throws(() => graphql`{ f(in: ${{ [name]: 1 }}) }`, TypeError);
    assert.throws(() => enumName(name), TypeError);
  }
  for (const number of [NaN, Infinity]) {
    assert.throws(() => graphql`{ f(in: ${number}) }`, TypeError);
  }
});
