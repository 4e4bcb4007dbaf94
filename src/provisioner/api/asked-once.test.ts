import assert from 'node:assert/strict';
import { test } from 'node:test';
import { buildSchema, execute, parse } from 'graphql';
import { askedOnce } from './asked-once.ts';

const schema = buildSchema('type Query { thing: Thing } type Thing { dear: Int plain: Int }');

test('what costs something is asked for once in a request, under however many names', async () => {
  let calls = 0;
  const rootValue = {
    thing: {
      plain: 1,
      dear: async () => {
        calls += 1;
        return calls;
      },
    },
  };
  const ask = (query: string) =>
    execute({ schema, document: parse(query), rootValue, fieldResolver: askedOnce() });
  const { data } = await ask('{ thing { a: dear b: dear plain } again: thing { dear } }');
  assert.deepEqual(JSON.parse(JSON.stringify(data)), {
    thing: { a: 1, b: 1, plain: 1 },
    again: { dear: 1 },
  });
  await ask('{ thing { dear } }');
  assert.equal(calls, 2);
});
