import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonSchema } from '../api-types.ts';
import { draftOf, fieldsOf, labelOf, problemsNamedIn, readDraft, type Draft } from './draft.ts';

const schema: JsonSchema = {
  type: 'object',
  _controlsOrder: ['name', 'region'],
  required: ['name'],
  properties: {
    autoScalerMax: { type: 'integer', minimum: 3, maximum: 80, default: 20 },
    region: { type: 'string', enum: ['eastus', 'westeurope'] },
    name: { type: 'string', minLength: 1, pattern: '^[a-z-]*$', title: 'Cluster Name' },
    administrators: { type: 'array', items: { type: 'string', minLength: 3 } },
    oidc: {
      type: 'object',
      required: ['clientID', 'issuerURL'],
      properties: { clientID: { type: 'string' }, issuerURL: { type: 'string' } },
    },
  },
};

test('fields come in the order that the schema wants, the others after them', () => {
  assert.deepEqual(
    fieldsOf(schema).map(([name]) => name),
    ['name', 'region', 'autoScalerMax', 'administrators', 'oidc'],
  );
});

test('a field is called by its title, or by its name in words', () => {
  assert.equal(labelOf('name', { title: 'Cluster Name' }), 'Cluster Name');
  assert.equal(labelOf('autoScalerMax', {}), 'Auto Scaler Max');
});

test('what is typed becomes parameters of the right types, and what is left empty is not sent', () => {
  const draft = { name: ' orders ', autoScalerMax: '7', administrators: 'ann@x\n\nbob@x, eve@x' };
  assert.deepEqual(readDraft(schema, draft), {
    parameters: { name: 'orders', autoScalerMax: 7, administrators: ['ann@x', 'bob@x', 'eve@x'] },
    problems: {},
  });
});

for (const [what, draft, path, problem] of [
  ['a field that must be there is empty', {}, 'name', /needed/],
  ['a text does not match its pattern', { name: 'A B' }, 'name', /must match/],
  ['a number is none', { name: 'a', autoScalerMax: 'many' }, 'autoScalerMax', /whole number/],
  ['a number is not whole', { name: 'a', autoScalerMax: '3.5' }, 'autoScalerMax', /whole number/],
  ['a number is too small', { name: 'a', autoScalerMax: '2' }, 'autoScalerMax', /at least 3/],
  ['a number is too large', { name: 'a', autoScalerMax: '81' }, 'autoScalerMax', /at most 80/],
  ['a value is not offered', { name: 'a', region: 'moon' }, 'region', /eastus, westeurope/],
  ['an entry is too short', { name: 'a', administrators: 'ab' }, 'administrators', /ab: .*3/],
  ['half of an object is there', { name: 'a', 'oidc.clientID': 'x' }, 'oidc.issuerURL', /needed/],
] as const satisfies readonly (readonly [string, Draft, string, RegExp])[])
  test(`it is said beside the field if ${what}`, () => {
    const { problems } = readDraft(schema, draft);
    assert.deepEqual(Object.keys(problems), [path]);
    assert.match(problems[path] ?? '', problem);
  });

test('parameters of a runtime come back as they were typed', () => {
  const parameters = {
    name: 'orders',
    autoScalerMax: 7,
    administrators: ['ann@x', 'bob@x'],
    oidc: { clientID: 'kyma', issuerURL: 'https://issuer' },
  };
  assert.deepEqual(readDraft(schema, draftOf(schema, parameters)), { parameters, problems: {} });
});

test('a refusal of the broker is shown beside the fields that it names', () => {
  const message =
    'while validating input parameters: autoScalerMax: Must be less than or equal to 80 (got 90)';
  assert.deepEqual(problemsNamedIn(message, schema), {
    autoScalerMax: 'Must be less than or equal to 80 (got 90)',
  });
  assert.deepEqual(problemsNamedIn('no such plan', schema), {});
});
